"""Runs kept in a directory: settings, model and ledger, to stop and to go on from."""
