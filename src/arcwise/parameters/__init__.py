"""Inference about parameters: prediction, causal effects, interventional distributions."""
