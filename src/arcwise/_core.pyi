"""The C++ core of arcwise; not public, use the package instead."""

from collections.abc import Mapping, Sequence
import enum
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


version: str = '0.1.0'

def scaled_exp(out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], logs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float) -> None: ...

def add_logarithms(out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class FamilyTable:
    def __init__(self, candidates: Sequence[Sequence[int]], required: Sequence[Sequence[int]], max_free: Sequence[int], outside: Sequence[Sequence[int]] = [], with_values: bool = True) -> None: ...

    @staticmethod
    def from_lists(candidates: Sequence[Sequence[int]], members: Sequence[Sequence[Sequence[int]]], values: Sequence[Sequence[float]], required: Sequence[Sequence[int]] = []) -> FamilyTable: ...

    def __len__(self) -> int: ...

    def count(self, node: int) -> int: ...

    def candidates(self, node: int) -> list[int]: ...

    def required(self, node: int) -> list[int]: ...

    def listed(self, node: int) -> bool: ...

    def max_free(self, node: int) -> int: ...

    def outside(self, node: int) -> list[int]: ...

    def values(self, node: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def parent_sets(self, node: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]]: ...

    def find(self, node: int, parents: Sequence[int]) -> int: ...

    def copy(self) -> FamilyTable: ...

    def add_prior(self, constant: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], edge: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def restricted(self, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], required: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_indegree: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> FamilyTable: ...

class PlusOneTable:
    def __init__(self, candidates: Sequence[Sequence[int]], required: Sequence[Sequence[int]], outside: Sequence[Sequence[int]], max_free: Sequence[int]) -> None: ...

    def __len__(self) -> int: ...

    def count(self, node: int) -> int: ...

    def values(self, node: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def parent_sets(self, node: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]]: ...

class FoldedFamilies:
    def __init__(self, table: FamilyTable, parent_only: Sequence[int], threads: int, progress: object | None) -> None: ...

    @property
    def sums(self) -> FamilyTable: ...

    @property
    def maxima(self) -> FamilyTable: ...

    def draw(self, dags: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], seed: int, first: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None))]:
        """
        DAGs over all nodes from DAGs over the ordinary ones; the parent-only parents are drawn, by the seed and the number of the DAG.
        """

    def best(self, dags: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None))]:
        """The same with the parent-only parents of largest weight."""

    def shares(self, dags: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        The probabilities of edges from parent-only nodes, given a DAG of the ordinary ones.
        """

    def probabilities(self, weights: FamilyTable, of_folded: FamilyTable) -> tuple[FamilyTable, Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
        """
        The probabilities of all families and of edges, from those of the folded families.
        """

class PseudoCounts(enum.Enum):
    none = 0

    uniform = 1

    marginals = 2

    joint = 3

class FamilyScore:
    @overload
    def score(self, table: FamilyTable, threads: int, progress: object | None) -> None: ...

    @overload
    def score(self, table: PlusOneTable, threads: int, progress: object | None) -> None: ...

    def plan(self, table: FamilyTable) -> ScoringPlan: ...

class ScoringPlan:
    def __len__(self) -> int: ...

    def values(self, first: int, count: int) -> int: ...

    @property
    def work(self) -> int: ...

    def score(self, first: int, count: int, threads: int, progress: object | None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def put(self, first: int, count: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: FamilyTable) -> None: ...

    def finish(self, table: FamilyTable, threads: int) -> None: ...

class SetPlan(ScoringPlan):
    @property
    def alone(self) -> list[int]: ...

    @property
    def largest_set(self) -> int: ...

    def take_differences(self, set_values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: FamilyTable, threads: int) -> None: ...

def discrete_score(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], level_counts: Sequence[int], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, intervened: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)] | None, pseudo_counts: PseudoCounts, equivalent_sample_size: float, marginals: Sequence[Sequence[float]], imaginary_codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)] | None, imaginary_probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> FamilyScore: ...

def bge_score(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], names: Sequence[str], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, intervened: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)] | None, alpha_mu: float, alpha_w: float, prior_mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], prior_scale: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> FamilyScore: ...

def block_score(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], names: Sequence[str], starts: Sequence[int], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, intervened: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)] | None, alpha_mu: float, alpha_w: float, prior_mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], prior_scale: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> FamilyScore: ...

def gaussian_bic_score(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], names: Sequence[str], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, intervened: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)] | None) -> FamilyScore: ...

def conditional_gaussian_score(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], level_counts: Sequence[int], log_deviations: Sequence[float], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, intervened: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)] | None, equivalent_sample_size: float, alpha_mu: float, degrees: float, scale: float) -> FamilyScore: ...

def called_score(function: object, intervened: Sequence[bool]) -> FamilyScore: ...

class ScoreSums:
    def __init__(self, table: FamilyTable, methods: Sequence[str], tolerance: float, tabulated: str, threads: int, progress: object | None, folded: FoldedFamilies | None = None) -> None: ...

    def write(self, path: str) -> None: ...

    @staticmethod
    def map(path: str, start: int) -> ScoreSums: ...

    def log_sum(self, node: int, allowed: Sequence[int], required: Sequence[int] | None) -> float: ...

    def max(self, node: int, allowed: Sequence[int]) -> float: ...

    def best(self, node: int, allowed: Sequence[int], required: Sequence[int] | None) -> tuple[float, list[int] | None]: ...

    def log_totals_by_node(self, particles: int, redraws: int, populations: int, seed: int, threads: int, progress: object | None) -> list[float]:
        """
        ln of unbiased estimates of the total weight of all DAGs, one of each population.
        """

    def draw(self, node: int, allowed: Sequence[int], required: Sequence[int] | None, count: int, seed: int, stream: int) -> list[list[int]]: ...

def write_jkl(path: str, names: Sequence[str], table: FamilyTable) -> None: ...

def read_jkl(path: str) -> tuple[list[str], FamilyTable]: ...

LINEAR_EXTENSIONS_BUDGET: int = 2000000

def log_linear_extensions(parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], budget: int, threads: int, progress: object | None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """ln of the number of linear extensions of each DAG."""

def linear_extensions_modulo(parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], budget: int, primes: Sequence[int]) -> list[int]:
    """The number of linear extensions of the first DAG modulo each prime."""

def estimate_linear_extensions(parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], sets: int, runs: int, exact_sets: int, exact_nodes: int, seed: int, threads: int, progress: object | None) -> tuple[float, float]:
    """
    ln of an unbiased estimate for the first DAG, and its relative standard error.
    """

def log_estimates_of_linear_extensions(parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], sets: int, runs: int, exact_sets: int, exact_nodes: int, seed: int, threads: int, progress: object | None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """ln of independent unbiased estimates for each DAG, as [DAG, estimate]."""

def find_faulty_dag(parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], threads: int) -> tuple[int, int, str] | None:
    """
    The first of the graphs that is no DAG, one of its nodes, and what is wrong: a parent beyond the nodes, a loop or a cycle; None if all are DAGs.
    """

def relation_sums(parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], relation: str, longest: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, offsets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))]:
    """The summed weights of the DAGs that relate u to v, as [group, u, v]."""

def relation_values(parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], relation: str, longest: int, pairs: Sequence[tuple[int, int]], threads: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
    """1 for each DAG and pair (u, v) where the DAG relates u to v."""

def relation_rows(parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], relation: str, longest: int, threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None))]:
    """The nodes related to each node of each DAG, packed as the parents are."""

def edge_counts(parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """The number of edges of each DAG."""

def distinct_patterns(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Where each different row first appears, and the number of each row among them.
    """

class Processors:
    """The cores of this machine, as a device."""

    def __init__(self, threads: int) -> None: ...

    @property
    def threads(self) -> int: ...

def exact_cost(nodes: int, families: int, order_modular: bool, threads: int) -> tuple[int, int, int]:
    """Bytes without and with paths, and operations."""

class ExactComputation:
    def __init__(self, weights: FamilyTable, order_modular: bool, tolerance: float) -> None: ...

    def log_weight(self, device: Processors, progress: object | None) -> float: ...

    def posterior(self, device: Processors, progress: object | None) -> tuple[float, FamilyTable, Annotated[NDArray[numpy.float64], dict(shape=(None, None))], float]:
        """
        The log of the summed weights, the probabilities of families and of edges, and the error of these.
        """

    def paths(self, device: Processors, progress: object | None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], float]:
        """
        The probabilities [u, v] that a directed path leads from u to v, with 1 on the diagonal, and their error.
        """

    def paths_from(self, with_source: FamilyTable, source: int, device: Processors, progress: object | None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float]:
        """
        The probabilities that a directed path leads from a parent-only node to each other one, and their error; of weights in which it is not folded.
        """

    def best_dag(self, device: Processors, progress: object | None) -> tuple[float, list[int]]: ...

    def prepare_draws(self, device: Processors, progress: object | None) -> None: ...

    def draw(self, seed: int, first: int, count: int, device: Processors, progress: object | None) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None, None))], Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]]:
        """
        Orders, of which there are none under the modular target, and parents as bits.
        """

class Space:
    @property
    def log_size(self) -> float: ...

    def slowest_edge(self, order_steps: int) -> float:
        """
        About how many steps the slowest edge takes to change, by short chains; 0 if unknown.
        """

def space_moves(name: str, nodes: int) -> list[tuple[str, float]]:
    """
    The kinds of moves of a space, and how often each is tried unless asked otherwise.
    """

def space_numbers(name: str, sums: ScoreSums) -> dict[str, int]:
    """
    The numbers of a space that are best chosen by the model, and what they are then.
    """

def build_space(name: str, sums: ScoreSums, moves: Mapping[str, float], numbers: Mapping[str, int], orders: Mapping[str, Sequence[int]]) -> Space:
    """
    A space on the score sums of a model; without moves it has its own shares of them.
    """

class GivenBuckets:
    def __init__(self, sums: ScoreSums, buckets: Sequence[Sequence[int]], progress: object | None) -> None: ...

    @property
    def log_weight(self) -> float: ...

    def edge_probabilities(self, progress: object | None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def draw(self, count: int, seed: int, progress: object | None) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None))]: ...

class GivenPartialOrder:
    def __init__(self, sums: ScoreSums, predecessors: Sequence[int], node_at: Sequence[int], progress: object | None) -> None: ...

    @property
    def log_weight(self) -> float: ...

    def edge_probabilities(self, progress: object | None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def draw(self, count: int, seed: int, progress: object | None) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None))]: ...

class RecordOptions:
    def __init__(self) -> None: ...

    @property
    def dags_per_state(self) -> int: ...

    @dags_per_state.setter
    def dags_per_state(self, arg: int, /) -> None: ...

    @property
    def dag_time_share(self) -> float: ...

    @dag_time_share.setter
    def dag_time_share(self, arg: float, /) -> None: ...

    @property
    def count_extensions(self) -> bool: ...

    @count_extensions.setter
    def count_extensions(self, arg: bool, /) -> None: ...

    @property
    def extension_budget(self) -> int: ...

    @extension_budget.setter
    def extension_budget(self, arg: int, /) -> None: ...

    @property
    def estimate_extensions(self) -> bool: ...

    @estimate_extensions.setter
    def estimate_extensions(self, arg: bool, /) -> None: ...

    @property
    def edges(self) -> bool: ...

    @edges.setter
    def edges(self, arg: bool, /) -> None: ...

    @property
    def edge_batches(self) -> int: ...

    @edge_batches.setter
    def edge_batches(self, arg: int, /) -> None: ...

class ChainOptions:
    def __init__(self) -> None: ...

    @property
    def path(self) -> list[tuple[float, float]]: ...

    @path.setter
    def path(self, arg: Sequence[float | tuple[float, float]], /) -> None: ...

    @property
    def steps_between_exchanges(self) -> int: ...

    @steps_between_exchanges.setter
    def steps_between_exchanges(self, arg: int, /) -> None: ...

    @property
    def adapt(self) -> bool: ...

    @adapt.setter
    def adapt(self, arg: bool, /) -> None: ...

    @property
    def most_temperatures(self) -> int: ...

    @most_temperatures.setter
    def most_temperatures(self, arg: int, /) -> None: ...

    @property
    def order_steps(self) -> int: ...

    @order_steps.setter
    def order_steps(self, arg: int, /) -> None: ...

    @property
    def first_dag(self) -> list[int]: ...

    @first_dag.setter
    def first_dag(self, arg: Sequence[int], /) -> None: ...

    @property
    def record(self) -> RecordOptions: ...

    @record.setter
    def record(self, arg: RecordOptions, /) -> None: ...

    @property
    def adapt_moves(self) -> bool: ...

    @adapt_moves.setter
    def adapt_moves(self, arg: bool, /) -> None: ...

class AnnealingOptions:
    def __init__(self) -> None: ...

    @property
    def path(self) -> list[tuple[float, float]]: ...

    @path.setter
    def path(self, arg: Sequence[float | tuple[float, float]], /) -> None: ...

    @property
    def stretch(self) -> int: ...

    @stretch.setter
    def stretch(self, arg: int, /) -> None: ...

    @property
    def thinning(self) -> int: ...

    @thinning.setter
    def thinning(self, arg: int, /) -> None: ...

    @property
    def record(self) -> RecordOptions: ...

    @record.setter
    def record(self, arg: RecordOptions, /) -> None: ...

    @property
    def population(self) -> int: ...

    @population.setter
    def population(self, arg: int, /) -> None: ...

    @property
    def steps_by_temperature(self) -> list[int]: ...

    @steps_by_temperature.setter
    def steps_by_temperature(self, arg: Sequence[int], /) -> None: ...

    @property
    def starts(self) -> list[list[int]]: ...

    @starts.setter
    def starts(self, arg: Sequence[Sequence[int]], /) -> None: ...

class Chains:
    def __init__(self, space: Space, options: ChainOptions, seed: int, first: int, count: int) -> None: ...

    def __len__(self) -> int: ...

    def set_thinning(self, thinning: int) -> None: ...

    def start(self, burn_in: int, threads: int, progress: object | None) -> None: ...

    def burn_in(self, steps: int, threads: int, progress: object | None) -> None: ...

    def sample(self, draws: int, threads: int, progress: object | None) -> None: ...

    def record(self, arg: int, /) -> dict[str, Any]: ...

    def shares(self, chain: int) -> dict[str, Any]:
        """How often kinds of moves are tried, where that was adapted."""

    def take_draws(self, chain: int) -> dict[str, Any]:
        """The record, whose draws are then no longer kept here."""

    def save_state(self) -> bytes:
        """All that the chains' further path depends on, to the last bit."""

    def restore_state(self, state: bytes) -> None:
        """Go on from what save_state of chains made alike returned."""

    def save_chain(self, chain: int) -> bytes:
        """What save_state of the chain alone would return."""

    def restore_chain(self, chain: int, state: bytes) -> None:
        """Put one chain where save_state of it alone says."""

    def moves(self, arg: int, /) -> dict[str, Any]: ...

    def path(self, arg: int, /) -> list[tuple[float, float]]:
        """
        The inverse temperatures, which may have been adapted, and places on the bridge.
        """

    def exchanges(self, arg: int, /) -> list[tuple[int, int]]: ...

    def round_trips(self, arg: int, /) -> int:
        """
        How often a state went from the hottest temperature to the coldest and back.
        """

    def ratios(self, arg: int, /) -> list[tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], int, int]]:
        """
        By pair of temperatures: the log sums of the batches, the count and the batch size.
        """

class AnnealedRuns:
    def __init__(self, space: Space, options: AnnealingOptions, seed: int) -> None: ...

    def __len__(self) -> int: ...

    def run(self, first: int, count: int, threads: int, progress: object | None) -> None: ...

    def save_runs(self, first: int) -> bytes:
        """The runs from a number on."""

    def restore_runs(self, runs: bytes) -> None:
        """Add what save_runs returned; the first of them must be the next."""

    def append_runs(self, runs: bytes) -> None:
        """Add what save_runs of others returned, made alike elsewhere."""

    def log_weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def record(self, arg: int, /) -> dict[str, Any]: ...

    def moves(self) -> dict[str, Any]: ...

def plan_population(space: Space, path: Sequence[float | tuple[float, float]], population: int, effective_share: float, correlation: float, steps_a_look: int, most_looks: int, seed: int, threads: int, progress: object | None) -> tuple[list[tuple[float, float]], list[int]]:
    """
    The temperatures, with their places on the bridge, and the steps at each, of a population.
    """

def adapted_path(path: Sequence[float | tuple[float, float]], refusal_rates: Sequence[float], most: int) -> list[tuple[float, float]]:
    """
    The path with its points where exchanges are all as easy, and with more of them, up to so many, if too many exchanges are refused.
    """

def edge_mixing(parents: Sequence[Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]], fewest_changes: int, most_lags: int, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))]]:
    """
    R-hat, effective sample sizes, changes and shares by chain of every edge.
    """

class PcSkeleton:
    def __init__(self) -> None: ...

    def joined(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]: ...

    def log_p(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    @property
    def conditioned(self) -> int: ...

    @property
    def complete(self) -> bool: ...

def pc_skeleton_discrete(found: PcSkeleton, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], level_counts: Sequence[int], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, possible: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], fixed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], alpha: float, max_conditioning: int, most_work: float, threads: int, progress: object | None) -> None: ...

def pc_skeleton_continuous(found: PcSkeleton, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], names: Sequence[str], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, possible: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], fixed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], alpha: float, max_conditioning: int, most_work: float, threads: int, progress: object | None) -> None: ...

def pc_skeleton_blocks(found: PcSkeleton, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F', device='cpu', writable=False)], names: Sequence[str], starts: Sequence[int], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, possible: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], fixed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], alpha: float, max_conditioning: int, most_work: float, threads: int, progress: object | None) -> None: ...

class OrderSearch:
    def __init__(self, sums: ScoreSums, patience: int, seed: int, starts: Sequence[Sequence[int]]) -> None: ...

    def __len__(self) -> int: ...

    def run(self, first: int, count: int, threads: int, progress: object | None) -> None: ...

    def log_weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def finished(self) -> list[bool]: ...

    def order(self, restart: int) -> list[int]: ...

class CollapsedChain:
    def __init__(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], levels: Sequence[int], laws: Sequence[Sequence[float]], intervened: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, families: Sequence[tuple[int, Sequence[int], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]], seed: int, most_completions: int) -> None: ...

    def sweep(self) -> None: ...

    def move(self, proposed: Sequence[tuple[int, Sequence[int], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]], log_ratio: float, steps: int) -> bool: ...

    def codes(self) -> Annotated[NDArray[numpy.uint16], dict(shape=(None, None))]: ...
