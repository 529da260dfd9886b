"""Lets a sub-command take a whole group of options as one argument.

A parameter annotated ``Annotated[Data, OptionGroup(read_data)]`` represents all options of
`read_data`: the command line shows these options, and the sub-command receives the result of
`read_data`. Options shared by several sub-commands are thus declared once, as the parameters of
the function that reads them, or as the fields of a dataclass. Groups may be nested.

Every command also has --quiet, and every command that returns a result has --json, which prints it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, wraps
from typing import Annotated, Any, get_type_hints

import typer

from arcwise.cli.help_texts import shown
from arcwise.cli.output import JsonFlag, QuietFlag, Result, print_json, printing
from arcwise.support.clock import Deadline
from arcwise.support.settings import Settings, settings_of

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
