"""Run directories: settings, model and ledger of a run, so that it can be resumed."""
