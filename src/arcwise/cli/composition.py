"""Lets a sub-command take a whole group of options as one argument.

A parameter annotated ``Annotated[Data, OptionGroup(read_data)]`` stands for all options of
`read_data`: the command line shows those options, and the sub-command receives what
`read_data` returns. Options shared by several sub-commands are thus declared once, on the
function that reads them.

Every command also has --quiet, and every one that returns a result has --json, which prints it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any, get_type_hints

from arcwise.cli.output import JsonFlag, QuietFlag, Result, print_result
from arcwise.support.clock import Deadline

began: ContextVar[float | None] = ContextVar("began", default=None)
"""When the command began, on the clock of a `Deadline`; None for when its options were read."""


@dataclass(frozen=True)
class OptionGroup:
    """Marks a parameter whose value a function computes from options of its own.

    Parameters
    ----------
    reader
        The function, whose parameters are the options.
    then
        What is done with its result, for groups that share their options.
    """

    reader: Callable[..., Any]
    then: Callable[[Any], Any] = lambda value: value


def command(function: Callable[..., Result | None]) -> Callable[..., None]:
    """Return the function with each `OptionGroup` replaced by the options it stands for."""
    readers: dict[str, OptionGroup] = {}
    parameters: list[inspect.Parameter] = []
    for parameter in _parameters(function):
        metadata = getattr(parameter.annotation, "__metadata__", ())
        groups = [group for group in metadata if isinstance(group, OptionGroup)]
        if groups:
            readers[parameter.name] = groups[0]
            parameters.extend(_parameters(groups[0].reader))
        else:
            parameters.append(parameter)

    parameters += _output_parameters(function)

    @wraps(function)
    def expanded(**options: Any) -> None:
        quiet, as_json = options.pop("quiet"), options.pop("as_json", False)
        print_result(lambda: run(options), as_json=as_json, quiet=quiet)

    def run(options: dict[str, Any]) -> Result | None:
        arguments = {}
        if options.get("seconds") is not None:
            # Reading the data counts as well, and so does starting the program.
            options["seconds"] = Deadline(options["seconds"], began=began.get())
        for name, group in readers.items():
            own = {p.name: options.pop(p.name) for p in _parameters(group.reader)}
            arguments[name] = group.then(group.reader(**own))
        return function(**arguments, **options)

    # Arguments without a default come first, whichever group they belong to.
    parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature([p.replace(kind=keyword_only) for p in parameters])
    expanded.__signature__ = signature  # type: ignore[attr-defined]
    expanded.__annotations__ = {p.name: p.annotation for p in parameters}
    return expanded


def _output_parameters(function: Callable[..., Result | None]) -> list[inspect.Parameter]:
    """Return --quiet, and --json where there is a result to print."""
    flags: dict[str, Any] = {"quiet": QuietFlag}
    if get_type_hints(function)["return"] is not type(None):
        flags["as_json"] = JsonFlag
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(name, keyword_only, default=False, annotation=flag)
        for name, flag in flags.items()
    ]


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(function, include_extras=True)
    return [
        parameter.replace(annotation=hints[parameter.name])
        for parameter in inspect.signature(function).parameters.values()
    ]
