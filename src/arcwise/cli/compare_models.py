"""`arcwise compare-models`: the posterior probabilities of models of the same data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import arcwise
from arcwise.cli.composition import out_option
from arcwise.cli.output import Result, print_table
from arcwise.comparison import ModelEvidence
from arcwise.errors import ArgumentError
from arcwise.support.files import write_json

_COLUMNS = {
    "model": "{row.name}",
    ">probability": "{row.probability:.4f}",
    ">95 % interval": "{row.interval.low:.4f} to {row.interval.high:.4f}",
    ">log evidence": "{row.evidence.log_evidence:.2f}",
    ">log Bayes factor": "{row.log_bayes_factor:.2f}",
    "evidence is": "{row.evidence.verdict}",
}


def compare_models(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="Files that `arcwise evidence --out` wrote, or folders of results with an "
            "evidence.json, two or more.",
        ),
    ],
    prior: Annotated[
        list[float] | None,
        typer.Option(
            "--prior",
            help="The prior probability of each model, in any unit and in the order of the files; "
            "once for each (default: all are equal).",
            metavar="NUMBER",
        ),
    ] = None,
    out: Annotated[Path | None, out_option("The .json file to write.")] = None,
) -> Result:
    """Compare models of the same data: their posterior probabilities, by their evidence.

    Models may differ in anything but the data: the score, --equivalent-sample-size, --prior,
    --max-indegree and other constraints. Intervals are for the Monte Carlo error of estimated
    evidences.

    [bold]Example:[/bold] arcwise compare-models one.json ten.json
    """
    models = {str(path): ModelEvidence.read(_file(path)) for path in files}
    found = arcwise.compare_models(models, prior=prior)
    print_table("The models, the most probable first", _COLUMNS, found.models)
    print(*found.sentences, sep="\n")
    if out is not None:
        write_json(found.as_dict(), out)
        print(f"Comparison written to {out}")
    return found.as_dict


def _file(path: Path) -> Path:
    file = path / "evidence.json" if path.is_dir() else path
    if not file.is_file():
        raise ArgumentError(
            f"there is no file '{file}'; give files that `arcwise evidence --out` wrote"
        )
    return file
