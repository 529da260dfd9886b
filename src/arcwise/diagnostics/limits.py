"""The limits by which a run is judged: those of the stopping rule and of the verdict are the same.

The limits of R-hat and of the effective sample size are those of Vehtari et al. (2021).
Among hundreds of edges one is always extreme by chance, so the limits for edges are less
strict. How often a run within them is wrong is measured by the benchmark `verdict`.
"""

from __future__ import annotations

LARGEST_RHAT = 1.01
FEWEST_EFFECTIVE = 400.0
LARGEST_EDGE_RHAT = 1.05
FEWEST_EFFECTIVE_OF_EDGE = 400.0
"""A run that ends when it looks good tends to end before a rare mode shows; with few independent
visits to it, by much."""
LARGEST_DIFFERENCE = 0.05
"""Between the edge probabilities of four parts of a run."""

DEFAULT_RULE = (
    f"rhat<{LARGEST_RHAT:g}, ess>{FEWEST_EFFECTIVE:g}, edge_rhat<{LARGEST_EDGE_RHAT:g}, "
    f"edge_ess>{FEWEST_EFFECTIVE_OF_EDGE:g}, difference<{LARGEST_DIFFERENCE:g}"
)
"""The stopping rule of a run that ends when it is reliable."""

FEWEST_CHAINS = 4
LARGEST_STANDARD_ERROR = 0.025
"""Of an edge probability, so that errors of 0.1 are four standard errors."""

LARGEST_DIFFERENCE_OF_HALVES = 0.1
"""Between the two halves of annealing particles, each half as precise as the whole."""

# Beyond these, a run is unusable rather than doubtful.
HOPELESS_RHAT = 1.2
HOPELESS_DIFFERENCE = 0.3

# A run whose R-hat exceeds this warns as it ends.
RHAT_OF_WARNING = 1.05

FEWEST_EXCHANGES = 0.05
FEWEST_ROUND_TRIPS = 10
"""Of the states of all coupled chains together, for an estimate of the evidence."""

HOPELESS_PARTICLES, FEWEST_PARTICLES = 10.0, 50.0
FEWEST_ACCEPTED = 0.01
