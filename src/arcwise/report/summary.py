"""What was done and what was found, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arcwise.posterior import Posterior
from arcwise.report.words import class_words, setting
from arcwise.support.words import listing, number, plural

_SURE, _POSSIBLE = 0.9, 0.1
_MOST_NAMED = 6


def key_figures(posterior: Posterior) -> list[dict[str, str]]:
    """Return the few numbers to begin with."""
    edges = posterior.edges
    rows = posterior.provenance.get("rows")
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
    choices = posterior.summary.get("choices")
    return [*described, *(choices or _told_by_settings(posterior))]


def _told_by_settings(posterior: Posterior) -> list[str]:
    settings = posterior.provenance
    rows = settings.get("rows")
    names = plural(len(posterior.variables), "variable")
    first = f"The data are {names}"
    first += "." if rows is None else f" in {plural(int(rows), 'row')}."
    sentences = [first]
    score, prior = settings.get("score"), settings.get("prior")
    if score and score != "None":
        sentences.append(f"Every parent set was scored by {setting(str(score))}.")
    if prior and prior != "None":
        sentences.append(f"The prior is {class_words(str(prior))}.")
    sentences.append(_algorithm(posterior))
    sentences.append(
        "Every DAG counts by its prior weight times its likelihood (the modular posterior)."
        if posterior.target == "modular"
        else "Every DAG counts once for each of its topological orders (the order-modular "
        "posterior), which favours DAGs that many orders fit."
    )
    if posterior.summary.get("interrupted"):
        sentences.append("The run was interrupted, and the result is what it had by then.")
    return sentences


def _algorithm(posterior: Posterior) -> str:
    done = posterior.summary
    drawn = 0 if posterior.dags is None else len(posterior.dags)
    keeping = f" {plural(drawn, 'DAG')} were drawn." if drawn else ""
    over = f" over {class_words(str(done['space']))}" if "space" in done else ""
    if posterior.algorithm == "exact":
        return (
            "The posterior was computed exactly, by dynamic programming over all subsets of the "
            f"variables, and not sampled.{keeping}"
        )
    if posterior.algorithm in ("mcmc", "mc3"):
        kind = (
            "by Markov chain Monte Carlo"
            if posterior.algorithm == "mcmc"
            else "by Metropolis-coupled Markov chains"
        )
        return f"The posterior was sampled {kind}{over}{_chains(done)}.{keeping}"
    if posterior.algorithm == "ais":
        runs = "" if "runs" not in done else f": {plural(int(done['runs']), 'independent run')}"
        if runs and "annealing_steps" in done:
            runs += f" of {plural(int(done['annealing_steps']), 'annealing step')}"
        return f"The posterior was sampled by annealed importance sampling{over}{runs}.{keeping}"
    return f"The posterior was computed by {posterior.algorithm}{over}.{keeping}"


def _chains(done: Any) -> str:
    chains = done.get("chains")
    if chains is None:
        return ""
    words = f": {plural(int(chains), 'chain')}"
    temperatures = done.get("inverse_temperatures")
    if temperatures:
        words += f" at {plural(len(temperatures[0]), 'temperature')}"
    steps = done.get("steps_after_burn_in")
    if steps:
        words += f", {plural(int(max(steps)), 'step')} each"
        if done.get("burn_in_steps"):
            words += f" after a burn-in of {number(int(done['burn_in_steps']))}"
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
