"""Conversion of posteriors, graphs and networks to and from other packages and file formats.

The other packages are imported when needed, so that networkx, pandas, ArviZ, pgmpy and
causal-learn remain optional.
"""

from arcwise.exchange.arviz import to_arviz
from arcwise.exchange.graphs import to_dot, to_gml, to_networkx, to_pandas, to_polars
from arcwise.exchange.pgmpy import from_equations, from_pgmpy, to_equations, to_pgmpy
from arcwise.graphs.foreign import from_causal_learn, to_causal_learn
from arcwise.parameters.conditionals import mean_network

__all__ = [
    "from_causal_learn",
    "from_equations",
    "from_pgmpy",
    "mean_network",
    "to_arviz",
    "to_causal_learn",
    "to_dot",
    "to_equations",
    "to_gml",
    "to_networkx",
    "to_pandas",
    "to_pgmpy",
    "to_polars",
]
