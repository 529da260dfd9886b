"""Utilities for all other packages: checks, names, wording, files, progress."""
