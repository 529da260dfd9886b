"""All fuzzing targets: importing this enters them."""

from __future__ import annotations

from fuzz import (
    arguments,
    arrays,
    methods,
    names,
    posterior_files,
    runs,
    saved_tables,
    shell,
    tables,
    texts,
)
from fuzz.harness import TARGETS

READERS = (
    "npz",
    "data-file",
    "evidence-file",
    "ledger",
    "jkl",
    "csv",
    "parquet",
    "score-table",
    "edge-file",
    "knowledge-file",
    "names",
    "arrays",
)
"""Those that read files or arrays, for the sanitizers."""

MODULES = (
    *(arguments, arrays, methods, names, posterior_files),
    *(runs, saved_tables, shell, tables, texts),
)

OPTIONAL = ("pandas", "matplotlib")
"""Packages that some cases are refused without."""

__all__ = ["MODULES", "OPTIONAL", "READERS", "TARGETS"]
