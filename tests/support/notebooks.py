"""Notebooks run in a kernel of their own, and what their cells put out."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

import arcwise


def executed(folder: Path, *cells: str) -> list[list[dict[str, Any]]]:
    """Run cells of code in a notebook with this Python, and return the outputs of each.

    Parameters
    ----------
    folder
        Where the kernel is described and the notebook runs.
    cells
        The code of each cell. A cell that fails is an error here, too.
    """
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    # The kernel that is installed may be another Python's.
    client.create_kernel_manager()
    assert client.km is not None
    kernel = client.km.kernel_spec
    assert kernel is not None
    kernel.argv[0] = sys.executable
    package = Path(arcwise.__file__).resolve().parents[1]
    client.execute(env=os.environ | {"PYTHONPATH": str(package)})
    return [list(cell.outputs) for cell in notebook.cells]


def shown(outputs: list[dict[str, Any]], form: str) -> list[Any]:
    """Return what the outputs of a cell show in one form, such as ``text/html``."""
    return [
        output["data"][form]
        for output in outputs
        if output["output_type"] in ("display_data", "execute_result") and form in output["data"]
    ]
