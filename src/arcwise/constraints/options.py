"""How messages name the arguments of constraints, in Python and in the shell."""

from arcwise.errors import Wording, option

REQUIRED_EDGES = option("required_edges")
FORBIDDEN_EDGES = option("forbidden_edges")
MAX_INDEGREE = option("max_indegree")

# The shell has no options for these.
TEMPORAL_ORDER = Wording("temporal_order", "temporal_order")
SEARCH_SPACE = Wording("search_space", "search_space")
