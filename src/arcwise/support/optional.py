"""Import of optional packages, with instructions if they are not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from arcwise.errors import MissingDependencyError

EXTRAS = {
    "arviz_base": "arviz",
    "cupy": "gpu",
    "distributed": "cluster",
    "matplotlib": "plots",
    "networkx": "graphs",
}
"""The extra of arcwise that brings a package, by the name under which it is imported."""


def optional(module: str, method: str, install: str | None = None) -> Any:
    """Return a module of an optional package."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        extra = EXTRAS.get(package)
        advice = install or (package if extra is None else f"'arcwise[{extra}]'")
        raise MissingDependencyError(
            f"`{method}` needs the package {package}, which is not installed; "
            f"install it with `pip install {advice}`"
        ) from None
