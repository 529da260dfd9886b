"""What the scripts of the papers share: options, data by name, published numbers, tables, figures.

A script makes a `Results`, runs its experiments, hands it `Table`s and figures, and they are
printed and written as Markdown and PNG into one folder.
"""

from __future__ import annotations

import argparse
import io
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

import arcwise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from arcwise.data import Data

# The Okabe-Ito colours, which remain apart for colour-blind readers and on paper.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]

# Dots per inch of the figures; with a palette of this many colours they are a quarter of the size.
RESOLUTION = 120
COLOURS_OF_A_FILE = 128

plt.rcParams["figure.constrained_layout.use"] = True
plt.rcParams["axes.spines.top"] = False
plt.rcParams["axes.spines.right"] = False
plt.rcParams["font.size"] = 9.0


class MissingDataError(Exception):
    """A data set that a script needs is not in the folder it was told of."""


@dataclass(frozen=True)
class Published:
    """A number that a paper prints, and where it does.

    Parameters
    ----------
    place
        The table, or the section whose text states it, such as ``"Table 1"``.
    what
        What it is a number of, such as ``"German, linear orders, iterations in 4 days"``.
    value
        The number.
    about
        Whether the paper says "about", or states a bound in words.
    """

    place: str
    what: str
    value: float
    about: bool = False

    def __str__(self) -> str:
        return f"{'about ' if self.about else ''}{shown(self.value)}"


def published(rows: Sequence[Published], what: str) -> Published:
    """Return the one published number of that description."""
    found = [row for row in rows if row.what == what]
    if len(found) != 1:
        raise LookupError(f"{len(found)} published numbers are {what!r}; there must be one")
    return found[0]


def shown(value: object) -> str:
    """Return a cell of a table: numbers with as many digits as they can bear, None as a dash."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        if value != value:
            return "–"
        size = abs(value)
        if size >= 1e6 and size != float("inf"):
            mantissa, exponent = f"{value:.2g}".split("e")
            return f"{mantissa} × 10^{int(exponent)}"
        if size >= 1000:
            return f"{value:,.0f}"
        if size >= 100:
            return f"{value:.1f}"
        if size >= 1:
            return f"{value:.2f}"
        return f"{value:.3f}" if size >= 0.01 or size == 0.0 else f"{value:.2g}"
    return str(value)


@dataclass
class Table:
    """A table with a title, written as Markdown; first columns are text, numbers stand right."""

    title: str
    columns: Sequence[str]
    rows: list[Sequence[object]] = field(default_factory=list)
    text_columns: int = 1

    def add(self, *cells: object) -> None:
        """Append a row."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns of {self.title}")
        self.rows.append(cells)

    def markdown(self) -> str:
        """Return the table as Markdown, its title as a paragraph before it."""
        rule = [
            "---" if column < self.text_columns else "---:" for column in range(len(self.columns))
        ]
        lines = [self.columns, rule, *([shown(cell) for cell in row] for row in self.rows)]
        return f"{self.title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


class Results:
    """The folder a script writes to: `tables.md`, written anew with each table, and figures."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._parts: list[str] = []

    def table(self, table: Table) -> None:
        """Print a table and write it beside those before."""
        self.text(table.markdown())

    def text(self, text: str) -> None:
        """Print a paragraph and write it among the tables."""
        self._parts.append(text.rstrip() + "\n")
        print(f"\n{self._parts[-1]}", end="", flush=True)
        (self.folder / "tables.md").write_text("\n".join(self._parts), encoding="utf-8")

    def figure(self, name: str, figure: Figure) -> Path:
        """Write a figure as NAME.png and close it."""
        path = self.folder / f"{name}.png"
        drawn = io.BytesIO()
        figure.savefig(drawn, format="png", dpi=RESOLUTION)
        plt.close(figure)
        image = Image.open(drawn).convert("RGB")
        octree, undithered = Image.Quantize.FASTOCTREE, Image.Dither.NONE
        image.quantize(COLOURS_OF_A_FILE, octree, dither=undithered).save(path, optimize=True)
        print(f"\nFigure {path}", flush=True)
        return path


def label_few_seconds(axes: Axes) -> None:
    """Label only 1 and 2 of each decade of a logarithmic x-axis: more overlap in narrow panels."""
    axes.xaxis.set_minor_formatter(_twice_a_power_of_ten)


def _twice_a_power_of_ten(value: float, _place: float | None = None) -> str:
    exponent = math.floor(math.log10(value))
    if round(value / 10.0**exponent) != 2:
        return ""
    return rf"$\mathdefault{{2\times10^{{{exponent}}}}}$"


@dataclass(frozen=True)
class Options:
    """What every script is told on the command line."""

    data: Path
    seconds: float
    full: bool
    results: Results
    seed: int
    threads: int


def options(
    description: str, name: str, seconds: float, arguments: Sequence[str] | None = None
) -> Options:
    """Read the command line of a script.

    Parameters
    ----------
    description
        What the script does.
    name
        Its name, which is that of its folder under build/papers as well.
    seconds
        How long all of it takes by default, about, on one core.
    arguments
        Those of the command line if None.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data sets")
    parser.add_argument(
        "--seconds", type=float, default=seconds, help="about how long to run (%(default)g)"
    )
    parser.add_argument("--full", action="store_true", help="the paper's size: hours to days")
    parser.add_argument("--out", type=Path, default=Path("build/papers") / name)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args(arguments)
    return Options(
        given.data, given.seconds, given.full, Results(given.out), given.seed, given.threads
    )


def table_path(folder: Path, name: str) -> Path:
    """Return where the data set of a name is, `NAME.csv`, or say that it is missing."""
    path = folder / f"{name}.csv"
    if not path.is_file():
        raise MissingDataError(
            f"{name}.csv is not in {folder}; put the data set there as CSV with a header row, or "
            "give another folder with --data"
        )
    return path


def load(folder: Path, name: str, **how: Any) -> Data:
    """Return the data set of a name, read with the options of `arcwise.read`."""
    data: Data = arcwise.read(table_path(folder, name), **how)
    return data


@contextmanager
def stopwatch() -> Iterator[Callable[[], float]]:
    """Give a function that tells the seconds of wall-clock time since the block began."""
    start = time.perf_counter()
    end: list[float] = []
    try:
        yield lambda: (end[0] if end else time.perf_counter()) - start
    finally:
        end.append(time.perf_counter())


def main(run: Callable[[Options], None], read: Options) -> None:
    """Run a script; data that are missing end it with a sentence and status 2."""
    try:
        run(read)
    except MissingDataError as missing:
        print(missing, file=sys.stderr)
        sys.exit(2)
