"""`arcwise evidence`: the marginal likelihood of the data, with its error and lower bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from arcwise.cli.output import Result, print_table
from arcwise.cli.questions import ModelOptions
from arcwise.cli.results import evidence_lines
from arcwise.errors import ArgumentError
from arcwise.posterior.evidence import Evidence
from arcwise.spaces import as_space
from arcwise.support.files import write_json
from arcwise.support.running import Run
from arcwise.support.settings import settings_of


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
        _print_parts(found.parts)
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


def _print_parts(parts: Sequence[Evidence]) -> None:
    """Print the estimates of all methods as a table."""
    print_table(
        "The methods",
        (
            *("method", ">log evidence", ">standard error", ">effective runs", ">lower bound"),
            "verdict",
        ),
        (
            (
                part.method,
                f"{part.log_evidence:.4f}",
                "-" if part.standard_error is None else f"{part.standard_error:.2g}",
                "-" if part.effective_runs is None else f"{part.effective_runs:.1f}",
                "-" if part.lower_bound is None else f"{part.lower_bound.value:.4f}",
                part.verdict,
            )
            for part in parts
        ),
    )
