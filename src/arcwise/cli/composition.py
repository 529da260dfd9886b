"""Output of commands: results on standard output, notes on standard error, and verdicts.

Scripts request one JSON object instead of text (--json), and no notes (--quiet).
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arcwise.cli.help_texts import shown
from arcwise.data import Data, IncompleteData
from arcwise.data.archive import load_table, save_table
from arcwise.data.description import summary
from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.errors import ArgumentError
from arcwise.posterior import Posterior
from arcwise.posterior.matrices import pair_columns
from arcwise.records.account import Finding, with_signs
from arcwise.support.plain import strict_json
from arcwise.support.running import Deadline, hidden_progress, tell
from arcwise.support.settings import Settings, settings_of

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


# --- Composition ----------------------------------------------------------------------------------

# Lets a sub-command take a whole group of options as one argument.
#
# A parameter annotated ``Annotated[Data, OptionGroup(read_data)]`` represents all options of
# `read_data`: the command line shows these options, and the sub-command receives the result of
# `read_data`. Options shared by several sub-commands are thus declared once, as the parameters of
# the function that reads them, or as the fields of a dataclass. Groups may be nested.
#
# Every command also has --quiet, and every command that returns a result has --json, which prints
# it.


began: ContextVar[float | None] = ContextVar("began", default=None)
"""The start of the command, on the clock of a `Deadline`; None if it is when options are read."""


@dataclass(frozen=True)
class OptionGroup:
    """Marks a parameter whose value a function computes from a group of options."""

    reader: Callable[..., Any]  # the function or dataclass, whose parameters are the options
    then: Callable[[Any], Any] = lambda value: value  # applied to its result


def shell_option(group: type[Settings], name: str) -> Any:
    """Return the option of the shell that settings describe."""
    found = next(found for each, _, _, found in settings_of(group) if each == name)
    return typer.Option(found.flag_of(name), help=found.shell_help, metavar=found.metavar)


def out_option(text: str, metavar: str = "FILE") -> Any:
    """Return the option for the file or folder of the results."""
    return typer.Option("--out", help=text, metavar=metavar)


def options_of(
    group: type[Settings],
    *names: str,
    without: Collection[str] = (),
    first: str = "",
    panel: str | None = None,
    converted: Mapping[str, Callable[[Any], Any]] | None = None,
) -> OptionGroup:
    """Return a group of options for settings, all or some of them, that reads the specified ones.

    An option whose default differs between Python and the shell, or between samplers, has none
    here; its help describes the default.
    """
    hints = get_type_hints(group)
    every = {name: (default, found) for name, _, default, found in settings_of(group)}
    usual = [name for name, (_, found) in every.items() if found.in_shell and name not in without]
    ordered = names or sorted(usual, key=lambda name: name != first)

    def read(**given: Any) -> dict[str, Any]:
        values = {
            name: value
            for name, value in given.items()
            if not (value is None or value is False or value == [])
        }
        return values | {
            name: convert(values[name])
            for name, convert in (converted or {}).items()
            if name in values
        }

    parameters = []
    for name in ordered:
        default, found = every[name]
        kind = hints[name] if found.kind is None else found.kind
        flag, text, shown_default = kind is bool, found.shell_help, found.shell_default
        described = flag or shown_default is not None or "default" in text
        if not described and default is not None and default != ():
            shown = f"{default:g}" if isinstance(default, float) else default
            text = f"{text.removesuffix('.')} (default: {shown})."
        declared = typer.Option(
            found.flag_of(name),
            help=text,
            metavar=found.metavar,
            show_default=shown_default is not None,
            rich_help_panel=panel,
        )
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=False if flag else shown_default,
                annotation=Annotated[kind if flag or shown_default else kind | None, declared],
            )
        )
    read.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    read.__annotations__ = {each.name: each.annotation for each in parameters}
    return OptionGroup(read)


def group_of(group: type[Settings]) -> OptionGroup:
    """Return a group of options that reads settings."""
    return OptionGroup(options_of(group).reader, lambda given: group(**given))


def command(function: Callable[..., Result | None]) -> Callable[..., None]:
    """Return the function with each `OptionGroup` replaced by its options."""

    @wraps(function)
    def expanded(**options: Any) -> None:
        quiet, as_json = options.pop("quiet"), options.pop("as_json", False)
        if options.get("seconds") is not None:
            # The time includes reading the data and starting the program.
            options["seconds"] = Deadline(options["seconds"], began=began.get())
        with printing(as_json=as_json, quiet=quiet):
            result = function(**_arguments(function, options))
        if as_json:
            print_json(result)

    parameters = [*_options(function), *_output_parameters(function)]
    # Arguments without a default come first, whatever their group.
    parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature([p.replace(kind=keyword_only) for p in parameters])
    expanded.__signature__ = signature  # type: ignore[attr-defined]
    expanded.__annotations__ = {p.name: p.annotation for p in parameters}
    return expanded


def _options(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """Yield the options of a function, with those of groups in place of the groups."""
    for parameter in _parameters(function):
        group = _group(parameter)
        if group is None:
            yield parameter
        else:
            yield from _options(group.reader)


def _arguments(function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function: its options, and the values read by groups."""
    arguments = {}
    for parameter in _parameters(function):
        group = _group(parameter)
        if group is None:
            arguments[parameter.name] = options[parameter.name]
        else:
            arguments[parameter.name] = group.then(
                group.reader(**_arguments(group.reader, options))
            )
    return arguments


def _group(parameter: inspect.Parameter) -> OptionGroup | None:
    metadata = getattr(parameter.annotation, "__metadata__", ())
    return next((each for each in metadata if isinstance(each, OptionGroup)), None)


def _output_parameters(function: Callable[..., Result | None]) -> list[inspect.Parameter]:
    """Return --quiet, and --json if there is a result to print."""
    flags: dict[str, Any] = {"quiet": QuietFlag}
    if get_type_hints(function)["return"] is not type(None):
        flags["as_json"] = JsonFlag
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(name, keyword_only, default=False, annotation=flag)
        for name, flag in flags.items()
    ]


@cache
def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(function, include_extras=True)
    return [
        parameter.replace(annotation=shown(hints[parameter.name]))
        for parameter in inspect.signature(function).parameters.values()
    ]


# --- Folders --------------------------------------------------------------------------------------

# Folders of results: their posterior and their data, written by `learn`, `sample` or `exact`.


ResultFolder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="A folder written by learn, sample or exact.")
]

PosteriorOut = Annotated[
    Path | None,
    out_option("Folder for edges.csv, evidence.json, summary.json and posterior.npz.", "FOLDER"),
]

DATA = "data.npz"


def make_folder(folder: Path) -> None:
    """Create the folder for results, or refuse a path that is a file."""
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f"'{folder}' is a file; give a folder for --out")
    folder.mkdir(parents=True, exist_ok=True)


def save_data(data: Data | IncompleteData, folder: Path) -> None:
    """Write the table to a folder of results, where effects and predictions need it."""
    make_folder(folder)
    save_table(data, folder / DATA)


def saved_posterior(folder: ResultFolder) -> Posterior:
    """Return the posterior in a folder of results."""
    if not folder.is_dir():
        problem = f"'{folder}' is a file" if folder.exists() else f"there is no folder '{folder}'"
        raise ArgumentError(f"{problem}; give a folder that `arcwise learn --out` wrote")
    file = folder / "posterior.npz"
    if not file.is_file():
        raise ArgumentError(
            f"'{folder}' has no posterior.npz; give a folder that `arcwise learn --out` wrote"
        )
    return Posterior.load(file)


def _saved_with_data(folder: ResultFolder) -> tuple[Posterior, Data | IncompleteData]:
    posterior = saved_posterior(folder)
    if not (folder / DATA).is_file():
        raise ArgumentError(
            f"'{folder}' has no {DATA}, the table it was learned from; learn again with "
            f"`arcwise learn --out {folder}`"
        )
    return posterior, load_table(folder / DATA)


SavedPosterior = Annotated[Posterior, OptionGroup(saved_posterior)]
"""The posterior in a folder of results."""

SavedResults = Annotated[tuple[Posterior, Data | IncompleteData], OptionGroup(_saved_with_data)]
"""The posterior in a folder of results, and the table it was learned from."""
