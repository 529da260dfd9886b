"""Random generators: a draw depends only on the seed, its purpose and its item."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from arcwise.errors import option
from arcwise.support.checks import whole_number

_KEY_BITS = 128


class Purpose(IntEnum):
    """What random numbers are for.

    Each purpose has its own stream: with a single stream, using the same seed for a DAG,
    its parameters and its data would make the three dependent.
    """

    STRUCTURE = 0
    LEVELS = 1
    PARAMETERS = 2
    ROWS = 3
    DRAWN_PRECISIONS = 4
    DRAWN_COEFFICIENTS = 5
    DRAWN_TABLES = 6
    DRAWN_REGRESSIONS = 8
    DRAWN_CONFIGURATIONS = 9
    IMPUTATION = 16


def generator(seed: int, purpose: Purpose, item: int = 0) -> np.random.Generator:
    """Return the generator of one stream: Philox with the seed as its key.

    The two high words of the counter hold the purpose and the item (such as the number of a
    variable), so streams never overlap.
    """
    key = whole_number(seed, option("seed"), at_least=0, at_most=(1 << _KEY_BITS) - 1)
    counter = np.array([0, 0, item, purpose], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=counter))
