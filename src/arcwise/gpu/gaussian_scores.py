"""BGe on a device: sums of products of columns, and determinants of many small matrices.

See `core/arcwise/kernels/gaussian_scores.hpp`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import NumericalError
from arcwise.gpu.device import KernelDevice
from arcwise.gpu.kernel_struct import KernelStruct
from arcwise.gpu.set_walks import SetWalk, Target, Tell, WalksOnDevice
from arcwise.laws import NormalWishart

MOST_MEMBERS = 40  # of a family: what a block has to share holds the matrices of a warp
_TILE = 32  # columns and rows of a tile of products
_TILE_BYTES = 8 * (2 * _TILE * (_TILE + 1) + _TILE * _TILE)
_TILE_THREADS = 256
_THREADS = 128
_FAMILIES_AT_ONCE = 2**24
_SINGULAR_SHARE = 1e-12  # as on processors


def needed_bytes(variables: int, rows: int, families: int) -> int:
    """Return the bytes of the device's memory that scoring holds at most."""
    matrices = 2 * 8 * variables * variables
    return 8 * variables * rows + matrices + 8 * min(families, _FAMILIES_AT_ONCE)


def refusal(walks: Sequence[SetWalk]) -> str | None:
    """Return why these families cannot be scored on a device, as the end of a sentence, or None."""
    largest = max(walk.largest for walk in walks)
    if largest > MOST_MEMBERS:
        return (
            f"a family has {largest} variables, and up to {MOST_MEMBERS} are scored there; give a "
            "smaller max_indegree, or leave it out"
        )
    return None


@dataclass(frozen=True)
class _CentredColumns:
    """Columns less their means, which are taken twice, as in the core: far from zero they round.

    Parameters
    ----------
    total
        The number of rows, or their summed weights.
    columns
        Variables by rows; a row is multiplied by the root of its weight.
    offset
        The means less those of the prior.
    """

    total: float
    columns: NDArray[np.float64]
    offset: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        values: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        prior_mean: NDArray[np.float64],
    ) -> _CentredColumns:
        columns = np.array(values.T, dtype=np.float64, order="C")
        total = float(columns.shape[1] if weights is None else weights.sum())

        def subtract_means() -> NDArray[np.float64]:
            sums = columns.sum(axis=1) if weights is None else columns @ weights
            means = np.asarray(sums / total if total > 0.0 else np.zeros(len(columns)))
            np.subtract(columns, means[:, np.newaxis], out=columns)
            return means

        means = subtract_means()
        lost_to_rounding = subtract_means()
        # Values that differ at all differ by 1e-16 of themselves: this is rounding of the mean.
        columns[np.abs(columns) <= 1e-20 * np.abs(means)[:, np.newaxis]] = 0.0
        if weights is not None:
            columns *= np.sqrt(weights)
        return cls(total, columns, means - prior_mean + lost_to_rounding)


class GaussianScoring:
    """Continuous columns and their prior, for families that are scored on a device.

    Parameters
    ----------
    device
        The device.
    names
        The names of the columns.
    values
        Rows by variables.
    prior
        The prior of the score.
    """

    def __init__(
        self,
        device: KernelDevice,
        names: Sequence[str],
        values: NDArray[np.float64],
        prior: NormalWishart,
    ) -> None:
        self._device = device
        self._names = names
        self._values = values
        self._prior = prior
        scale = prior.scale
        diagonal = np.diagonal(scale)
        is_diagonal = not np.count_nonzero(scale - np.diag(diagonal))
        self._of_prior = {
            "prior": None if is_diagonal else device.upload(scale.reshape(-1)),
            "log_diagonal": device.upload(np.log(diagonal)),
        }

    def score(
        self, targets: Sequence[Target], weights: NDArray[np.float64] | None, tell: Tell
    ) -> None:
        """Score all families of some walks.

        Parameters
        ----------
        targets
            The walks, and where the scores go.
        weights
            How often each row counts; None for once.
        tell
            Is told how many families are scored.
        """
        device, prior = self._device, self._prior
        variables = len(self._names)
        rows = _CentredColumns.of(self._values, weights, prior.mean)
        shrink = math.sqrt(rows.total * prior.alpha_mu / (rows.total + prior.alpha_mu))
        largest = max(walk.largest for walk, _ in targets)
        singular = device.zeros(variables, np.int32)
        fields = {
            "variables": variables,
            "most_members": largest,
            "data": self._products(rows.columns),
            "border": device.upload(shrink * rows.offset),
            **self._of_prior,
            "coefficients": device.upload(self._coefficients(rows.total, largest)),
            "singular_share": _SINGULAR_SHARE,
            "singular": singular,
        }
        of_thread = 8 * (largest * (largest + 1) // 2 + largest) + 4 * largest
        threads = _THREADS
        while threads > 1 and threads * of_thread > device.shared_bytes:
            threads //= 2
        kernel, shared = "score_gaussian_families", threads * of_thread
        most = device.blocks_at_once(kernel, threads, shared)
        WalksOnDevice(device, targets, fields, _FAMILIES_AT_ONCE).score(
            kernel, lambda count: min(most, -(-count // threads)), threads, shared, tell
        )
        found = np.flatnonzero(device.download(singular))
        if len(found):
            raise NumericalError(
                f"column {self._names[found[0]]!r} is so close to a linear combination of other "
                "columns, on a scale so far above that of the prior, that its score would have no "
                "correct digits; remove it, or divide the columns by their standard deviations"
            )

    def _products(self, columns: NDArray[np.float64]) -> object:
        """Return the prior scale plus the sums of products of columns, on the device."""
        device, (variables, rows) = self._device, columns.shape
        sums = device.upload(np.array(self._prior.scale, dtype=np.float64).reshape(-1))
        columns_there = device.upload(columns.reshape(-1))
        told = KernelStruct(
            device, {"rows": rows, "variables": variables, "columns": columns_there, "sums": sums}
        )
        tiles = -(-variables // _TILE)
        kernel = "add_column_products"
        most = device.blocks_at_once(kernel, _TILE_THREADS, _TILE_BYTES)
        device.launch(kernel, min(tiles * tiles, most), _TILE_THREADS, (told.buffer,), _TILE_BYTES)
        device.synchronize()  # before the columns are given back
        return sums

    def _coefficients(self, total: float, largest: int) -> NDArray[np.float64]:
        """Return the constant and the powers of determinants, by number of members."""
        prior, n = self._prior, len(self._names)
        found, log_gammas = [], 0.0
        for size in range(largest + 1):
            prior_power = 0.5 * (prior.alpha_w - n + size)
            data_power = prior_power + 0.5 * total
            if size > 0:
                log_gammas += math.lgamma(data_power) - math.lgamma(prior_power)
            constant = 0.5 * size * math.log(prior.alpha_mu / (total + prior.alpha_mu))
            constant += log_gammas - 0.5 * size * total * math.log(math.pi)
            found += [constant, prior_power, data_power]
        return np.array(found)
