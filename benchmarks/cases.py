"""Cases of the benchmarks: functions, whose parameters are the options of the command line."""

from __future__ import annotations

import argparse
import inspect
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from sweeps import Sweep

Case = Callable[..., None]

CASES: dict[str, Case] = {}

# What parameters mean wherever a case does not say otherwise.
HELP = {
    "data": "tables to use in place of simulated ones",
    "repetitions": "repetitions of each measurement; the shortest time counts",
    "seeds": "number of seeds",
    "folder": "folder of data sets as CSV files",
    "threads": "threads of each run, all cores by default",
}


def case(function: Case) -> Case:
    """Make a function a case; `run.py` calls it by its name, with hyphens for underscores."""
    CASES[name_of(function)] = function
    return function


def name_of(function: Case) -> str:
    return function.__name__.replace("_", "-")


def sentence(function: Case) -> str:
    """Return the first sentence of a case's docstring."""
    return (function.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")


def call(functions: Sequence[Case], words: Sequence[str]) -> None:
    """Parse the options that any of the cases has, and call each case with its own."""
    names = " ".join(map(name_of, functions))
    texts = [inspect.cleandoc(each.__doc__ or "") for each in functions]
    parser = argparse.ArgumentParser(
        prog=f"run.py {names}",
        description="\n\n".join(texts),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    known: dict[str, dict[str, Any]] = {}
    for function in functions:
        for name, option in options_of(function).items():
            before = known.setdefault(name, option)
            if any(before.get(key) != option.get(key) for key in ("type", "nargs")):
                known[name] = {}  # an option that differs is for each of the cases alone
    for name, option in known.items():
        if not option:
            continue
        if option["type"] is bool:
            parser.add_argument(_hyphened(name), action="store_true", help=option["help"])
        else:
            parser.add_argument(_hyphened(name), **option)
    given = vars(parser.parse_args(words))
    for function in functions:
        own = {name: given[name] for name in options_of(function) if name in given}
        if "sweep" in inspect.signature(function).parameters:
            of_sweep = {name: own.pop(name) for name in options_of(Sweep) if name in own}
            own["sweep"] = Sweep(name_of(function), **of_sweep)
        function(**own)


def options_of(function: Callable[..., Any]) -> dict[str, dict[str, Any]]:
    """Return what `add_argument` needs for each parameter; those of `Sweep` are options too."""
    found: dict[str, dict[str, Any]] = {}
    annotated = Sweep.__init__ if function is Sweep else function
    hints = get_type_hints(annotated, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        if hints[name] is Sweep:
            found |= options_of(Sweep)
        elif parameter.default is not parameter.empty:
            found[name] = _option(hints[name], HELP.get(name, ""), parameter.default)
    return found


def _option(hint: Any, meaning: str, default: Any) -> dict[str, Any]:
    if get_origin(hint) is Annotated:
        hint, meaning = get_args(hint)
    if get_origin(hint) in (types.UnionType, Union):
        (hint,) = (each for each in get_args(hint) if each is not types.NoneType)
    several = get_origin(hint) is Sequence
    shown = " ".join(map(str, default)) if several else default
    if default not in (None, False, ()):
        meaning += f" (default: {shown})"
    option: dict[str, Any] = {"help": meaning.strip().replace("%", "%%")}
    if several:
        option["nargs"] = "*"
        (hint, *_) = get_args(hint)
    if get_origin(hint) is Literal:
        return option | {"type": str, "choices": get_args(hint)}
    assert hint in (bool, int, float, str, Path), hint
    return option | {"type": hint}


def _hyphened(name: str) -> str:
    return "--" + name.replace("_", "-")
