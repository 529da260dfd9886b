"""Export of posteriors and graphs to other packages and file formats.

The other packages are imported when needed, so that networkx, pandas, ArviZ, pgmpy and
causal-learn stay optional.
"""

from arcwise.exchange.arviz import to_arviz
from arcwise.exchange.graphs import to_networkx
from arcwise.exchange.tables import to_pandas, to_polars
from arcwise.exchange.texts import to_dot, to_gml
from arcwise.graphs.foreign import to_causal_learn, to_pgmpy

__all__ = [
    "to_arviz",
    "to_causal_learn",
    "to_dot",
    "to_gml",
    "to_networkx",
    "to_pandas",
    "to_pgmpy",
    "to_polars",
]
