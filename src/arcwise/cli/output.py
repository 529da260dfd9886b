"""Output of commands: results on standard output, notes on standard error, and verdicts.

Scripts request one JSON object instead of text (--json), and no notes (--quiet).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arcwise.data import Data
from arcwise.data.description import summary
from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.posterior import Posterior
from arcwise.posterior.matrices import pair_columns
from arcwise.records.account import Finding, with_signs
from arcwise.support.plain import strict_json
from arcwise.support.progress import hidden_progress, tell

Result = Callable[[], Mapping[str, Any]]
"""The result of a command: a function that returns the object for --json."""
Columns = Mapping[str, str | Callable[[Any], str]]
"""The cells of each column by its heading: functions of a row, or formats, such as "{row.name}".

A heading that begins with > belongs to a column of numbers.
"""
_PANEL = "Output"
_LEAST_PROBABILITY = 0.01
JsonFlag = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print the result as one JSON object instead of text.",
        rich_help_panel=_PANEL,
    ),
]
QuietFlag = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Print results, warnings and errors only: no progress and no notes.",
        rich_help_panel=_PANEL,
    ),
]


def note_data(data: Data) -> None:
    """Print a one-line summary of the data; `arcwise describe` has the details."""
    tell(f"Data: {summary(data)}.")


def note_nothing_kept() -> None:
    """Print how to save a result that was only printed."""
    tell("Nothing was written; add --out FOLDER to keep the result.")


@contextmanager
def printing(*, as_json: bool, quiet: bool) -> Iterator[None]:
    """Suppress the notes of a command with --quiet, and its standard output with --json."""
    with ExitStack() as hidden:
        if quiet:
            hidden.enter_context(hidden_progress())
        if as_json:
            hidden.enter_context(redirect_stdout(io.StringIO()))
        yield


def print_json(result: Result | None) -> None:
    """Print the result of a command, for --json."""
    assert result is not None
    print(strict_json(result(), indent=2))


def print_table(title: str | None, columns: Columns, rows: Iterable[Any]) -> None:
    """Print a table of rows, each with its cells in the columns."""
    table = Table(title=title, title_justify="left")
    for heading in columns:
        justify: Any = "right" if heading.startswith(">") else "left"
        table.add_column(heading.removeprefix(">"), justify=justify)
    for row in rows:
        # Names may look like markup of Rich.
        table.add_row(
            *(
                Text(cell.format(row=row) if isinstance(cell, str) else cell(row))
                for cell in columns.values()
            )
        )
    Console().print(table)


def with_verdicts(posterior: Posterior, result: Result) -> Result:
    """Print both verdicts on a posterior, and return its result with both."""
    print_verdicts(posterior)
    return lambda: {"reliability": reliability_result(posterior), **result()}


def posterior_result(posterior: Posterior) -> Mapping[str, Any]:
    """Return a posterior for --json: its summary, and the pairs that are not improbable."""
    best, evidence = posterior.map_dag, posterior.evidence
    columns = pair_columns(posterior, _LEAST_PROBABILITY)
    rows = zip(*columns.values(), strict=True)
    return {
        "reliability": reliability_result(posterior),
        "adjacencies": [dict(zip(columns, row, strict=True)) for row in rows],
        "evidence": None if evidence is None else evidence.as_dict(),
        "best_dag": None if best is None else [list(edge) for edge in best.edges],
        **posterior.summary_dict(),
    }


def print_reliability(diagnosis: Diagnosis) -> None:
    """Print both verdicts, each with its findings."""
    print("Reliability")
    print(f"  computation: {diagnosis.verdict}")
    _print_findings([each for each in diagnosis.findings if each.part == "computation"])
    print(f"  data and model: {diagnosis.data_verdict}")
    _print_findings([each for each in diagnosis.findings if each.part == "data and model"])
    print()


def _print_findings(findings: Sequence[Finding]) -> None:
    for sentence in with_signs(findings):
        print(f"    {sentence}")


def reliability_result(posterior: Posterior) -> Mapping[str, Any]:
    """Return both verdicts with all their findings, which are part of every JSON object."""
    diagnosis = posterior.diagnose()
    return {
        "computation": diagnosis.verdict,
        "data_and_model": diagnosis.data_verdict,
        "sentences": [*diagnosis.sentences, *diagnosis.data_sentences],
    }


def print_verdicts(posterior: Posterior) -> None:
    """Print both verdicts and their serious findings, for a single number or graph."""
    diagnosis = posterior.diagnose()
    print(f"Computation: {diagnosis.verdict}; data and model: {diagnosis.data_verdict}.")
    for sentence in with_signs(each for each in diagnosis.findings if each.severity == "serious"):
        print(f"  {sentence}")
