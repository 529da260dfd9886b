"""All fuzzing targets: importing this enters them."""

from __future__ import annotations

from fuzz import arguments, arrays, names, posterior_files, runs, shell, tables, texts
from fuzz.harness import TARGETS

READERS = (
    "npz",
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

MODULES = (arguments, arrays, names, posterior_files, runs, shell, tables, texts)

OPTIONAL = ("pandas", "matplotlib")
"""Packages that some cases are refused without."""

__all__ = ["MODULES", "OPTIONAL", "READERS", "TARGETS"]
