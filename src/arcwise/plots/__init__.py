"""Pictures of posteriors, by matplotlib.

Each function draws into the axes it is given, or into a new figure, and returns the
axes; nothing is shown and no global state is touched. ``axes.figure`` is the figure,
which notebooks show and ``savefig`` writes. Colours can be told apart by colour-blind
people.
"""

from arcwise.plots.agreement import agreement
from arcwise.plots.curves import roc
from arcwise.plots.effects import effect
from arcwise.plots.matrix import edge_matrix
from arcwise.plots.network import network
from arcwise.plots.traces import traces

__all__ = ["agreement", "edge_matrix", "effect", "network", "roc", "traces"]
