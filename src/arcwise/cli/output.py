"""What a command prints, and where: results to standard output, notes to standard error.

Scripts ask for one JSON object instead of the text (--json), and for no notes (--quiet).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from contextlib import ExitStack, redirect_stdout
from typing import Annotated, Any

import typer

from arcwise.data import Data
from arcwise.data.description import summary
from arcwise.posterior import Posterior
from arcwise.support.plain import strict_json
from arcwise.support.progress import hidden_progress, tell

Result = Callable[[], Mapping[str, Any]]
"""What a command returns: a function that makes the object --json prints, called for that alone."""

_PANEL = "Output"
_LEAST_PROBABILITY = 0.01

JsonFlag = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print the result as one JSON object instead of text.",
        metavar="",
        rich_help_panel=_PANEL,
    ),
]

QuietFlag = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Print results, warnings and errors only: no progress and no notes.",
        metavar="",
        rich_help_panel=_PANEL,
    ),
]


def note_data(data: Data) -> None:
    """Say in a line what was read; `arcwise describe` has the details."""
    tell(f"Data: {summary(data)}.")


def note_nothing_kept() -> None:
    """Say how to keep a result that was only printed."""
    tell("Nothing was written; add --out FOLDER to keep the result.")


def print_result(function: Callable[[], Result | None], *, as_json: bool, quiet: bool) -> None:
    """Run a command, and print what it prints, or with --json what it returns."""
    with ExitStack() as shown:
        if quiet:
            shown.enter_context(hidden_progress())
        if as_json:
            shown.enter_context(redirect_stdout(io.StringIO()))
        result = function()
    if as_json:
        assert result is not None
        print(strict_json(result(), indent=2))


def posterior_result(posterior: Posterior) -> Mapping[str, Any]:
    """Return a posterior as `--json` prints it: its summary, and the pairs worth a look."""
    best, evidence = posterior.map_dag, posterior.evidence
    return {
        "reliability": (posterior.account or posterior.diagnose()).verdict,
        "adjacencies": _adjacencies(posterior),
        "evidence": None if evidence is None else evidence.as_dict(),
        "best_dag": None if best is None else [list(edge) for edge in best.edges],
        **posterior.summary_dict(),
    }


def _adjacencies(posterior: Posterior) -> list[dict[str, Any]]:
    edges, names = posterior.edges, posterior.variables
    rows = []
    for u in range(len(names)):
        for v in range(u + 1, len(names)):
            one, other = (u, v) if edges[u, v] >= edges[v, u] else (v, u)
            forward, backward = float(edges[one, other]), float(edges[other, one])
            if forward + backward >= _LEAST_PROBABILITY:
                rows.append(
                    {
                        "source": names[one],
                        "target": names[other],
                        "adjacency": min(forward + backward, 1.0),
                        "forward": forward,
                        "backward": backward,
                    }
                )
    return sorted(rows, key=lambda row: -row["adjacency"])
