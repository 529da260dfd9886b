"""Import of optional packages, with instructions if they are not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from arcwise.errors import MissingDependencyError


def optional(module: str, method: str, install: str | None = None) -> Any:
    """Return a module of an optional package.

    Parameters
    ----------
    module
        The module, such as ``"matplotlib.figure"``.
    method
        The function that needs it, for the message.
    install
        The argument of ``pip install``; None for the package itself.

    Raises
    ------
    MissingDependencyError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise MissingDependencyError(
            f"`{method}` needs the package {package}, which is not installed; "
            f"install it with `pip install {install or package}`"
        ) from None
