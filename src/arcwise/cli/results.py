"""Prints posteriors, with their edges, reliability and evidence, and writes their files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import arcwise
from arcwise.cli.composition import (
    Result,
    make_folder,
    note_nothing_kept,
    posterior_result,
    print_reliability,
    print_table,
)
from arcwise.cli.report import write_page
from arcwise.data.table import Place
from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.dynamics.lagged_edges import slices_of
from arcwise.dynamics.steps import StepPosteriors
from arcwise.model import Model
from arcwise.posterior import Posterior
from arcwise.posterior.evidence import Evidence
from arcwise.posterior.matrices import Adjacency
from arcwise.records.account import UNCONVERGED, Account
from arcwise.records.runs import AnnealingRun, ChainRun, ExactRun, Exchanges
from arcwise.support.names import listing, plural, words_of

EDGES_SHOWN = 15
LIKELY = 0.5


def show_posterior(posterior: Posterior, folder: Path | None, title: str | None = None) -> Result:
    """Write a posterior to a folder, if one is given, and print it.

    Its reliability, its edges and its computation are printed; a posterior of `learn` also has a
    report page.
    """
    written: list[str | None] = []
    account, run = posterior.account, posterior.run
    # Files are written first, as the reader of the output may stop early, like `head`.
    if folder is not None:
        written.append(write_results(posterior, folder))
        if account is not None:
            written.append(write_page(posterior, folder, title))
    diagnosis = posterior.diagnose()
    print_reliability(diagnosis)
    print_edges(posterior, diagnosis)
    if account is None and isinstance(run, ChainRun | AnnealingRun):
        _print_sampler(posterior, run)
    if account is None and isinstance(run, ExactRun):
        assert posterior.model is not None
        _print_exact(posterior, posterior.model)
    elif posterior.evidence is not None:
        print(*evidence_lines(posterior.evidence), sep="\n")
    if account is not None:
        _print_account(account)
    for line in written:
        if line is not None:
            print(line)
    if folder is None:
        note_nothing_kept()
    return partial(posterior_result, posterior)


def evidence_lines(evidence: Evidence) -> list[str]:
    """Return sentences on the evidence with its verdict, standard error and lower bounds."""
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


def write_files(folder: Path, files: Mapping[str, Callable[[Path], None]]) -> str:
    """Write files to a folder, and return a note on them."""
    make_folder(folder)
    for name, write in files.items():
        write(folder / name)
    return f"{listing(files)} written to {folder}"


def write_results(posterior: Posterior, folder: Path) -> str:
    """Write the files of a posterior to a folder, and return a note on them."""
    files: dict[str, Callable[[Path], None]] = {"edges.csv": posterior.write_edges}
    if posterior.evidence is not None:
        files["evidence.json"] = posterior.write_evidence
    files |= {"summary.json": posterior.write_summary, "posterior.npz": posterior.save}
    return write_files(folder, files)


_CAPTION = "adjacent: an edge in either direction; → from source to target, ← back"


def print_edges(posterior: Posterior, diagnosis: Diagnosis) -> None:
    """Print the pairs of variables that are most probably adjacent, with their directions.

    If chains disagree, the range of their estimates replaces the standard errors.
    """
    slices = slices_of(posterior)
    unsure = f", {diagnosis.verdict}" if diagnosis.verdict in UNCONVERGED else ""
    if slices is not None and slices.lags:
        print_edges_in_time(posterior, unsure)
        return
    n = len(posterior.variables)
    if n < 2:
        print("There is a single variable, and so no pair that could be adjacent.")
        return
    rows = posterior.adjacencies(most=EDGES_SHOWN)
    likely = int((np.triu(posterior.edges + posterior.edges.T, 1) >= LIKELY).sum())
    # This is not the title of the table, which would be wrapped to its width.
    print(f"{_title(len(rows), n * (n - 1) // 2, likely)}{unsure}")
    columns: dict[str, str | Callable[[Adjacency], str]] = {
        "source": "{row.source}",
        "target": "{row.target}",
        ">adjacent": "{row.probability:.4f}",
        ">→": "{row.forward:.4f}",
        ">←": "{row.backward:.4f}",
    }
    by_chain = diagnosis.chain_edges
    if diagnosis.verdict == "not converged" and by_chain is not None and len(by_chain) > 1:
        columns[">adjacent, by chain"] = partial(_range, by_chain, diagnosis.variables.index)
    elif posterior.edge_errors is not None:
        columns[">standard error"] = "{row.errors[0]:.4f}"
    print_table(None, columns, rows)
    print(_CAPTION)
    if likely > len(rows):
        print(f"{likely - len(rows):,} more of at least {LIKELY} are in the edges.csv of --out.")


def _title(shown: int, pairs: int, likely: int) -> str:
    """Return a title with the numbers of all pairs, of those shown and of probable ones."""
    first = f"The {shown} most probable of {pairs:,} pairs" if shown < pairs else "All pairs"
    are = f"{likely:,} {'is' if likely == 1 else 'are'}"
    return f"{first} of variables, of which {are} adjacent with a probability of at least {LIKELY}"


def _range(by_chain: NDArray[np.float64], place: Callable[[str], int], pair: Adjacency) -> str:
    """Return the range of an adjacency over the chains."""
    u, v = place(pair.source), place(pair.target)
    either = by_chain[:, u, v] + by_chain[:, v, u]
    return f"{either.min():.2f} to {either.max():.2f}"


def _print_sampler(posterior: Posterior, run: ChainRun | AnnealingRun) -> None:
    """Print acceptance rates and convergence of a sampler."""
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
    """Return a sentence on temperatures, exchanges and round trips."""
    fewest, most = exchanges.temperatures
    words = f"{fewest if fewest == most else f'{fewest} to {most}'} temperatures"
    rates = [rate for rate in exchanges.acceptance if rate is not None]
    if rates:
        words += f", exchanges accepted: {min(rates):.0%} to {max(rates):.0%}"
    return f"{words}, round trips of each chain: {listing(map(str, exchanges.round_trips))}"


def _print_exact(posterior: Posterior, model: Model) -> None:
    """Print the evidence and the best DAG of an exact posterior."""
    of = f"{words_of(model.score)}, {words_of(model.prior)}"
    print(f"log evidence {posterior.log_evidence:.6f} ({of})")
    print(f"best DAG, probability {posterior.map_probability:.4g}: {posterior.map_dag}")


def _print_account(account: Account) -> None:
    """Print the choices of `learn`."""
    print("\nWhat was done:")
    print(*account.choices, sep="\n", end="\n\n")
    if account.sensitivity:
        print("Under other assumptions:")
        print(*account.sensitivity, sep="\n", end="\n\n")


# The least probabilities of edges of the process graph, and of their single lags, to be printed.
_WORTH_PRINTING = 0.1
_LEAST_OF_A_LAG = 0.01


def print_edges_in_time(posterior: Posterior, remark: str) -> None:
    """Print the most probable edges into the present slice, and the process graph."""
    edges = arcwise.dynamics.lagged_edges(posterior)
    likely = sum(edge.probability >= LIKELY for edge in edges)
    title = (
        f"The {min(EDGES_SHOWN, len(edges))} most probable of {len(edges)} edges into the present "
        f"slice, t ({likely} of at least {LIKELY}){remark}"
    )
    columns: dict[str, str | Callable[[Any], str]] = {
        ">source": lambda edge: Place(edge.source, edge.lag).name,
        "": "→",
        "target": lambda edge: Place(edge.target, 0).name,
        ">probability": "{row.probability:.4f}",
    }
    if posterior.edge_errors is not None:
        columns[">standard error"] = "{row.standard_error:.4f}"
    print_table(title, columns, edges[:EDGES_SHOWN])
    _print_process_graph(posterior)


def print_steps(steps: StepPosteriors) -> None:
    """Print the probable edges of each step, a line for each."""
    print(
        f"A network for each of {plural(len(steps), 'step')}, with its edges of at least {LIKELY}:"
    )
    for time, posterior in steps.items():
        edges = ", ".join(
            f"{Place(edge.source, edge.lag).name} → {edge.target}(t) {edge.probability:.2f}"
            for edge in arcwise.dynamics.lagged_edges(posterior, LIKELY)
        )
        print(f"  to {time}: {edges or 'none'}")
    if steps.log_evidence is not None:
        print(f"log evidence {steps.log_evidence:.4f}, the sum over all steps")


def _print_process_graph(posterior: Posterior) -> None:
    found = arcwise.dynamics.process_graph(posterior, _WORTH_PRINTING)
    print(
        f"Over all lags: {plural(len(found), 'edge', zero='no')} with a probability of at least "
        f"{_WORTH_PRINTING}"
    )
    for edge in found[: 2 * EDGES_SHOWN]:
        lags = ", ".join(
            f"{'static' if lag is None else f'lag {lag}'}: {probability:.2f}"
            for lag, probability in edge.by_lag.items()
            if probability >= _LEAST_OF_A_LAG
        )
        print(f"  {edge.source} → {edge.target}  {edge.probability:.4f}  ({lags})")
    if len(found) > 2 * EDGES_SHOWN:
        print(f"  ... and {len(found) - 2 * EDGES_SHOWN} more")
