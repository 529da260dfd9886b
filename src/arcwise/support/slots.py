"""`Slot`: a function implemented in a higher package, so that imports go downwards only.

A posterior has a method that writes its report, but the report package imports posteriors: the
method calls a slot, which the report package fills when `arcwise` is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, cast

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Filling = TypeVar("Filling", bound=Callable[..., Any])


class Slot(Generic[Arguments, Result]):
    """A function that is defined in a higher package.

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
        """Set the function and return it; used as a decorator."""
        if self._function is not None:
            raise RuntimeError(f"the slot of {function.__name__} is already filled")
        # The function keeps its own type, which is more specific than that of the slot.
        self._function = cast(Callable[Arguments, Result], function)
        return function

    def __call__(self, *arguments: Arguments.args, **keywords: Arguments.kwargs) -> Result:
        """Call the function."""
        if self._function is None:
            raise RuntimeError("this slot is not filled; import arcwise first")
        return self._function(*arguments, **keywords)
