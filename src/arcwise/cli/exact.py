"""`arcwise exact`: the exact posterior, written to a folder."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import arcwise
from arcwise.algorithms.exact_computation import MOST_VARIABLES
from arcwise.algorithms.memory import exact_cost
from arcwise.cli.composition import options_of
from arcwise.cli.folders import PosteriorOut, save_data
from arcwise.cli.options import DataOptions, ModularityName
from arcwise.cli.output import Result
from arcwise.cli.questions import ModelOptions
from arcwise.cli.results import show_posterior
from arcwise.errors import ArgumentError
from arcwise.support.progress import tell
from arcwise.support.running import Run


def exact(
    *,
    data: DataOptions,
    asked: ModelOptions,
    modularity: ModularityName = "modular",
    memory_limit: Annotated[
        float | None,
        typer.Option(
            "--memory-limit",
            help="Memory that may be used, in GiB (default: what is free).",
            metavar="GIB",
        ),
    ] = None,
    run: Annotated[dict[str, Any], options_of(Run, "threads", "device")],
    out: PosteriorOut = None,
) -> Result:
    """Compute the exact posterior: edge probabilities, evidence and the best DAG.

    By dynamic programming, for up to {modular} variables (3^n operations), or {order_modular} with
    --modularity order-modular (n^2 2^n operations). The memory needed is printed beforehand.

    [bold]Example:[/bold] arcwise exact data.csv --max-indegree 3 --out results
    """
    if memory_limit is not None and not 0 < memory_limit * 2**30 < float("inf"):
        raise ArgumentError(f"--memory-limit is {memory_limit:g}; give a positive number of GiB")
    with asked.model(data, run, modularity) as (model, _):
        cost = exact_cost(model, modularity, threads=run.get("threads"))
        tell(f"Exact {modularity} posterior: {cost}.")
        posterior = arcwise.exact(
            model,
            modularity,
            memory_limit=None if memory_limit is None else int(memory_limit * 2**30),
            progress=True,
            **run,
        )
    if out is not None:
        save_data(data, out)
    return show_posterior(posterior, out)


assert exact.__doc__ is not None
exact.__doc__ = exact.__doc__.format(
    modular=MOST_VARIABLES["modular"], order_modular=MOST_VARIABLES["order-modular"]
)
