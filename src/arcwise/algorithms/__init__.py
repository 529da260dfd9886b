"""Algorithms: from a model to a posterior, one file each."""
