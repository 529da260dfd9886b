"""Prints results, and writes their files to a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arcwise.cli.edges_in_time import print_edges_in_time
from arcwise.cli.reliability import print_reliability
from arcwise.cli.report import write_page
from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.dynamics.lagged_edges import slices_of
from arcwise.errors import ArgumentError
from arcwise.posterior import MapResult, Posterior
from arcwise.posterior.evidence import Evidence
from arcwise.records.account import UNCONVERGED
from arcwise.records.runs import AnnealingRun, ChainRun, Exchanges
from arcwise.support.descriptions import words_of
from arcwise.support.words import listing, plural

_EDGES_SHOWN = 15
_LIKELY = 0.5
_CAPTION = "adjacent: an edge in either direction; → from source to target, ← back"


def print_edges(posterior: Posterior, diagnosis: Diagnosis) -> None:
    """Print the pairs of variables that are most probably adjacent, with their directions.

    Where chains disagree, the range of their estimates takes the place of standard errors.
    """
    slices = slices_of(posterior)
    if slices is not None and slices.lags:
        unsure = f", {diagnosis.verdict}" if diagnosis.verdict in UNCONVERGED else ""
        print_edges_in_time(posterior, unsure)
        return
    n = len(posterior.variables)
    if n < 2:
        print("There is a single variable, and so no pair that could be adjacent.")
        return
    rows = posterior.adjacencies(most=_EDGES_SHOWN)
    likely = int((np.triu(posterior.edges + posterior.edges.T, 1) >= _LIKELY).sum())
    unsure = f", {diagnosis.verdict}" if diagnosis.verdict in UNCONVERGED else ""
    # Not the title of the table, which would be as narrow as that.
    print(f"{_title(len(rows), n * (n - 1) // 2, likely)}{unsure}")
    ranges = _ranges(diagnosis)
    table = Table()
    for heading in ("source", "target"):
        table.add_column(heading)
    for heading in ("adjacent", "→", "←"):
        table.add_column(heading, justify="right")
    if ranges is not None:
        table.add_column("adjacent, by chain", justify="right")
    elif posterior.edge_errors is not None:
        table.add_column("standard error", justify="right")
    for row in rows:
        figures = [f"{row.probability:.4f}", f"{row.forward:.4f}", f"{row.backward:.4f}"]
        if ranges is not None:
            low, high = ranges[row.source, row.target]
            figures.append(f"{low:.2f} to {high:.2f}")
        elif row.errors is not None:
            figures.append(f"{row.errors[0]:.4f}")
        table.add_row(Text(row.source), Text(row.target), *figures)
    Console().print(table)
    print(_CAPTION)
    if likely > len(rows):
        print(f"{likely - len(rows):,} more of at least {_LIKELY} are in the edges.csv of --out.")


def _title(shown: int, pairs: int, likely: int) -> str:
    """Say how many pairs there are, how many of them are shown and how many are probable."""
    first = f"The {shown} most probable of {pairs:,} pairs" if shown < pairs else "All pairs"
    are = f"{likely:,} {'is' if likely == 1 else 'are'}"
    return f"{first} of variables, of which {are} adjacent with a probability of at least {_LIKELY}"


def _ranges(diagnosis: Diagnosis) -> dict[tuple[str, str], tuple[float, float]] | None:
    """Return the range of each adjacency over the chains, if they do not agree."""
    by_chain = diagnosis.chain_edges
    if diagnosis.verdict != "not converged" or by_chain is None or len(by_chain) < 2:
        return None
    either = by_chain + by_chain.transpose(0, 2, 1)
    low, high = either.min(axis=0), either.max(axis=0)
    names = diagnosis.variables
    return {
        (names[u], names[v]): (float(low[u, v]), float(high[u, v]))
        for u in range(len(names))
        for v in range(len(names))
    }


def print_summary(posterior: Posterior) -> None:
    """Print acceptance rates and convergence of a sampler."""
    run = posterior.run
    assert isinstance(run, ChainRun | AnnealingRun)
    rates = (
        f"{name} {'-' if rate is None else f'{rate:.0%}'}" for name, rate in run.acceptance.items()
    )
    space = words_of(run.settings.space)
    print(f"{posterior.algorithm} on {space}, acceptance rates: {listing(rates)}")
    if isinstance(run, ChainRun):
        if getattr(run.settings, "adapt_moves", False):
            shares = (f"{name} {share:.0%}" for name, share in run.move_shares.items())
            print(f"adapted shares of moves: {listing(shares)}")
        if run.exchanges is not None:
            print(_exchanges(run.exchanges))
    found, weights = run.convergence, run.order_weights
    samples = "particles" if run.annealed else "log posterior"
    for value, words in (
        (found.rhat, "R-hat of the log posterior"),
        (found.ess, f"effective sample size of the {samples}"),
        (found.difference, "largest difference between chains in an edge probability"),
        (None if weights is None else weights.effective_dags, "effective number of DAGs"),
    ):
        if value is not None:
            print(f"{words}: {'infinite' if np.isinf(value) else f'{value:.4g}'}")


def _exchanges(exchanges: Exchanges) -> str:
    """Return the temperatures, their exchanges and the round trips in words."""
    fewest, most = exchanges.temperatures
    words = f"{fewest if fewest == most else f'{fewest} to {most}'} temperatures"
    rates = [rate for rate in exchanges.acceptance if rate is not None]
    if rates:
        words += f", exchanges accepted: {min(rates):.0%} to {max(rates):.0%}"
    return f"{words}, round trips of each chain: {listing(map(str, exchanges.round_trips))}"


def print_sampled(posterior: Posterior, folder: Path | None) -> None:
    """Write the result of a sampler to a folder, if one is given, and print it."""
    # Before anything is printed: whoever reads may stop reading, as `head` does.
    written = None if folder is None else f"{write_results(posterior, folder)} written to {folder}"
    diagnosis = posterior.diagnose()
    print_reliability(diagnosis)
    print_edges(posterior, diagnosis)
    print_summary(posterior)
    if posterior.evidence is not None:
        print(*evidence_lines(posterior.evidence), sep="\n")
    if written is not None:
        print(written)


def print_learned(posterior: Posterior, folder: Path | None, title: str | None = None) -> None:
    """Write the result of `learn` and its page to a folder, if one is given, and print it.

    Printed are how reliable it is, the edges, and the choices made.
    """
    written = None if folder is None else f"{write_results(posterior, folder)} written to {folder}"
    page = None if folder is None else write_page(posterior, folder, title)
    diagnosis = posterior.diagnose()
    print_reliability(diagnosis)
    print_edges(posterior, diagnosis)
    if posterior.evidence is not None:
        print(*evidence_lines(posterior.evidence), sep="\n")
    account = posterior.account
    assert account is not None
    print("\nWhat was done:")
    print(*account.choices, sep="\n", end="\n\n")
    if account.sensitivity:
        print("Under other assumptions:")
        print(*account.sensitivity, sep="\n", end="\n\n")
    for line in (written, page):
        if line is not None:
            print(line)


def evidence_lines(evidence: Evidence) -> list[str]:
    """Return the evidence with its verdict, standard error and lower bounds, in words."""
    lines = [f"log evidence {evidence.log_evidence:.4f} ({_precision(evidence)})"]
    lines += [f"  {doubt}" for doubt in evidence.doubts]
    for bound in evidence.lower_bounds.values():
        certain = f"with probability {bound.confidence:.3g}"
        groups = plural(bound.bins, "group")
        lines.append(f"  at least {bound.value:.4f} {certain} (from the least of {groups} of runs)")
    return lines


def _precision(evidence: Evidence) -> str:
    """Return the verdict on the evidence, with its error, interval and effective runs."""
    parts: list[str] = [evidence.verdict]
    interval = evidence.interval
    if evidence.standard_error and interval is not None:
        parts.append(f"standard error {evidence.standard_error:.2g}")
        parts.append(f"95 % interval {interval.low:.4f} to {interval.high:.4f}")
    if evidence.effective_runs is not None:
        parts.append(f"effective runs {evidence.effective_runs:.1f}")
    return ", ".join(parts)


def print_dag(best: MapResult) -> None:
    """Print the first edges of the best DAG, and whether its CPDAG directs them."""
    shown = best.dag.edges[:_EDGES_SHOWN]
    count = best.dag.number_of_edges
    title = f"The best DAG: {count} edges" + (
        "" if count == len(shown) else f", the first {len(shown)}"
    )
    table = Table(title=title, title_justify="left")
    for column in ("source", "target", "in the CPDAG"):
        table.add_column(column)
    directed = set(best.cpdag.directed)
    for edge in shown:
        kind = "directed" if edge in directed else "undirected"
        table.add_row(Text(edge[0]), Text(edge[1]), kind)
    Console().print(table)


def map_lines(best: MapResult) -> list[str]:
    """Return the score of the best DAG and how it was found, in words."""
    lines = [
        f"log score {best.log_score:.6f}, with the log prior {best.log_weight:.6f} (unnormalised "
        "log posterior)"
    ]
    if best.search is None:
        return [*lines, "exact: no DAG has a higher posterior probability"]
    reached = f"search: {best.restarts_at_best} of {best.restarts} restarts reached this optimum"
    classes = "" if best.classes < 2 else f", in {best.classes} equivalence classes"
    return [*lines, f"{reached}{classes}, in {best.seconds:.1f} s"]


def write_map(best: MapResult, folder: Path) -> str:
    """Write the files of the best DAG to a folder, and return their names as a phrase."""
    make_folder(folder)
    best.write_edges(folder / "edges.csv")
    best.write_cpdag(folder / "cpdag.csv")
    best.write_summary(folder / "summary.json")
    return listing(["edges.csv", "cpdag.csv", "summary.json"])


def make_folder(folder: Path) -> None:
    """Create the folder for results, or refuse a path that is a file."""
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f"'{folder}' is a file; give a folder for --out")
    folder.mkdir(parents=True, exist_ok=True)


def write_results(posterior: Posterior, folder: Path) -> str:
    """Write the files of a posterior to a folder, and return their names as a phrase."""
    make_folder(folder)
    written = ["edges.csv"]
    posterior.write_edges(folder / "edges.csv")
    if posterior.evidence is not None:
        written.append("evidence.json")
        posterior.write_evidence(folder / "evidence.json")
    written += ["summary.json", "posterior.npz"]
    posterior.write_summary(folder / "summary.json")
    posterior.save(folder / "posterior.npz")
    return listing(written)
