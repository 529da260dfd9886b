"""How messages name the arguments of constraints, in Python and in the shell."""

from arcwise.errors import Wording, option

REQUIRED_EDGES = option("required_edges")
FORBIDDEN_EDGES = option("forbidden_edges")
MAX_INDEGREE = option("max_indegree")
TIERS = option("tiers")
PARENT_ONLY = option("parent_only")

# The shell has no option for this.
SEARCH_SPACE = Wording("search_space", "search_space")
