"""The provenance of a posterior as tables for the report, and Python code that reproduces it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from arcwise.model.model import Provenance
from arcwise.posterior import Posterior
from arcwise.posterior.summary import run_summary
from arcwise.records.runs import (
    AnnealingRun,
    ChainRun,
    ExactRun,
    ImputationRun,
    MergedRun,
    UniqueDagsRun,
)
from arcwise.records.settings import SamplerSettings, usual_order_steps
from arcwise.support.names import Description, in_words, number

Rows = list[tuple[str, str]]
_LIMITS = ("constraints", "candidates", "plus_one")


def provenance_tables(posterior: Posterior) -> list[dict[str, Any]]:
    """Return the model, the run and its settings as titled tables of names and values."""
    run: Rows = [("Algorithm", posterior.algorithm), ("Modularity", posterior.modularity)]
    for name, value in run_summary(posterior.run).items():
        run += _rows(name, value)
    tables = [
        {"title": "Model and data", "rows": _model(posterior.provenance)},
        {"title": "Run", "rows": run},
    ]
    if posterior.account is not None:
        run += _rows("seconds_in_all", posterior.account.seconds)
        chosen = posterior.account.chosen.as_dict()
        rows = [row for name, value in chosen.items() for row in _rows(name, value)]
        tables.append({"title": "Choices and arguments", "rows": rows})
    return tables


def _model(model: Provenance) -> Rows:
    values = model.as_dict()
    return [
        ("arcwise version", _value(values["arcwise"])),
        *([("Data", model.data_name)] if model.data_name else []),
        ("Score", "–" if model.score is None else in_words(model.score)),
        ("Prior", "–" if model.prior is None else in_words(model.prior)),
        *_limits(model),
        ("Families scored", _value(model.families)),
        ("Rows of data", _value(model.rows)),
        ("Data fingerprint", _value(model.data_fingerprint)),
    ]


def _edge(pair: object) -> str:
    return " → ".join(map(str, pair)) if isinstance(pair, list | tuple) else str(pair)


def _limits(model: Provenance) -> Rows:
    """Return the constraints and candidate parents; long lists are in the saved posterior."""
    rows: Rows = []
    for rule, value in model.constraints.items():
        edges = value
        if isinstance(value, list):
            # A file may contain anything.
            edges = [_edge(pair) for pair in value]
        rows.append((_as_title(rule), _value(edges)))
    rows = rows or [("Constraints", "none")]
    if model.candidates is None:
        rows.append(("Candidate parents", "all variables"))
    else:
        sizes = [len(parents) for parents in model.candidates.values()]
        few, many = min(sizes), max(sizes)
        size = str(few) if few == many else f"{few} to {many}"
        rows.append(("Candidate parents per variable", size))
    if model.plus_one:
        rows.append(("One parent outside the candidates", "allowed"))
    return rows


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
            return f"{shown[0]} each ({len(shown)} values)"
        return ", ".join(shown[:16]) + (f", and {len(shown) - 16} more" if len(shown) > 16 else "")
    if isinstance(value, Mapping):
        return ", ".join(f"{_words(key)} {_value(item)}" for key, item in value.items())
    if value is None or isinstance(value, bool | int | float):
        return number(value)
    return plain_words(str(value))


def reproduction(posterior: Posterior) -> dict[str, Any]:
    """Return the Python code that reproduces the posterior, with notes."""
    model = posterior.provenance
    # The folder of the file is not known, nor the name of a table that was not read from a file.
    source = repr(model.data_name) if model.data_name else "..."
    where = "" if model.data_name else "  # the table that was analysed"
    imputed = ', missing="impute"' if posterior.completions is not None else ""
    lines = ["import arcwise", "", f"data = arcwise.read({source}{imputed}){where}"]
    if model.data_fingerprint:
        lines.append(f'assert data.fingerprint == "{model.data_fingerprint}"')
    if posterior.account is not None:
        lines.append(f"posterior = arcwise.learn(data, seed={posterior.account.chosen.seed})")
        limits = (
            "Any other arguments that were given are in the table of choices and arguments; "
            "give the same ones."
        )
    else:
        saved = [name for name in _LIMITS if getattr(model, name)]
        if saved:
            lines.append('saved = arcwise.Posterior.load("posterior.npz").provenance')
        arguments = ["data", *_constructor("scores.", model.score)]
        arguments += _constructor("priors.", model.prior, "prior=")
        arguments += [f"{name}=saved.{name}" for name in saved]
        lines += [*_wrapped("model = arcwise.Model(", arguments), *_call(posterior)]
        limits = (
            "Constraints and candidate parents are taken from the saved posterior."
            if saved
            else "No constraints and no candidate parents are recorded."
        )
    return {
        "code": "\n".join(lines),
        "notes": [
            "The same version, data, settings and seed give the same results, on any number of "
            "threads; a run with a time limit must be repeated with its number of steps.",
            limits,
        ],
    }


def _constructor(module: str, thing: Description | None, keyword: str = "") -> list[str]:
    """Return the argument that constructs a score, prior or space, if code can express it."""
    call = None if thing is None else thing.call()
    return [] if call is None else [f"{keyword}arcwise.{module}{call}"]


def _call(posterior: Posterior) -> list[str]:
    """Return the lines that call the algorithm with the same settings."""
    run = posterior.run
    if isinstance(run, MergedRun):
        return ["# then repeat each run in the table above and merge with Posterior.concatenate"]
    modularity = f'modularity="{posterior.modularity}"'
    function, arguments = posterior.algorithm, ["model", modularity]
    wanted: dict[str, Any] = {}
    if isinstance(run, ImputationRun):
        function, arguments[0] = "learn", "data"
        wanted = {"completions": run.completions, "chains": run.chains, "seed": run.seed}
    elif isinstance(run, ExactRun):
        wanted |= {"paths": True} if run.paths else {}
        wanted |= {"dags": run.dags, "seed": run.seed} if run.dags else {}
    elif isinstance(run, UniqueDagsRun):
        function, arguments = "algorithms.unique_dags", ["model"]
        wanted = _orders(run)
    else:
        arguments[1:1] = _constructor("spaces.", Description.of(run.settings.space), "space=")
        nodes = len(posterior.variables)
        wanted = _runs(run) if isinstance(run, AnnealingRun) else _chains(run, nodes)
    return _wrapped(f"posterior = arcwise.{function}(", [*arguments, *_keywords(wanted)])


def _keywords(wanted: dict[str, Any]) -> list[str]:
    return [
        f"{name}={value if name == 'burn_in' else repr(value)}" for name, value in wanted.items()
    ]


def _wrapped(call: str, arguments: list[str]) -> list[str]:
    if len(call) + len(", ".join(arguments)) <= 78:
        return [f"{call}{', '.join(arguments)})"]
    return [call, *(f"    {argument}," for argument in arguments), ")"]


def _options(settings: SamplerSettings, *elsewhere: str) -> dict[str, Any]:
    """Return the keywords of the specified options, except for some."""
    others = ("space", "modularity", "sums", *elsewhere)
    return {name: value for name, value in settings.specified.items() if name not in others}


def _runs(run: AnnealingRun) -> dict[str, Any]:
    """Return the keywords that request the amount of work that was done."""
    settings = run.settings
    steps = ("steps",) if run.plan is None and settings.cooling.given is not None else ()
    done = {("particles" if run.plan is None else "runs"): run.runs}
    return _options(settings, "effective_samples", *steps) | done | {"seed": run.seed}


def _chains(run: ChainRun, nodes: int) -> dict[str, Any]:
    """Return the keywords that request the amount of work that was done."""
    settings, burn_in, kept = run.settings, run.burn_in_steps, max(run.steps_after_burn_in)
    wanted = _options(settings, "until", "effective_samples", "start")
    wanted |= {"chains": run.chains, "steps": burn_in + kept, "thinning": run.thinning}
    wanted["burn_in"] = 0.5 if burn_in == kept else f"{burn_in} / {burn_in + kept}"
    if settings.order_steps != usual_order_steps(nodes, None):
        wanted["start"] = settings.order_steps or "random"
    return wanted | {"seed": run.seed}


def _orders(run: UniqueDagsRun) -> dict[str, Any]:
    """Return the keywords that request the number of orders that were sampled."""
    settings = run.settings
    return {
        "coverage": run.coverage,
        "steps": settings.steps,
        "chains": settings.chains,
        "thinning": run.thinning,
        "seed": run.seed,
    }


# The text of an object that cannot be written as code: a class in angle brackets.
_SHOWN = re.compile(r"<[A-Z]\w*: (.+)>", re.DOTALL)


def log_value(value: float) -> str:
    """Return a logarithm with two decimals; more would not be meaningful.

    Examples
    --------
    >>> log_value(-1170.7545)
    '−1,170.75'
    """
    return f"{value:,.2f}".replace("-", "−")


def plain_words(text: str) -> str:
    """Return a value whose text is Python code in words, and other text unchanged.

    Examples
    --------
    >>> plain_words("Partitions(moves=None)"), plain_words("BucketOrders(size=5)")
    ('partitions', 'bucket orders (size 5)')
    >>> plain_words("<ScoreSums: 74 nodes by rows (tolerance 1e-09)>"), plain_words("a <b>")
    ('74 nodes by rows (tolerance 1e-09)', 'a <b>')
    """
    shown = _SHOWN.fullmatch(text)
    if shown:
        return shown.group(1)
    found = Description.parse(text)
    return text if found.name is None else in_words(found)
