"""Every argument of every public function, with values of any type and size."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from arcwise.errors import MissingDependencyError
from fuzz import hostile
from fuzz.calls import calls
from fuzz.harness import Target
from fuzz.subjects import Subjects

# A text would be the address of a scheduler, which is waited for; clocks are for tests.
_LEFT_ALONE = {"engine", "clock", "processor", "began", "whole"}
# Names of files come from here alone, lest something is written beside the target's folder.
_PATHS = {"path", "file", "directory", "folder"}


class Arguments(Target, name="arguments"):
    share = 3.0
    most_seconds = 0.5  # a hundred million steps are a request like any other

    def set_up(self) -> None:
        self.calls = []
        subjects = Subjects(self.folder)
        self.things = subjects.every()
        for function, positional, named in calls(subjects):
            # What works as it stands shows where a change leads to; it imports what it needs, too.
            with suppress(MissingDependencyError):
                function(*positional, **named)
            known = options(function, len(positional), named)
            self.calls.append((function, positional, named, known))

    def case(self, draw: random.Random) -> None:
        function, positional, named, known = draw.choice(self.calls)
        arguments = list(positional)
        chosen = dict(named)
        for _ in range(draw.choice([1, 1, 1, 2])):
            if arguments and (not known or draw.random() < 0.15):
                other = draw.choice(self.things) if draw.random() < 0.3 else hostile.value(draw)
                arguments[draw.randrange(len(arguments))] = in_folder(other)
            elif known:
                name = draw.choice(known)
                value = hostile.number(draw) if draw.random() < 0.6 else hostile.value(draw)
                chosen[name] = in_folder(value) if name in _PATHS else value
        function(*arguments, **chosen)


def options(function: Callable[..., Any], places: int, named: dict[str, Any]) -> list[str]:
    """Return the arguments of a function that can be given by name after so many by place."""
    found = set(named)
    for place, each in enumerate(inspect.signature(function).parameters.values()):
        if each.kind is each.KEYWORD_ONLY or (
            each.kind is each.POSITIONAL_OR_KEYWORD and place >= places
        ):
            found.add(each.name)
    return sorted(found - _LEFT_ALONE)


def in_folder(value: Any) -> Any:
    """Return a value; as the name of a file, it is one in the current folder."""
    return value.replace("/", "_") if isinstance(value, str) else value
