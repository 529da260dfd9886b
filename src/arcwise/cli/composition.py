"""Lets a sub-command take a whole group of options as one argument.

A parameter annotated ``Annotated[Data, Made(read_data)]`` stands for all options of
`read_data`: the command line shows those, and the sub-command gets what
`read_data` makes of them. So options that several sub-commands share are
declared once, on the function that reads them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, get_type_hints


@dataclass(frozen=True)
class Made:
    """Marks a parameter as made by a function from options of its own."""

    by: Callable[..., Any]


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Return the function with its `Made` parameters replaced by the options they are made of."""
    makers: dict[str, Callable[..., Any]] = {}
    parameters: list[inspect.Parameter] = []
    for parameter in _parameters(function):
        made = [m for m in getattr(parameter.annotation, "__metadata__", ()) if isinstance(m, Made)]
        if made:
            makers[parameter.name] = made[0].by
            parameters.extend(_parameters(made[0].by))
        else:
            parameters.append(parameter)

    @wraps(function)
    def expanded(**options: Any) -> None:
        arguments = {}
        for name, maker in makers.items():
            own = {p.name: options.pop(p.name) for p in _parameters(maker)}
            arguments[name] = maker(**own)
        function(**arguments, **options)

    # Arguments without a default come first, whichever group they are from.
    parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    signature = inspect.Signature([p.replace(kind=keyword_only) for p in parameters])
    expanded.__signature__ = signature  # type: ignore[attr-defined]
    expanded.__annotations__ = {p.name: p.annotation for p in parameters}
    return expanded


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(function, include_extras=True)
    return [
        parameter.replace(annotation=hints[parameter.name])
        for parameter in inspect.signature(function).parameters.values()
    ]
