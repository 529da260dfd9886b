"""Where a posterior comes from, as tables, and how to have it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arcwise.posterior import Posterior
from arcwise.report.words import is_call
from arcwise.support.words import number

Rows = list[tuple[str, str]]

_MODEL = {
    "arcwise": "arcwise version",
    "score": "Score",
    "prior": "Prior",
    "families": "Families scored",
    "rows": "Rows of data",
    "data_fingerprint": "Data fingerprint",
}
_TIMES = ("seconds", "seconds_sampling")
_LIMITS = ("constraints", "candidates", "plus_one")
# What the page tells elsewhere.
_TOLD = ("choices", "chosen", "verdict", "trust")


def provenance_tables(posterior: Posterior) -> list[dict[str, Any]]:
    """Return the model, the run and its settings as titled tables of names and values."""
    model: Rows = []
    for name, value in posterior.provenance.items():
        if name in _LIMITS:
            model += _limits(name, value)
        elif name not in _TIMES:
            model.append((_MODEL.get(name, _as_title(name)), _value(value)))
    run: Rows = [("Algorithm", posterior.algorithm), ("Target", posterior.target)]
    timings = [item for item in posterior.provenance.items() if item[0] in _TIMES]
    for name, value in [*posterior.summary.items(), *timings]:
        if name not in _TOLD:
            run += _rows(name, value)
    tables = [{"title": "Model and data", "rows": model}, {"title": "Run", "rows": run}]
    chosen = posterior.summary.get("chosen")
    if chosen:
        rows = [row for name, value in chosen.items() for row in _rows(name, value)]
        tables.append({"title": "Chosen or given", "rows": rows})
    return tables


def _limits(name: str, value: Any) -> Rows:
    """Return which parent sets are left out, if any are; long lists are in the saved posterior."""
    if name == "constraints":
        rows: Rows = []
        for rule, told in (value or {}).items():
            edges = [" → ".join(pair) for pair in told] if isinstance(told, list) else told
            rows.append((_as_title(rule), _value(edges)))
        return rows or [("Constraints", "none")]
    if name == "plus_one":
        return [("One more parent from outside", "allowed")] if value else []
    if value is None:
        return [("Candidate parents", "all variables")]
    sizes = [len(parents) for parents in value.values()]
    few, many = min(sizes), max(sizes)
    return [("Candidate parents of each variable", str(few) if few == many else f"{few} to {many}")]


def _rows(name: str, value: Any) -> Rows:
    if isinstance(value, Mapping):
        return [(f"{_as_title(name)}: {_words(key)}", _value(item)) for key, item in value.items()]
    return [(_as_title(name), _value(value))]


def _words(name: Any) -> str:
    return str(name).replace("_", " ").replace("rhat", "R-hat").replace("dags", "DAGs")


def _as_title(name: str) -> str:
    words = _words(name)
    return words[:1].upper() + words[1:]


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        shown = [_value(item) for item in value]
        if len(shown) > 1 and len(set(shown)) == 1:
            return f"{shown[0]} each, {len(shown)} times"
        return ", ".join(shown[:16]) + (f", and {len(shown) - 16} more" if len(shown) > 16 else "")
    if isinstance(value, Mapping):
        return ", ".join(f"{_words(key)} {_value(item)}" for key, item in value.items())
    if value is None or isinstance(value, bool | int | float):
        return number(value)
    return str(value)


def reproduction(posterior: Posterior) -> dict[str, Any]:
    """Return what to keep and the Python lines that make the same posterior again."""
    settings = posterior.provenance
    score, prior = (str(settings.get(name, "")) for name in ("score", "prior"))
    lines = ["import arcwise", "", 'data = arcwise.read("data.csv")']
    fingerprint = settings.get("data_fingerprint")
    if fingerprint:
        lines.append(f'assert data.fingerprint == "{fingerprint}"')
    chosen = posterior.summary.get("chosen")
    if chosen:
        lines.append(f"posterior = arcwise.learn(data, seed={chosen.get('seed', 0)})")
        limits = (
            "Other arguments, if any were given, are in the table of what was chosen or given; "
            "give the same ones."
        )
    else:
        arguments = ["data"]
        arguments += [f"arcwise.scores.{score}"] if is_call(score) else []
        arguments += [f"prior=arcwise.priors.{prior}"] if is_call(prior) else []
        saved = [name for name in _LIMITS if settings.get(name)]
        if saved:
            lines.append('told = arcwise.Posterior.load("posterior.npz").provenance')
        arguments += [f'{name}=told["{name}"]' for name in saved]
        lines += [*_wrapped("model = arcwise.Model(", arguments), *_call(posterior)]
        limits = (
            "Constraints and candidate parents are taken from the saved posterior."
            if saved
            else "No constraints and no candidate parents are known of."
        )
    return {
        "code": "\n".join(lines),
        "notes": [
            "The same version, data, settings and seed give the same numbers, on any number of "
            "threads; a run that was limited by time must be repeated with its number of steps.",
            limits,
        ],
    }


def _call(posterior: Posterior) -> list[str]:
    """Return the lines that call the algorithm with the settings it had."""
    if posterior.algorithm not in ("exact", "mcmc", "mc3", "ais"):
        return [f"# then {posterior.algorithm}, with the settings of the table above"]
    arguments = ["model"]
    space = str(posterior.summary.get("space", "")).replace("moves=None", "")
    if is_call(space):
        arguments.append(f"space=arcwise.spaces.{space}")
    arguments.append(f'target="{posterior.target}"')
    arguments += [f"{name}={value}" for name, value in _budget(posterior).items()]
    return _wrapped(f"posterior = arcwise.{posterior.algorithm}(", arguments)


def _wrapped(call: str, arguments: list[str]) -> list[str]:
    if len(call) + len(", ".join(arguments)) <= 78:
        return [f"{call}{', '.join(arguments)})"]
    return [call, *(f"    {argument}," for argument in arguments), ")"]


def _budget(posterior: Posterior) -> dict[str, Any]:
    """Return the keywords that ask for as much work as was done."""
    done = dict(posterior.summary)
    wanted: dict[str, Any] = {}
    if posterior.algorithm == "ais":
        wanted["particles"] = done.get("runs")
        wanted["steps"] = done.get("annealing_steps")
        wanted["stretch"] = done.get("stretch")
    elif posterior.algorithm != "exact":
        if "inverse_temperatures" in done:
            wanted["temperatures"] = len(done["inverse_temperatures"][0])
        wanted["chains"] = done.get("chains")
        kept = max(done.get("steps_after_burn_in") or [0])
        if kept:
            burn_in = done.get("burn_in_steps") or 0
            wanted["steps"] = burn_in + kept
            if burn_in != kept:
                wanted["burn_in"] = f"{burn_in} / {burn_in + kept}"
    wanted["thinning"] = done.get("thinning")
    wanted["seed"] = done.get("seed")
    return {name: value for name, value in wanted.items() if value is not None}
