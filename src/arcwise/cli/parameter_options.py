"""Options of sub-commands that average over parameters: effects, responses, predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

IntervalLevel = Annotated[
    float, typer.Option("--level", help="Probability of the intervals.", metavar="PROBABILITY")
]

ReferenceLevel = Annotated[
    str | None,
    typer.Option(
        "--reference",
        help="The level of a discrete source to compare the others with (default: the first).",
        metavar="LEVEL",
    ),
]

EffectDraws = Annotated[
    int | None,
    typer.Option(
        "--draws",
        help="Number of parameter draws for each DAG (default: 4,000 in all).",
        metavar="N",
    ),
]

PredictionDraws = Annotated[
    int | None,
    typer.Option(
        "--draws",
        help="Number of parameter draws for each DAG, for continuous data (default: 2,000 in all).",
        metavar="N",
    ),
]

TableOut = Annotated[
    Path | None, typer.Option("--out", help="The .csv file to write.", metavar="FILE")
]
