"""How well networks are recovered from tables: by default, with missing values, and in time."""

from __future__ import annotations

import math
import random
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from cases import case
from measuring import Table, figure, heading, line, timed
from numpy.typing import NDArray
from references import pc_cpdag
from sweeps import Row, Sweep, grouped, mean
from tables import (
    Array,
    Foreign,
    Matrix,
    Values,
    asia_in_time,
    foreign_table,
    foreign_tables,
    random_process,
    rows_of_process,
    table_for_missing,
    with_gaps,
)

import arcwise
from arcwise import Dag, Model, Posterior
from arcwise.data import Data
from arcwise.errors import ArcwiseError, ArcwiseWarning
from arcwise.graphs import Cpdag, GraphComparison
from arcwise.model import ScoreSums
from arcwise.model.model import Modularity
from arcwise.networks import gaussian_network, random_dag
from arcwise.priors import EdgePenalty, Sparse
from arcwise.results import TimeSeries

Figure = Annotated[Path | None, "an .svg file for the figure"]

# --- The defaults of learn ------------------------------------------------------------------------

LAW = "law"  # the posterior under the law that tables are drawn from
PRIORS: dict[str, dict[str, Any]] = {
    "default": {},
    "fair": {"prior": "fair"},
    "uniform": {"prior": "uniform"},
}
RIVALS = ("boss", "grasp")
THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
HALF = THRESHOLDS.index(0.5)
BOUNDS = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)  # ranges of predicted probability

Kind = Literal["noise", "random", "benchpress", "network"]


@case
def defaults(
    sweep: Sweep,
    kinds: Sequence[Kind] = ("noise", "random", "benchpress"),
    methods: Annotated[Sequence[str], "priors, or law"] = ("default", "fair", "uniform"),
    rivals: Annotated[bool, "BOSS and GRaSP as well"] = False,
    seeds: int = 3,
    seconds: Annotated[float | None, "time limit of each run of learn"] = None,
    networks: Annotated[Path | None, "a wheel of pgmpy with .bif.gz files"] = None,
    figure: Annotated[Path | None, "an .svg file for the reliability diagrams"] = None,
    curves: Annotated[Path | None, "an .svg file for true and false positives"] = None,
) -> None:
    """Whether the probabilities of edges that `learn` gives by default are calibrated.

    Tables whose parameters are not drawn from any prior of arcwise: noise, in which there are no
    edges; random networks of 12 variables; those of the Benchpress studies, 80 variables and 320
    rows; and published networks. For each, what `learn` does by default and with the fair and the
    uniform prior: expected adjacencies and true ones, log loss, true and false positives of the
    median graph and of the best DAG, and the observed frequency of adjacencies by predicted
    probability. `law` is the posterior under the law that binary Benchpress tables are drawn from.
    `--rivals` runs BOSS and GRaSP of causal-learn, if that is installed, on the Benchpress tables.
    """
    jobs = [
        (*table, method, seconds)
        for table in foreign_tables(kinds, seeds)
        for method in (*methods, *(RIVALS if rivals else ()))
        if method in PRIORS
        or (table.kind == "benchpress" and (method != LAW or table.name == "binary"))
    ]
    random.Random(0).shuffle(jobs)
    rows = sweep.rows(partial(_learned_by_default, networks), jobs)
    print(f"{len(rows)} of {len(rows) if sweep.report else len(jobs)} runs")
    by_kind = grouped(rows, "kind")
    _report_noise(by_kind.get("noise", []))
    for kind in ("random", "network"):
        _report_log_loss(kind, by_kind.get(kind, []))
    studies = by_kind.get("benchpress", [])
    _report_benchpress(studies)
    _report_beside_rivals(studies)
    predicted = [row for row in rows if row["reliability"] is not None and row["kind"] != "noise"]
    _report_reliability(predicted)
    if figure is not None and predicted:
        _draw_reliability(predicted, figure)
    if curves is not None and studies:
        _draw_curves(studies, curves)


def _learned_by_default(
    networks: Path | None, kind: str, name: str, variables: int, degree: float, size: int,
    seed: int, method: str, seconds: float | None,
) -> Row:  # fmt: skip
    case = Foreign(kind, name, variables, degree, size, seed)
    columns, dag = foreign_table(case, networks)
    above = np.triu_indices(len(dag), 1)
    truth = _joined(dag)
    row = {**case._asdict(), "method": method, "true": truth.sum()}
    if method in RIVALS:
        return row | _by_rival(method, columns, truth, case)
    warnings.simplefilter("ignore")
    options = _law_of_tables(columns, case) if method == LAW else PRIORS[method]
    learn: Callable[..., Posterior] = arcwise.learn
    common = {"seconds": seconds, "seed": seed, "threads": 1, "progress": None}
    taken, found = timed(partial(learn, columns, **common, **options))
    predicted = np.clip((found.edges + found.edges.T)[above], 0.0, 1.0)
    inside = np.clip(predicted, 1e-6, 1 - 1e-6)
    best = found.map_dag
    assert found.account is not None
    return row | {
        "seconds": round(taken, 2), "verdict": found.account.verdict,
        "score": found.account.chosen.score, "prior": found.account.chosen.prior,
        "expected": predicted.sum(),
        "log_loss": -np.where(truth, np.log(inside), np.log(1 - inside)).sum(),
        "positives": _positives(predicted, truth),
        "best": None if best is None else _positives(_joined(best.matrix()), truth),
        "reliability": _reliability(predicted, truth),
    }  # fmt: skip


def _joined(matrix: Matrix) -> Matrix:
    """Return for each pair whether it is adjacent."""
    joined: Matrix = (matrix | matrix.T)[np.triu_indices(len(matrix), 1)]
    return joined


def _positives(predicted: Values, truth: Matrix) -> list[list[float]] | None:
    """Return true and false positives over the number of true ones, at each threshold."""
    if not truth.any():
        return None
    levels = (0.5,) if predicted.dtype == np.bool_ else THRESHOLDS
    chosen = [predicted.astype(np.float64) > level for level in levels]
    return [
        [round((each & those).sum() / truth.sum(), 4) for those in (truth, ~truth)]
        for each in chosen
    ]


def _reliability(predicted: Array, truth: Matrix) -> list[list[float]]:
    """Return for each range of predictions their sum, how many are true, and how many there are."""
    places = np.digitize(predicted, BOUNDS)
    ranges = [places == each for each in range(len(BOUNDS) + 1)]
    return [[float(f"{predicted[r].sum():.5g}"), truth[r].sum(), r.sum()] for r in ranges]


def _law_of_tables(columns: dict[str, Values], case: Foreign) -> dict[str, Any]:
    """Return the score and prior by which binary tables of a random network are drawn.

    Every probability is uniform between 0.1 and 0.9, independently of the others; each edge of an
    order is present with the same probability, up to five of a node. The posterior under this law
    is what no method can beat on average. (The prior here keeps to five by leaving larger sets out,
    where tables are drawn by removing edges: for about three of 200 nodes.)
    """
    values = np.stack(list(columns.values()), axis=1).astype(np.int64)
    place = {name: number for number, name in enumerate(columns)}
    counts = np.arange(case.rows + 1)
    log_integrals = _log_integral(*np.meshgrid(counts, counts, indexing="ij"))

    def log_score(node: str, parents: Sequence[str]) -> float:
        codes = values[:, place[node]].copy()
        for number, parent in enumerate(parents, 1):
            codes += values[:, place[parent]] << number
        cells = np.bincount(codes, minlength=2 << len(parents))
        return float(log_integrals[cells[0::2], cells[1::2]].sum())

    share = case.degree / (case.variables - 1)
    prior = Sparse(share / (1.0 - share) * (len(place) - 1))
    order_modular = {"modularity": "order-modular", "max_indegree": 5}
    return {"score": log_score, "prior": prior, **order_modular}


def _log_integral(zeros: NDArray[np.int64], ones: NDArray[np.int64]) -> Array:
    """Return the log probability of these zeros and ones if theirs is uniform in 0.1 to 0.9."""
    from scipy.special import betainc, betaincc, betaln

    a, b = ones + 1.0, zeros + 1.0
    # From the end where most of the distribution lies, so that no digits cancel.
    share = np.where(
        a < b, betaincc(a, b, 0.1) - betaincc(a, b, 0.9), betainc(a, b, 0.9) - betainc(a, b, 0.1)
    )
    log: Array = betaln(a, b) + np.log(share) - np.log(0.8)
    return log


def _by_rival(method: str, columns: dict[str, Values], truth: Matrix, case: Foreign) -> Row:
    """Return how a search of causal-learn does, with its score for such data."""
    from causallearn.search.PermutationBased.BOSS import boss
    from causallearn.search.PermutationBased.GRaSP import grasp

    values = np.stack(list(columns.values()), axis=1).astype(np.float64)
    score = "local_score_BDeu" if case.name == "binary" else "local_score_BIC_from_cov"
    search = {"boss": boss, "grasp": grasp}[method]
    taken, found = timed(partial(search, values, score_func=score, verbose=False))
    chosen = _joined(found.graph != 0)
    return {
        "seconds": round(taken, 2), "verdict": "", "score": score, "prior": "",
        "expected": chosen.sum(), "log_loss": None, "positives": None,
        "best": _positives(chosen, truth), "reliability": None,
    }  # fmt: skip


def _report_noise(rows: list[Row]) -> None:
    if not rows:
        return
    print("\nNoise: expected edges for each variable, mean and largest\n")
    methods = sorted(grouped(rows, "method"))
    table = Table("kind", "rows", *methods)
    for row in rows:
        row["for_each"] = row["expected"] / row["variables"]
    for (name, size), own in sorted(grouped(rows, "name", "rows").items()):
        each = {key: [row["for_each"] for row in of] for key, of in grouped(own, "method").items()}
        cells = (
            f"{np.mean(each[m]):.3f}, {max(each[m]):.3f}" if m in each else "" for m in methods
        )
        table.row(name, size, *cells)
    worst = sorted(rows, key=lambda row: -row["for_each"])
    for row in [row for row in worst if row["method"] == "default"][:5]:
        print(
            f"  worst: {row['name']}, {row['rows']} rows x {row['variables']}, seed {row['seed']}: "
            f"{row['for_each']:.3f} ({row['score']}, {row['prior']}, {row['verdict']})"
        )


def _report_log_loss(kind: str, rows: list[Row]) -> None:
    if not rows:
        return
    print(f"\n{kind}: true adjacencies, then expected ones and the mean log loss by method\n")
    methods = sorted(grouped(rows, "method"))
    table = Table("table", "rows", "true", *methods)
    for (name, degree, size), own in sorted(grouped(rows, "name", "degree", "rows").items()):
        by_method = grouped(own, "method")
        cells = (
            f"{mean(by_method[each], 'expected'):.1f}, {mean(by_method[each], 'log_loss'):.1f}"
            if each in by_method
            else ""
            for each in methods
        )
        label = f"{name}, degree {degree:g}" if degree else name
        table.row(label, size, f"{mean(own, 'true'):.1f}", *cells)
    for method, own in sorted(grouped(rows, "method").items()):
        print(f"  {method}: mean log loss {mean(own, 'log_loss'):.2f} over {len(own)} tables")


def _medians(rows: list[Row], name: str) -> list[str]:
    """Return the medians of true and of false positives at each threshold."""
    pairs = [row[name] for row in rows if row[name] is not None]
    medians = np.median(pairs, axis=0) if pairs else []
    return [f"{true:.3f} at {false:.3f}" for true, false in medians]


def _report_benchpress(rows: list[Row]) -> None:
    if not rows:
        return
    print("\nBenchpress: medians of true and false positives over positives, and seconds\n")
    heads = ("data", "method", "sets", "best DAG", "median graph", "curve", "seconds")
    table = Table(*heads, align="llrlllr")
    for (name, method), own in sorted(grouped(rows, "name", "method").items()):
        best, curve = _medians(own, "best"), _medians(own, "positives")
        shown = " ".join(curve[THRESHOLDS.index(x)] for x in (0.1, 0.3, 0.7, 0.9)) if curve else ""
        seconds = f"{np.median([row['seconds'] for row in own]):.1f}"
        graphs = best[0] if best else "", curve[HALF] if curve else ""
        table.row(name, method, len(own), *graphs, shown, seconds)


def _report_beside_rivals(rows: list[Row]) -> None:
    """Print on how many sets ours has at least as many true ones and no more false ones."""
    ours = {(row["name"], row["seed"]): row for row in rows if row["method"] == "default"}
    rivals = [
        row for row in rows if row["positives"] is None and (row["name"], row["seed"]) in ours
    ]
    if not rivals:
        return
    print("\nNumber of sets with at least as many true and no more false ones than a rival\n")
    table = Table("data", "rival", "sets", "best DAG", "above 0.5", "at some threshold", align="ll")
    for (name, method), own in sorted(grouped(rivals, "name", "method").items()):
        wins = np.zeros(3, dtype=int)
        for rival in own:
            row = ours[name, rival["seed"]]
            ((true, false),) = rival["best"]
            curve = np.array(row["positives"])
            better = (curve[:, 0] >= true) & (curve[:, 1] <= false)
            ((best_true, best_false),) = row["best"]
            wins += (best_true >= true and best_false <= false, better[HALF], better.any())
        table.row(name, method, len(own), *wins)


def _totals(rows: list[Row]) -> Array:
    """Return for each range the sum of predictions, the true ones and the number."""
    totals: Array = np.sum([row["reliability"] for row in rows], axis=0)
    return totals


def _report_reliability(rows: list[Row]) -> None:
    if not rows:
        return
    print("\nMean predicted probability: observed frequency (number of pairs)\n")
    ranges = [f"{a:g} to {b:g}" for a, b in pairwise((0.0, *BOUNDS, 1.0))]
    table = Table("tables", "method", *ranges, align="ll" + "l" * len(ranges))
    for (kind, name, method), own in sorted(grouped(rows, "kind", "name", "method").items()):
        cells = (
            f"{predicted / count:.3f}: {true / count:.3f} ({count:.0f})" if count else ""
            for predicted, true, count in _totals(own)
        )
        table.row(f"{kind} {name}", method, *cells)


def _draw_reliability(rows: list[Row], path: Path) -> None:
    """Draw observed frequencies against predictions, a panel for each kind of table."""
    panels = grouped(rows, "kind", "name")
    wide = min(4, len(panels))
    high = math.ceil(len(panels) / wide)
    with figure(path, 2.4 * wide, 2.4 * high) as drawn:
        axes = np.atleast_1d(drawn.subplots(high, wide, sharex=True, sharey=True)).ravel()
        for ax, ((kind, name), own) in zip(axes, sorted(panels.items()), strict=False):
            ax.plot([0, 1], [0, 1], color="0.8", linewidth=1)
            for method, each in sorted(grouped(own, "method").items()):
                totals = _totals(each)
                predicted, true, count = totals[totals[:, 2] >= 10].T
                style = {"marker": "o", "markersize": 3, "linewidth": 1, "label": method}
                ax.plot(predicted / count, true / count, **style)
            ax.set_title(f"{kind}: {name}", fontsize=8)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        axes[0].legend(frameon=False, fontsize=7)
        drawn.supxlabel("mean predicted probability", fontsize=8)
        drawn.supylabel("observed frequency", fontsize=8)


def _draw_curves(rows: list[Row], path: Path) -> None:
    """Draw true against false positives along the thresholds, and the rivals' graphs as points."""
    panels = sorted(grouped(rows, "name").items())
    with figure(path, 3.2 * len(panels), 2.8) as drawn:
        axes = np.atleast_1d(drawn.subplots(1, len(panels)))
        for ax, (name, own) in zip(axes, panels, strict=True):
            methods = sorted(grouped(own, "method").items())
            for colour, (method, each) in zip(
                ("C1", "C0", "C2", "C3", "C4"), methods, strict=False
            ):
                curves = [row["positives"] for row in each if row["positives"] is not None]
                if curves:
                    true, false = np.median(curves, axis=0).T
                    ax.plot(false, true, colour, marker="o", markersize=3, label=method)
                else:
                    true, false = np.array([row["best"][0] for row in each]).T
                    ax.scatter(false, true, s=6, c=colour, alpha=0.5, label=method)
            ax.set_title(f"{name}, medians of learn, each graph of the rivals", fontsize=8)
            ax.set_xlim(-0.005, 0.12)
            ax.legend(frameon=False, fontsize=7, loc="lower right")
        drawn.supxlabel("false adjacencies over true ones", fontsize=8)
        drawn.supylabel("share of true adjacencies found", fontsize=8)


# --- Large Gaussian networks ----------------------------------------------------------------------

LEVELS = (
    0.1,
    0.2,
    0.3,
    0.4,
    0.5,
    0.6,
    0.7,
    0.8,
    0.9,
    0.95,
    0.99,
)  # thresholds of edge probabilities
SHOWN = (0.1, 0.3, 0.5, 0.7, 0.9, 0.99)  # in the table
ALPHAS = (0.01, 0.05, 0.1, 0.2)
PC_ALPHA = 0.05  # the one whose directions are compared
MODULARITY: dict[str, Modularity] = {"partitions": "modular", "linear": "order-modular"}
BURN_IN = 0.2
LEAST_PROBABLE = 0.05  # edges below it in both chains would make any two chains agree
MOST_DAGS = 1000  # of a chain whose equivalence classes are found
TRUE, FALSE = "true_positive_rate", "false_positive_rate"
FALSE_PER_EDGE, DISTANCE = "false_positives_per_edge", "structural_hamming_distance"
COLOURS = {"partitions": "#4c2a85", "linear": "#e07a1f", "pc": "#3a7d44", "map": "#c1121f"}
LINES = {20: "#9bc1e6", 40: "#5b96cf", 60: "#2f6aa8", 80: "#123f73"}

Result = dict[str, Any]


@case
def large_networks(
    sweep: Sweep,
    sizes: Annotated[Sequence[int], "numbers of variables"] = (20, 40, 60, 80),
    rows: Annotated[Sequence[int], "rows for each variable"] = (2, 10),
    repetitions: Annotated[int, "data sets of each size"] = 20,
    partitions: Annotated[Sequence[float], "steps / (n² ln n), rising"] = (1, 4, 16),
    linear: Annotated[Sequence[float], "steps / (n² ln n), rising"] = (1, 4, 16, 64),
    figures: Annotated[Path | None, "a folder for skeletons.svg and agreement.svg"] = None,
) -> None:
    """How well random Gaussian networks are recovered, and how soon chains agree about them.

    As in the appendix of Kuipers, Suter and Moffa (2022), "Efficient sampling and structure
    learning of Bayesian networks": random DAGs of expected degree 4, weights between 0.4 and 2,
    with 2 n and 10 n rows. Candidate parents grow from the skeleton of the PC algorithm, which
    gives the best DAG; then two chains in each space sample the posterior.
    """
    multiples = {"partitions": tuple(partitions), "linear": tuple(linear)}
    jobs = [
        (n, factor * n, repetition, multiples["partitions"], multiples["linear"])
        for repetition in range(repetitions)
        for n in sizes
        for factor in rows
    ]
    results = dict(sorted(grouped(sweep.rows(_recovered, jobs), "variables", "rows").items()))
    _report_networks(results)
    if figures is not None:
        _draw_networks(results, figures)


def found(comparison: GraphComparison) -> dict[str, float]:
    """Return what is compared of a graph: rates of the skeleton, distance of the class."""
    counts = comparison.skeleton
    return {
        TRUE: counts.true_positive_rate,
        FALSE: counts.false_positive_rate,
        FALSE_PER_EDGE: counts.false_positives_per_edge,
        DISTANCE: comparison.structural_hamming_distance,
    }


def agreement(first: Array, second: Array) -> float:
    """Return R², the squared correlation of edge probabilities, without edges rare in both."""
    common = np.maximum(first, second) > LEAST_PROBABLE
    return float(np.corrcoef(first[common], second[common])[0, 1] ** 2)


def majority_class(posteriors: list[Posterior]) -> Cpdag:
    """Return the edges of more than half of the DAGs, of the kind that most of their classes have.

    The kinds are directed one way, the other, or undirected. The graph need not be the class of any
    DAG.
    """
    n, count = len(posteriors[0].variables), 0
    one_way, both_ways = np.zeros((n, n)), np.zeros((n, n))
    for posterior in posteriors:
        dags = posterior.dags
        assert dags is not None
        for place in np.linspace(0, len(dags) - 1, min(MOST_DAGS, len(dags))).astype(int):
            matrix = arcwise.graphs.cpdag(dags[int(place)]).matrix()
            one_way += matrix & ~matrix.T
            both_ways += matrix & matrix.T
            count += 1
    joined = one_way + one_way.T + both_ways > count / 2
    directed = joined & (one_way > one_way.T) & (one_way > both_ways)
    return Cpdag.from_matrix(posteriors[0].variables, joined & ~directed.T)


def sampled(
    model: Model, sums: ScoreSums, space: str, multiple: float, last: bool
) -> tuple[list[Posterior], float]:
    """Return two chains from different starts, and the processor time of one of them."""
    n = len(model.variables)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArcwiseWarning)
        chains = [
            arcwise.mcmc(
                model, space, modularity=MODULARITY[space],
                steps=math.ceil(multiple * n**2 * math.log(n)),
                burn_in=BURN_IN, chains=1, dags_per_state=int(last), seed=seed, sums=sums,
                threads=1,
            )
            for seed in (1, 2)
        ]  # fmt: skip
    return chains, (time.process_time() - start) / 2


def _recovered(
    variables: int, size: int, repetition: int, partitions: list[float], linear: list[float]
) -> Result:
    """Return what is found of one data set, against the network that it is drawn from."""
    dag = random_dag(variables, expected_degree=4, seed=repetition)
    data = gaussian_network(dag, seed=repetition).sample(size, seed=repetition)
    truth = arcwise.graphs.cpdag(dag)
    warnings.simplefilter("ignore", ArcwiseWarning)
    grow = partial(arcwise.grow, data, "pc", seed=repetition, threads=1)
    growth_seconds, growth = timed(grow, time.process_time)
    assert growth.best is not None
    model, best = growth.model, growth.best
    sums = ScoreSums(model, threads=1)
    own = Model(data, candidates={name: dag.parents(name) for name in dag.variables}, threads=1)
    graphs = {"MAP": found(arcwise.compare(best.cpdag, truth))}
    spaces: Result = {}
    for space, multiples in (("partitions", partitions), ("linear", linear)):
        if multiples:
            of_space, compared = _recovered_by_chains(model, sums, truth, space, multiples)
            spaces[space] = of_space
            graphs |= compared
    for alpha in ALPHAS:
        graphs[f"PC, alpha {alpha}"] = found(arcwise.compare(_by_pc(data, alpha), truth))
    return {
        "variables": variables, "rows": size, "repetition": repetition,
        "edges": dag.number_of_edges, "growth_seconds": growth_seconds,
        "families": len(model.scores), "restarts_agree": best.agree,
        "log_weight_above_truth": best.log_weight - own.log_weight_of(dag),
        "graphs": graphs, "spaces": spaces,
    }  # fmt: skip


def _by_pc(data: Data, alpha: float) -> Cpdag:
    if alpha == PC_ALPHA:
        return pc_cpdag(data, alpha)
    skeleton = arcwise.candidates(data, "pc", alpha=alpha, threads=1).matrix()
    return Cpdag.from_matrix(data.variables, skeleton)


def _recovered_by_chains(
    model: Model, sums: ScoreSums, truth: Cpdag, space: str, multiples: list[float]
) -> tuple[Result, dict[str, dict[str, float]]]:
    """Return how two chains of each length agree, and what the longest say about the truth."""
    agreements, seconds = {}, 0.0
    chains: list[Posterior] = []
    for multiple in multiples:
        chains, seconds = sampled(model, sums, space, multiple, multiple == multiples[-1])
        agreements[f"{multiple:g}"] = agreement(chains[0].edges, chains[1].edges)
    edges = (chains[0].edges + chains[1].edges) / 2
    joined = edges + edges.T  # the two directions of an edge exclude each other
    graphs = {f"{space}, majority": found(arcwise.compare(majority_class(chains), truth))}
    for level in LEVELS:
        rates = found(arcwise.compare(Cpdag.from_matrix(model.variables, joined > level), truth))
        del rates[DISTANCE]  # skeletons have no directions
        graphs[f"{space} > {level}"] = rates
    ends = [np.mean(chain.traces.log_weights[0]) for chain in chains if chain.traces]
    return {
        "agreement": agreements, "seconds": seconds, "mean_log_weights": ends
    }, graphs  # fmt: skip


def _mean_and_error(rows: list[Row], graph: str, rate: str) -> tuple[float, float]:
    values = [row["graphs"][graph][rate] for row in rows]
    off = np.std(values, ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return float(np.mean(values)), float(off)


def _quartiles(rows: list[Row], space: str, multiple: str) -> tuple[float, float, float]:
    agreements = [row["spaces"][space]["agreement"][multiple] for row in rows]
    low, middle, high = np.quantile(agreements, [0.25, 0.5, 0.75])
    return float(low), float(middle), float(high)


def _report_networks(found: dict[Any, list[Row]]) -> None:
    first = next(iter(found.values()))[0]["spaces"]

    def rate(graph: str, key: str, digits: int) -> Callable[[list[Row]], str]:
        def cell(rows: list[Row]) -> str:
            value, off = _mean_and_error(rows, graph, key)
            return f"{value:.{digits}f} ± {off:.{digits}f}"

        return cell

    def agreement(space: str, multiple: str) -> Callable[[list[Row]], str]:
        def cell(rows: list[Row]) -> str:
            low, middle, _ = _quartiles(rows, space, multiple)
            return f"{middle:.3f} ({low:.3f})"

        return cell

    def seconds(space: str) -> Callable[[list[Row]], str]:
        return lambda rows: f"{mean([row['spaces'][space] for row in rows], 'seconds'):.2f}"

    best = ["MAP", f"PC, alpha {PC_ALPHA}"]
    skeletons = [*(f"{space} > {level}" for space in list(first)[:1] for level in SHOWN), *best]
    classes = [best[0], *(f"{space}, majority" for space in first), best[1]]
    tables: dict[str, dict[str, Callable[[list[Row]], str]]] = {
        "true positive rate": {graph: rate(graph, TRUE, 3) for graph in skeletons},
        "false positive rate": {graph: rate(graph, FALSE, 3) for graph in skeletons},
        "SHD of CPDAGs": {
            "data sets": lambda rows: str(len(rows)),
            "edges": lambda rows: f"{mean(rows, 'edges'):.0f}",
            **{graph: rate(graph, DISTANCE, 1) for graph in classes},
        },
        "median R² (lower quartile)": {
            f"{space}, {multiple}": agreement(space, multiple)
            for space, own in first.items()
            for multiple in own["agreement"]
        },
        "CPU seconds": {
            "growth and MAP": lambda rows: f"{mean(rows, 'growth_seconds'):.1f}",
            **{f"a chain of {space}": seconds(space) for space in first},
        },
    }
    for title, columns in tables.items():
        table = Table(title, *columns)
        for (n, size), rows in found.items():
            table.row(f"n = {n}, N = {size}", *(column(rows) for column in columns.values()))
        print()


def _draw_networks(found: dict[Any, list[Row]], folder: Path) -> None:
    """Draw the skeletons by size, and the agreement by space, a row of panels for each N / n."""
    sizes, factors = sorted({n for n, _ in found}), sorted({size // n for n, size in found})
    spaces = list(next(iter(found.values()))[0]["spaces"])
    high = 2.2 * len(factors) + 0.4
    with figure(folder / "skeletons.svg", 2.3 * len(sizes), high) as drawn:
        axes = drawn.subplots(len(factors), len(sizes), squeeze=False, sharex="row", sharey="row")
        for panel, (factor, n) in zip(axes.flat, product(factors, sizes), strict=True):
            panel.set_title(f"n = {n}, N = {factor * n}", fontsize=8)
            if (n, factor * n) in found:
                _draw_skeletons(panel, found[n, factor * n])
        _label(axes, "false positives / edges", "true positives / edges")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        drawn.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    with figure(folder / "agreement.svg", 3 * len(spaces), high) as drawn:
        axes = drawn.subplots(len(factors), len(spaces), squeeze=False, sharex=True, sharey=True)
        for panel, (factor, space) in zip(axes.flat, product(factors, spaces), strict=True):
            panel.set_title(f"{space}, N = {factor} n", fontsize=8)
            for n in [n for n in sizes if (n, factor * n) in found]:
                rows, colour = found[n, factor * n], LINES.get(n, "black")
                multiples = list(rows[0]["spaces"][space]["agreement"])
                quartiles = [_quartiles(rows, space, multiple) for multiple in multiples]
                low, middle, high = 1 - np.array(quartiles).T
                steps = [float(multiple) for multiple in multiples]
                panel.loglog(steps, middle, "o-", ms=2.5, lw=1, color=colour, label=f"n = {n}")
                panel.fill_between(steps, high, low, color=colour, alpha=0.15, lw=0)
            panel.grid(alpha=0.3, linewidth=0.5)
        _label(axes, "steps / (n² ln n)", "1 - R² of two chains")
        axes[0, 0].legend(frameon=False)


def _label(axes: Any, horizontal: str, vertical: str) -> None:
    for panel in axes[:, 0]:
        panel.set_ylabel(vertical)
    for panel in axes[-1]:
        panel.set_xlabel(horizontal)


def _draw_skeletons(panel: Any, rows: list[Row]) -> None:
    curves = {f"{s} > ": (COLOURS[s], f"posterior, {s}") for s in rows[0]["spaces"]}
    curves["PC, alpha "] = COLOURS["pc"], "PC skeleton"
    for prefix, (colour, label) in curves.items():
        graphs = [graph for graph in rows[0]["graphs"] if graph.startswith(prefix)]
        false, true = (
            np.array([_mean_and_error(rows, graph, rate) for graph in graphs])
            for rate in (FALSE_PER_EDGE, TRUE)
        )
        panel.errorbar(
            false[:, 0], true[:, 0], yerr=true[:, 1],
            marker="o", ms=2.5, lw=1, elinewidth=0.6, color=colour, label=label,
        )  # fmt: skip
    place = (_mean_and_error(rows, "MAP", rate)[0] for rate in (FALSE_PER_EDGE, TRUE))
    panel.plot(*place, "*", color=COLOURS["map"], ms=8, label="MAP")
    panel.set_xlim(left=0)
    panel.grid(alpha=0.3, linewidth=0.5)


# --- Missing values -------------------------------------------------------------------------------

BINS = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)
MISSING_METHODS = ("imputed", "dropped", "complete")

KindOfMissing = Literal["discrete", "gaussian", "mixed", "prior"]


@case
def missing(
    sweep: Sweep,
    tables: Annotated[int, "number of tables of each kind"] = 30,
    rows: int = 200,
    completions: Annotated[int | None, "that of learn by default"] = None,
    shares: Annotated[Sequence[float], "shares of missing values"] = (0.05, 0.2, 0.4),
    kinds: Sequence[KindOfMissing] = ("discrete", "gaussian", "mixed", "prior"),
    sizes: Annotated[Sequence[int], "numbers of variables"] = (5, 7, 10),
    seconds_each: Annotated[float | None, "time limit of imputing, none by default"] = None,
    threads: int | None = None,
) -> None:
    """How much is gained by imputing missing values, beside dropping rows, and what it costs.

    Tables are drawn from random networks, and values are removed at random. The edge probabilities
    of `learn` from what remains are compared with the network (log loss, and the observed frequency
    of adjacencies by predicted probability) and with those from the complete table, beside those
    from complete rows. Where networks are drawn from the prior that is then assumed (`prior`),
    probabilities must be calibrated whatever is missing: a deviation there is due to imputing, and
    a deviation elsewhere to the model.
    """
    jobs = [
        (kind, sizes[seed % len(sizes)], rows, seed, share, completions, seconds_each, threads)
        for seed in range(tables)
        for kind in kinds
        for share in shares
    ]
    found = grouped(sweep.rows(_with_missing, jobs), "kind", "share")
    for (kind, share), own in found.items():
        truth, *predictions = (
            np.concatenate([row[name] for row in own]) for name in ("truth", *MISSING_METHODS)
        )
        predicted = dict(zip(MISSING_METHODS, predictions, strict=True))
        heading(f"{kind}, {share:.0%} missing, {len(own)} tables, {len(truth)} pairs")
        for name, each in predicted.items():
            distance = np.abs(each - predicted["complete"]).mean()
            line(
                name,
                f"log loss {_log_loss(each, truth):.3f}, mean distance to the complete table "
                f"{distance:.3f}",
            )
        for low, high in pairwise(BINS):
            parts = []
            for name in ("imputed", "complete"):
                each = predicted[name]
                inside = (each >= low) & ((each < high) | (high == 1.0))
                if inside.any():
                    parts.append(
                        f"{name} {each[inside].mean():.2f}, observed {truth[inside].mean():.2f} "
                        f"of {int(inside.sum())}"
                    )
            if parts:
                line(f"predicted {low:g} to {high:g}", "; ".join(parts))
        reliable = sum(row["verdict"] == "reliable" for row in own)
        line(
            "imputing",
            f"median {np.median([row['seconds'] for row in own]):.1f} s of processor time, "
            f"{reliable} of {len(own)} called reliable, largest standard error "
            f"{max(row['error'] for row in own):.3f}",
        )


def _adjacency(edges: Array) -> Array:
    """Return the probability of an edge in either direction, of each pair."""
    return np.asarray(np.minimum(edges + edges.T, 1.0)[np.triu_indices(len(edges), 1)])


def _log_loss(predicted: Array, truth: Array) -> float:
    """Return the mean negative log probability of the truth; none counts as quite 0 or 1."""
    clipped = np.clip(predicted, 1e-3, 1.0 - 1e-3)
    return float(-np.mean(truth * np.log(clipped) + (1 - truth) * np.log(1 - clipped)))


def _with_missing(
    kind: str, n: int, size: int, seed: int, share: float, completions: int | None,
    seconds_each: float | None, threads: int | None,
) -> Row:  # fmt: skip
    """Return the probabilities of adjacency of one table with a share of missing values."""
    warnings.simplefilter("ignore", ArcwiseWarning)
    table = table_for_missing(kind, n, size, seed)
    options: dict[str, Any] = {"seed": seed, "progress": None, "threads": threads}
    options |= {"constant": "keep", "identifiers": "keep", **table.options}
    if all(each == "discrete" for each in table.data.kinds.values()):
        # Levels that happen to be among the missing values remain known.
        options["levels"] = {column.name: list(column.kind.levels) for column in table.data.columns}
    learned: Callable[..., Posterior] = partial(arcwise.learn, **options)
    complete = _adjacency(learned(table.data).edges)
    gappy = with_gaps(table.data, share, seed)
    impute = partial(learned, gappy, completions=completions, seconds=seconds_each)
    seconds, imputed = timed(impute, time.process_time)
    try:
        dropped = _adjacency(learned(gappy, missing="drop").edges)
    except ArcwiseError:  # hardly a row remains, so that next to nothing is known
        dropped = np.full(len(complete), float(np.mean(complete)))
    assert imputed.edge_errors is not None
    return {
        "kind": kind, "n": n, "seed": seed, "share": share,
        "truth": _adjacency(table.dag.matrix().astype(float)), "complete": complete,
        "imputed": _adjacency(imputed.edges), "dropped": dropped, "seconds": seconds,
        "error": np.nanmax(imputed.edge_errors), "verdict": str(imputed.diagnose().verdict),
    }  # fmt: skip


# --- Time series ----------------------------------------------------------------------------------

PROCESSES = ("gaussian", "binary")


@case
def time_series(
    sweep: Sweep,
    kinds: Sequence[Literal["gaussian", "binary"]] = ("gaussian", "binary"),
    sizes: Annotated[Sequence[int], "numbers of variables"] = (10, 20, 50),
    lengths: Annotated[Sequence[int], "numbers of times"] = (50, 500),
    methods: Sequence[Literal["time", "static"]] = ("time", "static"),
    seeds: int = 2,
    seconds: Annotated[float, "time limit of each run"] = 60.0,
) -> None:
    """How well the edges of time series are found, beside the static method on lagged columns.

    Simulated processes of n variables and T times: vector autoregressions with normal noise, and
    binary networks. Each variable depends on its own past, on that of one other variable on average
    and, one in two, on another in the same slice. `time` is `learn(time_series(table))`, for which
    lagged columns are parents only; `static` is `learn` on the same lagged columns as ordinary
    variables, with all edges into earlier slices forbidden: the same posterior, over twice as many
    variables. Pairs are all lagged edges and all pairs within the slice.
    """
    jobs = product(kinds, sizes, lengths, range(seeds), methods, (seconds,))
    rows = sweep.rows(_learned_in_time, jobs)
    heads = ("AUC", "precision", "recall", "expected / true", "log loss")
    table = Table("process", "method", "time", "algorithm", *heads, align="llrl")
    for (kind, n, length, method), own in grouped(rows, "kind", "n", "length", "method").items():
        how = ", ".join(sorted({f"{row['algorithm']} ({row['verdict']})" for row in own}))
        table.row(
            f"{kind}, n = {n}, T = {length}", method, f"{mean(own, 'seconds'):.1f} s", how,
            f"{mean(own, 'auc'):.3f}", f"{mean(own, 'precision'):.2f}",
            f"{mean(own, 'recall'):.2f}", f"{mean(own, 'expected'):.1f} / {mean(own, 'true'):.1f}",
            f"{mean(own, 'log_loss'):.4f}",
        )  # fmt: skip


def _forbidden(series: TimeSeries) -> list[tuple[str, str]]:
    """Return all edges into earlier slices."""
    assert series.slices is not None
    past = series.slices.parent_only
    return [(one, late) for late in past for one in series.variables if one != late]


def _learned_in_time(kind: str, n: int, length: int, seed: int, method: str, seconds: float) -> Row:
    warnings.simplefilter("ignore")
    random = np.random.default_rng([seed, n, length, PROCESSES.index(kind)])
    process = random_process(n, random)
    rows = rows_of_process(process, kind, length, random)
    names = [f"x{place}" for place in range(n)]
    if kind == "binary":
        series = arcwise.time_series((rows > 0).astype(np.int64), names=names, constant="keep")
    else:
        series = arcwise.time_series(rows, names=names)
    options: dict[str, Any] = {"seconds": seconds, "seed": seed, "threads": 1, "progress": None}
    if method == "time":
        taken, found = timed(lambda: arcwise.learn(series, **options))
    else:
        static = arcwise.Data(series.columns)
        options["forbidden_edges"] = _forbidden(series)
        taken, found = timed(lambda: arcwise.learn(static, **options))
    above = np.triu_indices(n, 1)
    within = (found.edges[:n, :n] + found.edges[:n, :n].T)[above]
    predicted = np.clip(np.concatenate([found.edges[n : 2 * n, :n].ravel(), within]), 0.0, 1.0)
    adjacent = (process.within != 0) | (process.within.T != 0)
    truth = np.concatenate([(process.lagged != 0).ravel(), adjacent[above]])
    inside = np.clip(predicted, 1e-6, 1 - 1e-6)
    assert found.account is not None
    auc, precision, recall = _ranked(predicted, truth)
    return {
        "kind": kind, "n": n, "length": length, "seed": seed, "method": method, "seconds": taken,
        "algorithm": found.algorithm, "verdict": str(found.account.verdict),
        "auc": auc, "precision": precision, "recall": recall,
        "expected": predicted.sum(), "true": truth.sum(),
        "log_loss": -np.where(truth, np.log(inside), np.log1p(-inside)).mean(),
    }  # fmt: skip


def _ranked(predicted: Array, truth: Matrix) -> tuple[float, float | None, float]:
    """Return the area under the curve, and precision and recall of what is above one half.

    The area is the probability that a true pair has a higher prediction than another.
    """
    order = np.argsort(predicted, kind="stable")
    ranks = np.empty(len(predicted))
    ranks[order] = np.arange(1, len(predicted) + 1)
    for value in np.unique(predicted):  # equal values share their ranks
        same = predicted == value
        ranks[same] = ranks[same].mean()
    positives = int(truth.sum())
    excess = ranks[truth].sum() - positives * (positives + 1) / 2
    chosen = predicted > 0.5
    precision = float(truth[chosen].mean()) if chosen.any() else None
    auc = float(excess / (positives * (len(truth) - positives)))
    return auc, precision, float(chosen[truth].mean())


def _both_models(series: TimeSeries, **options: Any) -> tuple[Model, Model]:
    """Return the model in time, and the same over all columns as ordinary variables."""
    static = arcwise.Data(series.columns)
    forbidden = _forbidden(series)
    return Model(series, **options), Model(static, forbidden_edges=forbidden, **options)


@case
def time_series_exact(
    sizes: Annotated[Sequence[int], "numbers of variables"] = (4, 6, 8, 10),
    length: Annotated[int, "number of times"] = 500,
) -> None:
    """How long the exact posterior of a time series takes, beside the static method."""
    heads = ("families", "time", "static", "ratio", "largest difference of an edge")
    table = Table("n", *heads, align="")
    for n in sizes:
        random = np.random.default_rng(n)
        rows = rows_of_process(random_process(n, random), "gaussian", length, random)
        series = arcwise.time_series(rows, names=[f"x{place}" for place in range(n)])
        models = _both_models(series, prior=EdgePenalty(2.0), max_indegree=4)
        (taken, one), (taken_static, other) = (
            timed(partial(arcwise.exact, model, threads=1), time.process_time) for model in models
        )
        apart = np.abs(one.edges[:, :n] - other.edges[:, :n]).max()
        ratio = f"{taken_static / taken:,.0f} ×"
        times = f"{taken:.3f} s", f"{taken_static:.3f} s"
        table.row(n, f"{len(models[0].scores):,}", *times, ratio, f"{apart:.1g}")


@case
def time_series_public(
    lengths: Annotated[Sequence[int], "numbers of times"] = (50, 500, 5000), seeds: int = 2
) -> None:
    """How well both methods find the edges of a public network in time, exactly."""
    warnings.simplefilter("ignore")
    heads = ("AUC", "precision", "recall", "largest difference of an edge")
    table = Table("T", "series", *heads, align="")
    dag: Dag = arcwise.networks.asia().dag
    n = len(dag.variables)
    truth = dag.matrix().astype(np.bool_)
    roots = [place for place, name in enumerate(dag.variables) if not dag.parents(name)]
    truth[roots, roots] = True
    for length in lengths:
        figures = []
        for seed in range(seeds):
            rows = asia_in_time(length, np.random.default_rng([seed, length]))
            series = arcwise.time_series(rows, names=list(dag.variables), constant="keep")
            models = _both_models(series, prior=Sparse(1.0), max_indegree=3)
            one, other = (arcwise.exact(model, threads=1).edges[:, :n] for model in models)
            ranked = _ranked(one[n : 2 * n].ravel(), truth.ravel())
            figures.append((*ranked, np.abs(one - other).max()))
        auc, precision, recall, apart = np.array(figures, dtype=np.float64).T
        table.row(
            length, seeds, f"{auc.mean():.3f}", f"{np.nanmean(precision):.2f}",
            f"{recall.mean():.2f}", f"{apart.max():.1g}",
        )  # fmt: skip
