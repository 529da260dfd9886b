"""`arcwise evidence`: the marginal likelihood of the data, with its error and lower bounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.algorithms.evidence import EvidenceArguments, EvidenceOptions, Method
from arcwise.algorithms.evidence_methods import EvidenceMethod, as_evidence_method
from arcwise.algorithms.sample import SAMPLERS, refuse_options_of_others
from arcwise.cli.composition import options_of, out_option
from arcwise.cli.options import DataOptions, RunOptions
from arcwise.cli.output import Columns, Result, print_table
from arcwise.cli.questions import ModelOptions
from arcwise.cli.results import evidence_lines
from arcwise.errors import ArgumentError
from arcwise.spaces import as_space
from arcwise.support.files import write_json
from arcwise.support.running import Run
from arcwise.support.settings import settings_of


def _or_dash(form: str, value: object) -> str:
    return "-" if value is None else form.format(value)


_METHODS: Columns = {
    "method": "{row.method}",
    ">log evidence": "{row.log_evidence:.4f}",
    ">standard error": lambda part: _or_dash("{:.2g}", part.standard_error),
    ">effective runs": lambda part: _or_dash("{:.1f}", part.effective_runs),
    ">lower bound": lambda part: _or_dash("{0.value:.4f}", part.lower_bound),
    "verdict": "{row.verdict}",
}


def evidence(
    *,
    data: DataOptions,
    asked: ModelOptions,
    method: Annotated[
        Method,
        typer.Option(
            "--method",
            help="How to compute it; combined is exact where that is cheap, otherwise two methods "
            "that are averaged if they agree.",
        ),
    ] = "combined",
    options: Annotated[dict[str, Any], options_of(EvidenceOptions)],
    run: RunOptions,
    out: Annotated[Path | None, out_option("The .json file to write.")] = None,
) -> Result:
    """Compute the log evidence: the log marginal likelihood of the data, summed over structures.

    Its difference between two models, such as two scores, two priors or two values of
    --max-indegree, is their log Bayes factor: see arcwise compare-models. Where too few runs count
    for a standard error, none is stated; ais and smc have lower bounds that hold with the stated
    probability all the same.

    [bold]Example:[/bold] arcwise evidence data.csv --max-indegree 3 --out evidence.json
    """
    chosen = as_evidence_method(method)
    _refuse_options([*options, *(set(run) - {"seconds", "threads", "seed"})], chosen)
    modularity = options.get("modularity", "modular")
    if "space" in options:
        as_space(options["space"])  # before anything takes time
    with asked.model(data, run, modularity) as (model, engine):
        found = arcwise.evidence(model, method, engine=engine, progress=True, **run, **options)
    if found.parts:
        print_table("The methods", _METHODS, found.parts)
    print(*evidence_lines(found), sep="\n")
    result = found.as_dict() | {
        "modularity": modularity,
        "provenance": model.provenance().as_dict(),
    }
    if out is not None:
        write_json(result, out)
        print(f"Evidence written to {out}")
    return lambda: result


def _refuse_options(given: Iterable[str], method: EvidenceMethod) -> None:
    """Refuse options that the method does not have."""
    if method.value in SAMPLERS:
        shared = {"space", "modularity", *(each.name for each in fields(Run))}
        own = (name for name in given if name not in shared)
        refuse_options_of_others(own, method.value, "method")
        return
    flags = {name: found.flag_of(name) for name, _, _, found in settings_of(EvidenceArguments)}
    known = {"modularity"}
    if method in (EvidenceMethod.BRIDGE, EvidenceMethod.BENNETT):
        known |= {"steps", "particles", "runs"}
    for name in given:
        if name not in known:
            raise ArgumentError(
                f"{flags[name]} is not an option of --method {method.value}; leave it "
                "out, or choose another method"
            )
