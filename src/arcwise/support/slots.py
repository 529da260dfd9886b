"""`Slot`: a function that a package further up fills in, so that imports go downwards only.

A posterior can be asked for its report, and the report package imports posteriors: the method
calls a slot, which the report package fills when `arcwise` is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, cast

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Filling = TypeVar("Filling", bound=Callable[..., Any])


class Slot(Generic[Arguments, Result]):
    """A function that is defined further up.

    Examples
    --------
    >>> double: Slot[[int], int] = Slot()
    >>> @double.fill
    ... def twice(number: int) -> int:
    ...     return 2 * number
    >>> double(4)
    8
    """

    def __init__(self) -> None:
        self._function: Callable[Arguments, Result] | None = None

    def fill(self, function: Filling) -> Filling:
        """Put the function in its place and return it; a decorator."""
        if self._function is not None:
            raise RuntimeError(f"the slot of {function.__name__} is filled already")
        # The function keeps its own type, which says more than that of the slot.
        self._function = cast(Callable[Arguments, Result], function)
        return function

    def __call__(self, *arguments: Arguments.args, **keywords: Arguments.kwargs) -> Result:
        """Call the function."""
        if self._function is None:
            raise RuntimeError("nothing has filled this slot; import arcwise as a whole")
        return self._function(*arguments, **keywords)
