"""BDeu on a device: contingency tables of many sets of variables, and their log-gamma sums.

See `core/arcwise/kernels/discrete_scores.hpp`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.gpu.device import KernelDevice
from arcwise.gpu.set_walks import SetWalk, Target, Tell, WalksOnDevice

MOST_LEVELS = 256  # a code is a byte
MOST_MEMBERS = 64
MOST_CELLS = 2**26  # of a table; 256 MiB for each block
_ROWS_OF_WORD = 8
_HEADER_BYTES = 8 * 256 + 2 * 4 * MOST_MEMBERS + 16  # `CountedSet`
_MOST_COPIES = 32
# Counters of a block that leave room for eight more blocks on the same multiprocessor.
_USUAL_COUNTERS = 6 * 1024
_THREADS = 256
_ROWS_AT_ONCE = 2**34  # times sets, some hundredths of a second between reports of progress
_FEWEST_SETS_AT_ONCE, _MOST_SETS_AT_ONCE = 2**10, 2**22


def needed_bytes(variables: int, rows: int, most_cells: int) -> int:
    """Return the bytes of the device's memory that scoring holds at most, for one large table."""
    return variables * (rows + _ROWS_OF_WORD) + 4 * rows + 8 * _MOST_SETS_AT_ONCE + 4 * most_cells


def refusal(
    walks: Sequence[SetWalk], level_counts: Sequence[int], sample_size: float
) -> str | None:
    """Return why these sets cannot be counted on a device, as the end of a sentence, or None."""
    if max(level_counts) > MOST_LEVELS:
        return (
            f"a column has {max(level_counts):,} levels, and up to {MOST_LEVELS} are counted "
            "there; leave it out"
        )
    cells = max(walk.most_cells(level_counts) for walk in walks)
    if cells > MOST_CELLS or max(walk.largest for walk in walks) > MOST_MEMBERS:
        return (
            f"a family has {cells:,} cells, and up to {MOST_CELLS:,} are counted there; give a "
            "smaller max_indegree, or leave it out"
        )
    # The kernels have no logarithms of numbers that are smaller still.
    if sample_size / cells < np.finfo(np.float64).tiny:
        return "the equivalent sample size is too small to be computed there; leave it out"
    return None


class DiscreteScoring:
    """The rows of discrete data on a device.

    Parameters
    ----------
    device
        The device.
    codes
        Rows by variables.
    level_counts
        The number of levels of each variable.
    equivalent_sample_size
        That of the score.
    """

    def __init__(
        self,
        device: KernelDevice,
        codes: NDArray[np.uint16],
        level_counts: Sequence[int],
        equivalent_sample_size: float,
    ) -> None:
        self._device = device
        self._level_counts = level_counts
        self._rows, variables = codes.shape
        self._words = -(-self._rows // _ROWS_OF_WORD)
        padded = np.zeros((variables, max(1, self._words) * _ROWS_OF_WORD), dtype=np.uint8)
        padded[:, : self._rows] = codes.T
        self._fields = {
            "words": self._words,
            "padding": 0,
            "codes": device.upload(padded.reshape(-1).view(np.uint64)),
            "weights": None,
            "level_counts": device.upload(np.array(level_counts, dtype=np.uint32)),
            "equivalent_sample_size": equivalent_sample_size,
        }

    def score(
        self, targets: Sequence[Target], weights: NDArray[np.float64] | None, tell: Tell
    ) -> None:
        """Score all sets of some walks.

        Parameters
        ----------
        targets
            The walks, and where the scores go.
        weights
            How often each row counts, whole numbers; None for once.
        tell
            Is told how many sets are scored.
        """
        device = self._device
        cells = max(walk.most_cells(self._level_counts) for walk, _ in targets)
        room = (device.shared_bytes - _HEADER_BYTES) // 4
        counters = min(room, max(cells, min(_MOST_COPIES * cells, _USUAL_COUNTERS)))
        shared = _HEADER_BYTES + 4 * counters
        # Where few blocks fit on a multiprocessor, each has more threads.
        threads = _THREADS * (1 if shared < 50_000 else 2 if shared < 100_000 else 4)
        blocks = device.blocks_at_once("score_discrete_sets", threads, shared)
        fields = {**self._fields, "shared_counters": counters, "large": None, "large_cells": 0}
        if cells > counters:
            blocks = max(1, min(blocks, device.free_bytes() // 2 // (4 * cells)))
            fields |= {"large": device.zeros(blocks * cells, np.uint32), "large_cells": cells}
        if weights is None:
            fields["padding"] = self._words * _ROWS_OF_WORD - self._rows
        else:
            padded = np.zeros(max(1, self._words) * _ROWS_OF_WORD, dtype=np.uint32)
            padded[: self._rows] = weights
            assert (padded[: self._rows] == weights).all()  # whole numbers, as `refusal` told
            fields["weights"] = device.upload(padded)
        at_once = _ROWS_AT_ONCE // max(1, self._rows)
        at_once = min(max(at_once, _FEWEST_SETS_AT_ONCE), _MOST_SETS_AT_ONCE)
        WalksOnDevice(device, targets, fields, at_once).score(
            "score_discrete_sets", lambda count: min(count, blocks), threads, shared, tell
        )
