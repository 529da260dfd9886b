"""Diagnostics: the reliability of a posterior, with a verdict and advice."""
