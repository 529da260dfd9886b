"""The methods and results sections of the report, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcwise.posterior import Posterior
from arcwise.records.runs import AnnealingRun, ChainRun, ExactRun, MergedRun, UniqueDagsRun
from arcwise.report.words import in_words
from arcwise.support.descriptions import Description
from arcwise.support.words import listing, number, plural

_NEAR_CERTAIN, _POSSIBLE = 0.9, 0.1
_MOST_NAMED = 6


def key_figures(posterior: Posterior) -> list[dict[str, str]]:
    """Return the key figures at the top of the page."""
    edges = posterior.edges
    rows = posterior.provenance.rows
    figures = [("Variables", number(len(posterior.variables)), "")]
    if rows is not None:
        figures.append(("Rows of data", number(rows), ""))
    figures += [
        ("Expected edges", f"{edges.sum():.1f}", "posterior mean number of edges"),
        (
            "Near-certain edges",
            number(int((edges >= _NEAR_CERTAIN).sum())),
            "probability 0.9 or more",
        ),
        (
            "Uncertain edges",
            number(int(((edges >= _POSSIBLE) & (edges < _NEAR_CERTAIN)).sum())),
            "probability from 0.1 to 0.9",
        ),
    ]
    return [{"label": label, "value": value, "note": note} for label, value, note in figures]


def what_was_done(posterior: Posterior, data_description: str | None) -> list[str]:
    """Return sentences about the data, the model and the algorithm.

    If `arcwise.learn` made the choices, its own sentences are used.
    """
    described = [data_description] if data_description else []
    account = posterior.account
    return [*described, *(_by_settings(posterior) if account is None else account.choices)]


def _by_settings(posterior: Posterior) -> list[str]:
    model = posterior.provenance
    rows = model.rows
    names = plural(len(posterior.variables), "variable")
    data = "The data have" if model.data_name is None else f"{model.data_name} has"
    sentences = [
        f"{data} {names}." if rows is None else f"{data} {names} and {plural(rows, 'row')}."
    ]
    if model.score is not None:
        sentences.append(f"Parent sets were scored by {in_words(model.score)}.")
    if model.prior is not None:
        sentences.append(f"The prior is {in_words(model.prior)}.")
    sentences.append(_algorithm(posterior))
    sentences.append(
        "A DAG is weighted by its prior times its marginal likelihood (the modular posterior)."
        if posterior.modularity == "modular"
        else "A DAG is counted once for each of its topological orders (the order-modular "
        "posterior), which favours DAGs with many topological orders."
    )
    if posterior.run.interrupted:
        sentences.append("The run was interrupted; the result is based on the draws until then.")
    return sentences


def _algorithm(posterior: Posterior) -> str:
    run = posterior.run
    drawn = 0 if posterior.dags is None else len(posterior.dags)
    keeping = f" {plural(drawn, 'DAG')} were drawn." if drawn else ""
    if isinstance(run, ExactRun):
        return (
            "The posterior was computed exactly, by dynamic programming over all subsets of the "
            f"variables, not sampled.{keeping}"
        )
    if isinstance(run, MergedRun):
        parts = listing([_how(part) for part in run.parts])
        return f"The posterior merges {plural(len(run.parts), 'run')}: {parts}.{keeping}"
    return f"The posterior was sampled {_how(run)}.{keeping}"


def _how(run: ChainRun | AnnealingRun | UniqueDagsRun) -> str:
    over = in_words(Description.of(run.settings.space))
    if isinstance(run, AnnealingRun):
        return (
            f"by annealed importance sampling over {over}: {plural(run.runs, 'particle')} of "
            f"{plural(run.settings.schedule.steps, 'annealing step')}"
        )
    if isinstance(run, UniqueDagsRun):
        return (
            f"by collecting the distinct DAGs of {plural(run.orders, 'sampled order')}, after "
            "Ellis and Wong"
        )
    kind = (
        "Markov chain Monte Carlo"
        if run.exchanges is None
        else "Metropolis-coupled Markov chain Monte Carlo"
    )
    return f"by {kind} over {over}: {_chains(run)}"


def _chains(run: ChainRun) -> str:
    words = plural(run.chains, "chain")
    if run.exchanges is not None:
        fewest, most = run.exchanges.temperatures
        range_of = "" if fewest == most else f"{fewest} to "
        words += f" at {range_of}{plural(most, 'temperature')}"
    words += f", {plural(max(run.steps_after_burn_in), 'step')} each"
    if run.burn_in_steps:
        words += f" after a burn-in of {number(run.burn_in_steps)}"
    return words


def what_was_found(posterior: Posterior) -> list[str]:
    """Return sentences about the edges, naming the most probable."""
    table = [row for row in posterior.edge_table() if row[2] >= _POSSIBLE]
    certain = [row for row in table if row[2] >= _NEAR_CERTAIN]
    sentences = []
    if certain:
        sentences.append(
            f"{_many(len(certain))} probability of at least {_NEAR_CERTAIN}: {_named(certain)}."
        )
    else:
        sentences.append(f"No edge has a probability of {_NEAR_CERTAIN} or more.")
    turned = _uncertain_directions(posterior)
    if turned:
        many = "One adjacency is" if len(turned) == 1 else f"{number(len(turned))} adjacencies are"
        sentences.append(f"{many} near-certain with uncertain direction: {_listed(turned)}.")
    uncertain = len(table) - len(certain)
    if uncertain:
        sentences.append(
            f"{_many(uncertain, 'further ' if certain else '')} probability from {_POSSIBLE} to "
            f"{_NEAR_CERTAIN}."
        )
    return sentences


def _many(edges: int, kind: str = "") -> str:
    return f"One {kind}edge has a" if edges == 1 else f"{number(edges)} {kind}edges have a"


def _named(rows: Sequence[tuple[str, str, float]]) -> str:
    return _listed([f"{source}\u00a0→ {target}" for source, target, _ in rows])


def _listed(names: list[str]) -> str:
    shown = names[:_MOST_NAMED]
    if len(names) > len(shown):
        shown.append(f"{number(len(names) - len(shown))} more")
    return listing(shown)


def _uncertain_directions(posterior: Posterior) -> list[str]:
    """Return the pairs that are almost certainly adjacent without a near-certain direction."""
    edges = posterior.edges
    either = edges + edges.T
    undirected = (either >= _NEAR_CERTAIN) & (np.maximum(edges, edges.T) < _NEAR_CERTAIN)
    pairs = np.argwhere(np.triu(undirected, 1))
    order = np.argsort(-either[pairs[:, 0], pairs[:, 1]], kind="stable")
    names = posterior.variables
    return [f"{names[u]}\u00a0– {names[v]}" for u, v in pairs[order]]
