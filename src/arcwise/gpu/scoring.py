"""Scoring of families on a graphics processor: BDeu from counts, BGe from products of columns.

Kernels score walks: all families of a node, or all sets of variables up to a size. A kernel finds
the members of a set from its number; see `core/arcwise/kernels/set_walks.hpp`, and
`discrete_scores.hpp` and `gaussian_scores.hpp` there for the scores. `engine_on_device` decides
whether a device scores the families of a question.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.engines import ScoringJob, Threads
from arcwise.errors import NumericalError
from arcwise.families import Families
from arcwise.families.families import subsets
from arcwise.gpu.device import KernelDevice, KernelStruct, chosen_device, refuse_beyond_device
from arcwise.laws import NormalWishart
from arcwise.model.question import Question
from arcwise.model.scoring import scoring_work
from arcwise.scores import BDeu, BGe
from arcwise.scores.family_scores import FamilyScoring
from arcwise.support.running import Stage

_NO_NODE = 2**64 - 1

Report = Callable[[int], None]
"""A function that receives the number of sets just scored; it may raise to end the computation."""


@dataclass(frozen=True)
class SetWalk:
    """Sets of variables of one form, in the order of a family table."""

    node: int | None  # whose families these are; None if the sets themselves are scored
    pool: tuple[int, ...]  # the variables of which a set contains any, up to `most`
    most: int
    required: tuple[int, ...] = ()  # variables in every set, in addition to the node
    others: tuple[int, ...] = ()  # exactly one of these, if any, is in every set

    def __len__(self) -> int:
        """Return the number of sets."""
        return subsets(len(self.pool), self.most) * max(1, len(self.others))

    @property
    def largest(self) -> int:
        """The number of members of the largest set."""
        fixed = len(self.required) + (self.node is not None) + bool(self.others)
        return fixed + min(self.most, len(self.pool))

    def most_cells(self, level_counts: Sequence[int]) -> int:
        """Return the number of cells of the largest contingency table of a set."""
        pool = sorted((level_counts[each] for each in self.pool), reverse=True)[: self.most]
        fixed = [level_counts[each] for each in self.required]
        other = max((level_counts[each] for each in self.others), default=1)
        own = 1 if self.node is None else level_counts[self.node]
        return math.prod([*pool, *fixed, other, own])


Target = tuple[SetWalk, NDArray[np.float64]]
"""A walk, and the array for the scores of its sets."""


def walks_of_node(families: Families, node: int) -> tuple[SetWalk, SetWalk | None]:
    """Return the families of a node without outside parents, and those with one."""
    pool, required = families.candidates[node], families.required[node]
    most, outside = families.max_free[node], families.outside[node]
    plus_one = None
    if outside and most > 0:
        plus_one = SetWalk(node, pool, most - 1, required, outside)
    return SetWalk(node, pool, most, required), plus_one


class WalksOnDevice:
    """Walks in the layout of the kernels, and the scores of their sets."""

    def __init__(
        self,
        device: KernelDevice,
        targets: Sequence[Target],
        fields: Mapping[str, Any],
        at_once: int,
    ) -> None:
        self._device = device
        self._targets = targets
        ends = np.cumsum([len(walk) for walk, _ in targets])
        self._starts = [0, *ends.tolist()]
        self._at_once = min(at_once, self._starts[-1])
        self._values = device.zeros(self._at_once, np.float64)
        rows: list[tuple[int, ...]] = []
        variables: list[int] = []
        tables: dict[tuple[int, int], int] = {}
        below: list[NDArray[np.uint64]] = []
        for start, (walk, _) in zip(self._starts[:-1], targets, strict=True):
            key = (len(walk.pool), min(walk.most, len(walk.pool)))
            if key not in tables:
                tables[key] = sum(len(each) for each in below)
                below.append(_sets_below(*key))
            node = _NO_NODE if walk.node is None else walk.node
            sizes = (len(walk.pool), len(walk.required), len(walk.others), key[1])
            rows.append((start, node, len(variables), *sizes, tables[key]))
            variables += [*walk.pool, *walk.required, *walk.others]
        self._struct = KernelStruct(
            device,
            {
                "walks": len(targets),
                "list": device.upload(np.array(rows, dtype=np.uint64).reshape(-1)),
                "numbers": device.upload(np.array(variables or [0], dtype=np.uint32)),
                "below": device.upload(np.concatenate(below)),
                **fields,
                "values": self._values,
            },
        )

    def score(
        self,
        kernel: str,
        blocks_of: Callable[[int], int],
        threads: int,
        shared: int,
        report: Report,
    ) -> None:
        """Score all sets, and write the scores to the arrays of the targets."""
        total = self._starts[-1]
        for first in range(0, total, self._at_once):
            count = min(self._at_once, total - first)
            arguments = (self._struct.buffer, np.uint64(first), np.uint64(count))
            self._device.launch(kernel, blocks_of(count), threads, arguments, shared)
            found = self._device.download(self._values, 0, count)
            for start, (walk, values) in zip(self._starts, self._targets, strict=False):
                begin, end = max(first, start), min(first + count, start + len(walk))
                if begin < end:
                    values[begin - start : end - start] = found[begin - first : end - first]
            report(count)


def _sets_below(elements: int, most: int) -> NDArray[np.uint64]:
    """Return the number of sets of up to `size` members below each element, [size][element]."""
    table = [
        [subsets(element, size) for element in range(elements + 1)] for size in range(most + 1)
    ]
    return np.array(table, dtype=np.uint64).reshape(-1)


# --- BDeu -----------------------------------------------------------------------------------------

MOST_LEVELS = 256  # a code is a byte
MOST_DISCRETE_MEMBERS = 64
MOST_CELLS = 2**26  # cells of a contingency table; 256 MiB for each block
_ROWS_OF_WORD = 8
_HEADER_BYTES = 8 * 256 + 2 * 4 * MOST_DISCRETE_MEMBERS + 16  # `CountedSet`
_MOST_COPIES = 32
_USUAL_COUNTERS = 6 * 1024  # of a block, so that nine blocks fit on a multiprocessor
_DISCRETE_THREADS = 256
_ROWS_AT_ONCE = 2**34  # rows times sets of a launch, which takes hundredths of a second
_FEWEST_SETS_AT_ONCE, _MOST_SETS_AT_ONCE = 2**10, 2**22


def discrete_bytes(variables: int, rows: int, most_cells: int) -> int:
    """Return an upper bound on the bytes of device memory, with one large contingency table."""
    return variables * (rows + _ROWS_OF_WORD) + 4 * rows + 8 * _MOST_SETS_AT_ONCE + 4 * most_cells


def discrete_refusal(
    walks: Sequence[SetWalk], level_counts: Sequence[int], sample_size: float
) -> str | None:
    """Return None, or the end of a sentence on why these sets cannot be counted on a device."""
    if max(level_counts) > MOST_LEVELS:
        return (
            f"a column has {max(level_counts):,} levels, and up to {MOST_LEVELS} are counted "
            "there; leave it out"
        )
    cells = max(walk.most_cells(level_counts) for walk in walks)
    if cells > MOST_CELLS or max(walk.largest for walk in walks) > MOST_DISCRETE_MEMBERS:
        return (
            f"a family has {cells:,} cells, and up to {MOST_CELLS:,} are counted there; give a "
            "smaller max_indegree, or leave it out"
        )
    # The kernels do not compute logarithms of subnormal numbers.
    if sample_size / cells < np.finfo(np.float64).tiny:
        return "the equivalent sample size is too small to be computed there; leave it out"
    return None


class DiscreteScoring:
    """The rows of discrete data on a device."""

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
        self, targets: Sequence[Target], weights: NDArray[np.float64] | None, report: Report
    ) -> None:
        """Score all sets of the given walks."""
        device = self._device
        cells = max(walk.most_cells(self._level_counts) for walk, _ in targets)
        room = (device.shared_bytes - _HEADER_BYTES) // 4
        counters = min(room, max(cells, min(_MOST_COPIES * cells, _USUAL_COUNTERS)))
        shared = _HEADER_BYTES + 4 * counters
        # If few blocks fit on a multiprocessor, each has more threads.
        threads = _DISCRETE_THREADS * (1 if shared < 50_000 else 2 if shared < 100_000 else 4)
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
            assert (padded[: self._rows] == weights).all()  # `_refusal` admits only integers
            fields["weights"] = device.upload(padded)
        at_once = _ROWS_AT_ONCE // max(1, self._rows)
        at_once = min(max(at_once, _FEWEST_SETS_AT_ONCE), _MOST_SETS_AT_ONCE)
        WalksOnDevice(device, targets, fields, at_once).score(
            "score_discrete_sets", lambda count: min(count, blocks), threads, shared, report
        )


# --- BGe ------------------------------------------------------------------------------------------

MOST_GAUSSIAN_MEMBERS = 40  # of a family, so that the matrices of a warp fit into shared memory
_TILE = 32  # columns and rows of a tile of products
_TILE_BYTES = 8 * (2 * _TILE * (_TILE + 1) + _TILE * _TILE)
_TILE_THREADS = 256
_GAUSSIAN_THREADS = 128
_FAMILIES_AT_ONCE = 2**24
_SINGULAR_SHARE = 1e-12  # relative size of a pivot that counts as zero, as on processors


def gaussian_bytes(variables: int, rows: int, families: int) -> int:
    """Return an upper bound on the bytes of device memory that scoring needs."""
    matrices = 2 * 8 * variables * variables
    return 8 * variables * rows + matrices + 8 * min(families, _FAMILIES_AT_ONCE)


def gaussian_refusal(walks: Sequence[SetWalk]) -> str | None:
    """Return None, or the end of a sentence on why these families cannot be scored there."""
    largest = max(walk.largest for walk in walks)
    if largest > MOST_GAUSSIAN_MEMBERS:
        return (
            f"a family has {largest} variables, and up to {MOST_GAUSSIAN_MEMBERS} are scored "
            "there; give a smaller max_indegree, or leave it out"
        )
    return None


@dataclass(frozen=True)
class _CentredColumns:
    """Columns minus their means, subtracted twice as in the core, since large means are rounded."""

    total: float  # the number of rows, or their summed weights
    columns: NDArray[np.float64]  # [variable, row]; rows are multiplied by the roots of weights
    offset: NDArray[np.float64]  # the means minus those of the prior

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
        # Distinct values differ by 1e-16 of their size, so smaller deviations are rounding errors.
        columns[np.abs(columns) <= 1e-20 * np.abs(means)[:, np.newaxis]] = 0.0
        if weights is not None:
            columns *= np.sqrt(weights)
        return cls(total, columns, means - prior_mean + lost_to_rounding)


class GaussianScoring:
    """Continuous columns and their prior, for families that are scored on a device."""

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
        self._prior_fields = {
            "prior": None if is_diagonal else device.upload(scale.reshape(-1)),
            "log_diagonal": device.upload(np.log(diagonal)),
        }

    def score(
        self, targets: Sequence[Target], weights: NDArray[np.float64] | None, report: Report
    ) -> None:
        """Score all families of the given walks."""
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
            **self._prior_fields,
            "coefficients": device.upload(self._coefficients(rows.total, largest)),
            "singular_share": _SINGULAR_SHARE,
            "singular": singular,
        }
        of_thread = 8 * (largest * (largest + 1) // 2 + largest) + 4 * largest
        threads = _GAUSSIAN_THREADS
        while threads > 1 and threads * of_thread > device.shared_bytes:
            threads //= 2
        kernel, shared = "score_gaussian_families", threads * of_thread
        most = device.blocks_at_once(kernel, threads, shared)
        WalksOnDevice(device, targets, fields, _FAMILIES_AT_ONCE).score(
            kernel, lambda count: min(most, -(-count // threads)), threads, shared, report
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
        struct = KernelStruct(
            device, {"rows": rows, "variables": variables, "columns": columns_there, "sums": sums}
        )
        tiles = -(-variables // _TILE)
        kernel = "add_column_products"
        most = device.blocks_at_once(kernel, _TILE_THREADS, _TILE_BYTES)
        device.launch(
            kernel, min(tiles * tiles, most), _TILE_THREADS, (struct.buffer,), _TILE_BYTES
        )
        device.synchronize()  # before the memory of the columns is released
        return sums

    def _coefficients(self, total: float, largest: int) -> NDArray[np.float64]:
        """Return the constant and the exponents of the determinants, by number of members."""
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


# --- Engine ---------------------------------------------------------------------------------------

# If no device is named, the numbers of rows to count and of products of columns above which a
# device saves some seconds of sixteen cores.
_FEWEST_ROWS_COUNTED = 10**11
_FEWEST_PRODUCTS = 10**10
_MOST_ROWS_COUNTED = 2.0**32 - 1


class _Scoring(Protocol):
    """The rows of a table on a device."""

    def score(
        self, targets: Sequence[Target], weights: NDArray[np.float64] | None, report: Report
    ) -> None:
        """Score all sets of the given walks, on rows with the given weights."""
        ...


class GpuScoring(Threads):
    """Scores families on a device, and does everything else in the threads of this process."""

    def __init__(self, device: KernelDevice) -> None:
        self._device = device

    def __repr__(self) -> str:
        """Show the device."""
        return f"GpuScoring({self._device.name!r})"

    def score(self, job: ScoringJob, run: Stage, path: Path | None = None) -> _core.FamilyTable:
        """Return the scores of families; they are not saved in a file, as scoring takes seconds."""
        assert isinstance(job, FamilyScoring)
        assert isinstance(job.data, Data)
        run.deadline.check()
        needed = _needed_bytes(job)
        refuse_beyond_device(self._device, needed, "scoring", "fewer rows, or processors")
        table = job.families.table()
        if isinstance(job.score, BDeu):
            self._fill_discrete(job, table, run)
        else:
            # One elimination gives both determinants of a family, so that sets are not tabulated.
            groups = _groups(job.data, job.families, table, range(len(table)))
            _score(self._gaussian(job), job.data, groups, run)
        return table

    def _gaussian(self, job: FamilyScoring) -> GaussianScoring:
        assert isinstance(job.score, BGe)
        assert isinstance(job.data, Data)
        values, prior = job.data.continuous_values("BGe"), job.score.normal_wishart(job.data)
        return GaussianScoring(self._device, job.data.variables, values, prior)

    def _fill_discrete(self, job: FamilyScoring, table: _core.FamilyTable, run: Stage) -> None:
        score, data, plan = job.score, job.data, job.plan
        assert isinstance(score, BDeu)
        assert isinstance(data, Data)
        assert isinstance(plan, _core.SetPlan)
        levels = [int(each) for each in data.level_counts()]
        size = float(score.equivalent_sample_size)
        codes = data.discrete_codes("BDeu")
        scoring = DiscreteScoring(self._device, codes, levels, size)
        groups = _groups(data, job.families, table, plan.alone)
        if not plan.largest_set:
            return _score(scoring, data, groups, run)
        sets = SetWalk(None, tuple(range(len(table))), plan.largest_set)
        set_scores = np.empty(len(sets))
        groups[None] = [(sets, set_scores), *groups.get(None, [])]
        _score(scoring, data, groups, run)
        plan.take_differences(set_scores, table, run.threads)


Groups = dict[int | None, list[Target]]
"""Targets by the node whose interventions are excluded; None if no rows are excluded."""


def _groups(
    data: Data, families: Families, table: _core.FamilyTable, alone: Sequence[int]
) -> Groups:
    """Return the separately scored families of all nodes, grouped by the rows they use."""
    groups: Groups = {}
    own = set(alone)
    for node in range(len(table)):
        inside, plus_one = walks_of_node(families, node)
        values = table.values(node)
        found = [(inside, values[: len(inside)])] if node in own else []
        if plus_one is not None:
            found.append((plus_one, values[len(inside) :]))
        if found:
            group = node if data.intervened is not None and data.intervened[:, node].any() else None
            groups.setdefault(group, []).extend(found)
    return groups


def _score(scoring: _Scoring, data: Data, groups: Groups, run: Stage) -> None:
    report = _reporter(run, sum(len(walk) for each in groups.values() for walk, _ in each))
    for node, targets in groups.items():
        weights = data.weights
        if node is not None:
            assert data.intervened is not None
            counted = ~data.intervened[:, node]
            weights = counted.astype(np.float64) if weights is None else weights * counted
        scoring.score(targets, weights, report)


def _reporter(run: Stage, total: int) -> Report:
    done = 0

    def report(count: int) -> None:
        nonlocal done
        done += count
        if run.progress is not None:
            run.progress(done / total)

    return report


def _walks(families: Families) -> list[SetWalk]:
    both = (walks_of_node(families, node) for node in range(len(families.variables)))
    return [walk for each in both for walk in each if walk is not None]


def _needed_bytes(job: FamilyScoring) -> int:
    assert isinstance(job.data, Data)
    variables, rows = len(job.data.variables), job.data.rows
    if isinstance(job.score, BGe):
        return gaussian_bytes(variables, rows, job.families.total)
    levels = [int(each) for each in job.data.level_counts()]
    cells = max(walk.most_cells(levels) for walk in _walks(job.families))
    return discrete_bytes(variables, rows, cells)


def _refusal(question: Question, engine: Any) -> str | None:
    """Return None, or the end of a sentence on why families cannot be scored on a device."""
    if engine is not None and type(engine) is not Threads:
        return "an engine was given as well; give one of them"
    if question.precomputed is not None:
        return "the scores are precomputed; leave it out"
    data, score = question.table, question.score
    # A derived class may compute something else.
    if type(score) not in (BDeu, BGe) or data is None:
        name = type(score).__name__
        return f"{name} cannot be computed there; use BDeu or BGe, or leave it out"
    walks = _walks(question.families)
    if not isinstance(score, BDeu):
        return gaussian_refusal(walks)
    weights = data.weights
    if weights is not None and not (weights == np.floor(weights)).all():
        return (
            "rows have weights that are not whole numbers, which cannot be counted there; leave "
            "it out"
        )
    if (data.rows if weights is None else weights.sum()) > _MOST_ROWS_COUNTED:
        return f"more than {_MOST_ROWS_COUNTED:,.0f} rows cannot be counted there; leave it out"
    data.discrete_codes("BDeu")  # refuses continuous columns first
    levels = [int(each) for each in data.level_counts()]
    return discrete_refusal(walks, levels, float(score.equivalent_sample_size))


def _worthwhile(question: Question) -> bool:
    data = question.table
    if data is None:
        return False
    if isinstance(question.score, BGe):
        return data.rows * len(data.variables) ** 2 >= _FEWEST_PRODUCTS
    return data.rows * scoring_work(question) >= _FEWEST_ROWS_COUNTED


def engine_on_device(question: Question, device: object, engine: Any) -> Any:
    """Return the engine that scores the families: the given one, or that of a device."""
    refused = _refusal(question, engine)
    worthwhile = refused is None and _worthwhile(question)
    found = chosen_device(
        device,
        refusal=refused,
        worthwhile=worthwhile,
        needed=_needed_bytes(question.scoring) if worthwhile else 0,
    )
    return engine if found is None else GpuScoring(found)
