"""Diagnostics: how far the draws of a sampler can be trusted."""
