"""`asia`: the chest-clinic network of Lauritzen and Spiegelhalter (1988).

S. L. Lauritzen and D. J. Spiegelhalter, Local computations with probabilities
on graphical structures and their application to expert systems, Journal of the
Royal Statistical Society B 50, 1988.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.graphs.dag import Dag
from arcwise.networks.discrete import DiscreteNetwork


def asia() -> DiscreteNetwork:
    """Return the ASIA network: eight variables, eight edges, levels "no" and "yes".

    "either" is the logical or of "tub" and "lung", so many combinations are impossible.

    Examples
    --------
    >>> asia().dag.parents("dysp")
    ('bronc', 'either')
    """
    dag = Dag(
        ["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"],
        {
            "tub": ["asia"],
            "lung": ["smoke"],
            "bronc": ["smoke"],
            "either": ["tub", "lung"],
            "xray": ["either"],
            "dysp": ["bronc", "either"],
        },
    )
    yes: dict[str, ArrayLike] = {
        "asia": 0.01,
        "tub": [0.01, 0.05],
        "smoke": 0.5,
        "lung": [0.01, 0.1],
        "bronc": [0.3, 0.6],
        "either": [[0.0, 1.0], [1.0, 1.0]],
        "xray": [0.05, 0.98],
        "dysp": [[0.1, 0.7], [0.8, 0.9]],
    }
    return DiscreteNetwork(
        dag,
        dict.fromkeys(dag.variables, ("no", "yes")),
        {name: _binary_table(probability) for name, probability in yes.items()},
    )


def _binary_table(yes: ArrayLike) -> NDArray[np.float64]:
    probability = np.asarray(yes, dtype=np.float64)
    return np.stack([1.0 - probability, probability], axis=-1)
