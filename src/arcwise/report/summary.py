"""The methods and results sections of the report, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.posterior import Posterior
from arcwise.posterior.matrices import Adjacency
from arcwise.records.account import UNCONVERGED
from arcwise.records.runs import (
    AnnealingRun,
    ChainRun,
    ExactRun,
    ImputationRun,
    MergedRun,
    UniqueDagsRun,
)
from arcwise.support.names import Description, in_words, listing, number, plural

_NEAR_CERTAIN, _POSSIBLE = 0.9, 0.1
_MOST_NAMED = 6
_DOUBTED_DATA = ("questionable", "poor")


def key_figures(posterior: Posterior, diagnosis: Diagnosis) -> list[dict[str, str]]:
    """Return the key figures at the top of the page."""
    edges = posterior.edges
    either = np.triu(np.minimum(edges + edges.T, 1.0), 1)
    rows = posterior.provenance.rows
    given = len(posterior.parent_only)
    note = f"of which {number(given)} parent-only, with children alone" if given else ""
    figures = [("Variables", number(len(posterior.variables)), note)]
    if rows is not None:
        figures.append(("Rows of data", number(rows), ""))
    doubt = f"; computation {diagnosis.verdict}" if diagnosis.verdict in UNCONVERGED else ""
    figures += [
        ("Expected edges", f"{edges.sum():.1f}", f"posterior mean number of edges{doubt}"),
        (
            "Near-certain adjacencies",
            number(int((either >= _NEAR_CERTAIN).sum())),
            f"probability {_NEAR_CERTAIN} or more{doubt}",
        ),
        (
            "Uncertain adjacencies",
            number(int(((either >= _POSSIBLE) & (either < _NEAR_CERTAIN)).sum())),
            f"probability from {_POSSIBLE} to {_NEAR_CERTAIN}{doubt}",
        ),
    ]
    return [{"label": label, "value": value, "note": note} for label, value, note in figures]


def what_was_done(posterior: Posterior, data_description: str | None) -> list[str]:
    """Return sentences about the data, the model and the algorithm, or those of `learn`."""
    described = [data_description] if data_description else []
    account = posterior.account
    if account is None:
        return [*described, *_by_settings(posterior)]
    return [*described, *account.choices]


def _by_settings(posterior: Posterior) -> list[str]:
    model = posterior.provenance
    rows = model.rows
    names = plural(len(posterior.variables), "variable")
    data = "The data have" if model.data_name is None else f"{model.data_name} has"
    sentences = [
        f"{data} {names}." if rows is None else f"{data} {names} and {plural(rows, 'row')}."
    ]
    if posterior.parent_only:
        have = "has" if len(posterior.parent_only) == 1 else "have"
        sentences.append(
            f"{listing(posterior.parent_only, _MOST_NAMED)} {have} children only, and all else is "
            "given these."
        )
    if model.data is not None and rows is not None:
        sentences += model.data.preparation_sentences(rows)
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
    if isinstance(run, ImputationRun):
        return (
            f"Missing values were imputed: the posterior is averaged over {run.completions} "
            f"completed tables, drawn by {plural(run.chains, 'chain')}.{keeping}"
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
            f"{plural(run.settings.cooling.steps, 'annealing step')}"
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


def what_was_found(posterior: Posterior, diagnosis: Diagnosis) -> list[str]:
    """Return sentences about the adjacencies and their directions, naming the most probable.

    If the computation is in doubt, the first sentences report it, and the agreement of chains.
    """
    likely = posterior.adjacencies(_POSSIBLE)
    certain = [pair for pair in likely if pair.probability >= _NEAR_CERTAIN]
    directed = [pair for pair in certain if not pair.is_open]
    undirected = [pair for pair in certain if pair.is_open]
    sentences = _qualification(certain, diagnosis)
    if certain:
        sentences.append(
            f"{_many(len(certain))} adjacent with a probability of at least {_NEAR_CERTAIN}."
        )
    else:
        sentences.append(
            f"No two variables are adjacent with a probability of {_NEAR_CERTAIN} or more."
        )
    if directed:
        sentences.append(f"With a clear direction: {_named(directed, '→')}.")
    if undirected:
        sentences.append(f"With an open direction: {_named(undirected, '–')}.")
    uncertain = len(likely) - len(certain)
    if uncertain:
        sentences.append(
            f"{_many(uncertain, 'further ' if certain else '')} adjacent with a probability from "
            f"{_POSSIBLE} to {_NEAR_CERTAIN}."
        )
    return sentences


def _qualification(certain: Sequence[Adjacency], diagnosis: Diagnosis) -> list[str]:
    """Return sentences on reasons to doubt the results, if there are any."""
    result = []
    if diagnosis.verdict in UNCONVERGED:
        result.append(
            "The chains have not converged, so these figures should not be used as they are."
            if diagnosis.verdict == "not converged"
            else "The computation is in doubt, so these figures are provisional."
        )
        by_chain = diagnosis.chain_edges
        if by_chain is not None and len(by_chain) > 1 and certain:
            least = (by_chain + by_chain.transpose(0, 2, 1)).min(axis=0)
            place = {name: index for index, name in enumerate(diagnosis.variables)}
            shared = sum(
                bool(least[place[pair.source], place[pair.target]] >= _NEAR_CERTAIN)
                for pair in certain
            )
            result.append(
                f"Of the {plural(len(certain), 'adjacency', 'adjacencies')} below, every chain "
                f"alone gives {number(shared)} a probability of at least {_NEAR_CERTAIN}."
            )
    if diagnosis.data_verdict in _DOUBTED_DATA:
        result.append(
            f"Data and model are {diagnosis.data_verdict}: "
            f"{'see' if diagnosis.verdict in UNCONVERGED else 'however exact the figures, see'} "
            "the findings under reliability."
        )
    return result


def _many(pairs: int, kind: str = "") -> str:
    if pairs == 1:
        return f"One {kind}pair of variables is"
    return f"{number(pairs)} {kind}pairs of variables are"


def _named(pairs: Sequence[Adjacency], sign: str) -> str:
    names = [f"{pair.source}\u00a0{sign} {pair.target}" for pair in pairs]
    shown = names[:_MOST_NAMED]
    if len(names) > len(shown):
        shown.append(f"{number(len(names) - len(shown))} more")
    return listing(shown)
