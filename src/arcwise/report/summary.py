"""What was done and what was found, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcwise.posterior import Posterior
from arcwise.records.runs import AnnealingRun, ChainRun, ExactRun, MergedRun, UniqueDagsRun
from arcwise.report.words import in_words, score_in_words
from arcwise.support.descriptions import Description
from arcwise.support.words import listing, number, plural

_SURE, _POSSIBLE = 0.9, 0.1
_MOST_NAMED = 6


def key_figures(posterior: Posterior) -> list[dict[str, str]]:
    """Return the few numbers to begin with."""
    edges = posterior.edges
    rows = posterior.provenance.rows
    figures = [("Variables", number(len(posterior.variables)), "")]
    if rows is not None:
        figures.append(("Rows of data", number(rows), ""))
    figures += [
        ("Expected edges", f"{edges.sum():.1f}", "mean number of edges over all DAGs"),
        ("Near-certain edges", number(int((edges >= _SURE).sum())), "probability 0.9 or more"),
        (
            "Open edges",
            number(int(((edges >= _POSSIBLE) & (edges < _SURE)).sum())),
            "probability from 0.1 to 0.9",
        ),
    ]
    return [{"label": label, "value": value, "note": note} for label, value, note in figures]


def what_was_done(posterior: Posterior, data_description: str | None) -> list[str]:
    """Return sentences about the data, the model and the algorithm.

    Where `arcwise.sample` made the choices, its own sentences tell them best.
    """
    described = [data_description] if data_description else []
    account = posterior.account
    return [*described, *(_by_settings(posterior) if account is None else account.choices)]


def _by_settings(posterior: Posterior) -> list[str]:
    model = posterior.provenance
    rows = model.rows
    names = plural(len(posterior.variables), "variable")
    first = f"The data are {names}"
    first += "." if rows is None else f" in {plural(rows, 'row')}."
    sentences = [first]
    if model.score is not None:
        sentences.append(f"Every parent set was scored by {score_in_words(model.score)}.")
    if model.prior is not None:
        sentences.append(f"The prior is {in_words(model.prior)}.")
    sentences.append(_algorithm(posterior))
    sentences.append(
        "Every DAG counts by its prior weight times its likelihood (the modular posterior)."
        if posterior.target == "modular"
        else "Every DAG counts once for each of its topological orders (the order-modular "
        "posterior), which favours DAGs that many orders fit."
    )
    if posterior.run.interrupted:
        sentences.append("The run was interrupted, and the result is what it had by then.")
    return sentences


def _algorithm(posterior: Posterior) -> str:
    run = posterior.run
    drawn = 0 if posterior.dags is None else len(posterior.dags)
    keeping = f" {plural(drawn, 'DAG')} were drawn." if drawn else ""
    if isinstance(run, ExactRun):
        return (
            "The posterior was computed exactly, by dynamic programming over all subsets of the "
            f"variables, and not sampled.{keeping}"
        )
    if isinstance(run, MergedRun):
        parts = listing([_how(part) for part in run.parts])
        return f"The posterior is from {plural(len(run.parts), 'run')}: {parts}.{keeping}"
    return f"The posterior was sampled {_how(run)}.{keeping}"


def _how(run: ChainRun | AnnealingRun | UniqueDagsRun) -> str:
    over = in_words(Description.of(run.settings.space))
    if isinstance(run, AnnealingRun):
        return (
            f"by annealed importance sampling over {over}: {plural(run.runs, 'particle')} of "
            f"{plural(run.settings.schedule.steps, 'annealing step')}"
        )
    if isinstance(run, UniqueDagsRun):
        return f"by the different DAGs of {plural(run.orders, 'order')}, as Ellis and Wong do"
    kind = (
        "Markov chain Monte Carlo" if run.exchanges is None else "Metropolis-coupled Markov chains"
    )
    return f"by {kind} over {over}: {_chains(run)}"


def _chains(run: ChainRun) -> str:
    words = plural(run.chains, "chain")
    if run.exchanges is not None:
        words += f" at {plural(len(run.exchanges.inverse_temperatures[0]), 'temperature')}"
    words += f", {plural(max(run.steps_after_burn_in), 'step')} each"
    if run.burn_in_steps:
        words += f" after a burn-in of {number(run.burn_in_steps)}"
    return words


def what_was_found(posterior: Posterior) -> list[str]:
    """Return sentences about the edges, the surest named."""
    table = [row for row in posterior.edge_table() if row[2] >= _POSSIBLE]
    sure = [row for row in table if row[2] >= _SURE]
    sentences = []
    if sure:
        sentences.append(f"{_many(len(sure))} probability of at least {_SURE}: {_named(sure)}.")
    else:
        sentences.append(f"No edge has a probability of {_SURE} or more.")
    turned = _unclear_directions(posterior)
    if turned:
        many = "One connection is" if len(turned) == 1 else f"{number(len(turned))} connections are"
        sentences.append(f"{many} near-certain while the direction is open: {_listed(turned)}.")
    unsure = len(table) - len(sure)
    if unsure:
        sentences.append(
            f"{_many(unsure, 'further ' if sure else '')} probability from {_POSSIBLE} to {_SURE}."
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


def _unclear_directions(posterior: Posterior) -> list[str]:
    """Return the pairs that are surely joined by an edge, neither direction being sure."""
    edges = posterior.edges
    either = edges + edges.T
    open_direction = (either >= _SURE) & (np.maximum(edges, edges.T) < _SURE)
    pairs = np.argwhere(np.triu(open_direction, 1))
    order = np.argsort(-either[pairs[:, 0], pairs[:, 1]], kind="stable")
    names = posterior.variables
    return [f"{names[u]}\u00a0– {names[v]}" for u, v in pairs[order]]
