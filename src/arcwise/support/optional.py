"""Imports packages that are needed for one thing only, or says how to install them."""

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
        What needs it, for the message.
    install
        What to give to pip; None for the package itself.

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
