"""Parameters of sampled DAGs: prediction, total causal effects, interventional distributions."""
