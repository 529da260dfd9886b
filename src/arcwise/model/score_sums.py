"""`ScoreSums`: sums, maxima and draws over the families of a node, which all algorithms use.

They can be written to a file that all processes of a machine map without copying.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from arcwise import _core
from arcwise.errors import ArgumentError, CapacityError, FileFormatError
from arcwise.model.model import Model, checked_model
from arcwise.support.checks import (
    checked_seed,
    file_path,
    instance,
    one_of,
    open_fraction,
    refuse_beyond_memory,
    whole_number,
)
from arcwise.support.files import UNREADABLE, Header, header_of, seal, verify
from arcwise.support.names import checked_variables, positions, quoted, shown
from arcwise.support.plain import PlainDataclasses
from arcwise.support.running import TimedRun
from arcwise.support.settings import Settings, made_of, setting

__all__ = ["ScoreSums", "checked_sums"]

_LARGEST_TABLE = 30
_BYTES_PER_DRAW = 200  # the size of a tuple of parents

NodeMethod = Literal["table", "rows", "walk", "scan"]
Method = Literal["auto", "table", "rows", "walk", "scan"]
Tabulated = Literal["sums", "maxima", "both"]


@dataclass(frozen=True, kw_only=True)
class Summing(Settings):
    """How score sums are computed; `ScoreSums` describes it."""

    method: Method = setting("auto", "", check=one_of(Method))
    tolerance: float = setting(1e-12, "", check=open_fraction)
    tabulate: Tabulated | None = setting(None, "", check=one_of(Tabulated))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(TimedRun, Summing):
    """The arguments of `ScoreSums`."""

    model: Model = field(kw_only=False)


class ScoreSums:
    """Sums, maxima and draws over the families of a node under constraints on its parents.

    For a node, `allowed` is a set that contains all its parents, and `required` a set that
    contains at least one of them. Results are natural logarithms, minus infinity if there
    is no such family, and numerically stable.

    Parameters
    ----------
    model
        The model whose weights are summed. Its parent-only variables are summed out, and parent
        sets consist of the others.
    method
        ``"table"``: one number for each set of candidates, so that every sum is a look-up.
        ``"rows"``: a row of numbers for each set of candidates, for nodes whose parent sets may
        have one parent that is not a candidate. ``"walk"``: a sum over all allowed families that
        are not negligible, for nodes whose families are all sets of candidates up to some size.
        ``"scan"``: a sum over families in decreasing order of weight until the remaining ones
        are negligible. ``"auto"``: rows if there are outside parents, tables for nodes with up
        to 20 candidates, walks for nodes with up to six parents and four million families,
        otherwise scans.
    tolerance
        The largest fraction of a sum that a walk or a scan may omit.
    tabulate
        ``"sums"``, ``"maxima"`` or ``"both"``: the contents of tables and rows, which determine
        their memory. Maxima that are not tabulated are slow, and rows of maxima alone
        provide no sums. With parent-only variables a weight is the sum, or with ``"maxima"`` the
        maximum, over the parent-only parents, and ``"both"`` is not available. None for
        ``"sums"`` with parent-only variables, and for ``"both"`` otherwise.
    seconds, threads, progress
        As for `arcwise.score`.

    Examples
    --------
    >>> import math
    >>> model = Model(["a", "b", "c"], lambda node, parents: -float(len(parents)))
    >>> sums = ScoreSums(model)
    >>> math.isclose(sums.log_sum("a", ["b"]), math.log(1 + math.exp(-1)))
    True
    >>> sums.best("a", ["b", "c"], required=["b"])
    (-1.0, ('b',))
    """

    @made_of(_Arguments)
    def __init__(self, model: Model, settings: Summing, run: TimedRun) -> None:
        checked_model(model)
        method, tabulate = settings.method, settings.tabulate
        if tabulate is None:
            tabulate = "sums" if model.parent_only else "both"
        if model.parent_only and tabulate == "both":
            raise ArgumentError(
                "tabulate is 'both', but sums and maxima over parent-only parents are different "
                "weights; give 'sums' or 'maxima'"
            )
        self.variables, self.parent_only = model.ordinary, model.parent_only
        self.tabulated: Tabulated = tabulate
        self.tolerance = settings.tolerance
        folded = model.folded
        table = folded.maxima if tabulate == "maxima" else folded.table
        nodes = range(len(self.variables))
        candidates = [len(table.candidates(node)) for node in nodes]
        self.methods = tuple(_chosen(table, node) if method == "auto" else method for node in nodes)
        for node in nodes:
            others = "walk" if table.outside(node) else ""
            others = "walk rows" if table.listed(node) else others
            if self.methods[node] in others.split():
                raise ArgumentError(
                    f"method is {shown(method)}, but the families of {self.variables[node]!r} are "
                    f"{'a list' if table.listed(node) else 'not all sets of candidates'}; "
                    "give 'scan' or 'auto'"
                )
        largest = max(
            (candidates[node] for node in nodes if self.methods[node] == "table"), default=0
        )
        if largest > _LARGEST_TABLE:
            raise CapacityError(
                f"a node has {largest} candidate parents, so its table of score sums would hold "
                f"2^{largest} numbers; give at most {_LARGEST_TABLE} candidates, or method='scan'"
            )
        with run.stage("Summing scores") as stage:
            self.core = _core.ScoreSums(
                table,
                list(self.methods),
                self.tolerance,
                tabulate,
                stage.threads,
                stage.progress,
                folded.core,
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sums to a file that `open` can map.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> sums = ScoreSums(Model(["a", "b"], lambda node, parents: -float(len(parents))))
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "scores"
        >>> sums.save(path)
        >>> ScoreSums.open(path).log_sum("a") == sums.log_sum("a")
        True
        """
        self.write(file_path(path, "path"))

    def write(self, path: Path) -> Header:
        """Write the sums to a file and return its header; see `save`."""
        layout = Layout(
            self.variables, self.methods, self.tolerance, self.tabulated, self.parent_only
        )
        return write_score_table(self.core, layout, path)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> ScoreSums:
        """Map the sums in a file, so that all processes of a machine share them."""
        made = cls.__new__(cls)
        made.core, layout = read_score_table(file_path(path, "path"))
        made.variables, made.methods = layout.variables, layout.methods
        made.parent_only = layout.parent_only
        made.tolerance, made.tabulated = layout.tolerance, layout.tabulated
        return made

    def __repr__(self) -> str:
        """Show how the sums are computed."""
        counts = [f"{self.methods.count(way)} nodes by {way}" for way in sorted({*self.methods})]
        return f"<ScoreSums: {', '.join(counts)} (tolerance {self.tolerance:g})>"

    def refuse_other_model(self, model: Model, *, maxima: bool = False) -> None:
        """Refuse a model with other variables, or sums of a kind that it cannot use."""
        for kind, own, others in (
            ("", self.variables, model.ordinary),
            ("parent-only ", self.parent_only, model.parent_only),
        ):
            if own != others:
                raise ArgumentError(
                    f"the sums are for the {kind}variables {quoted(own) or 'none'}, and the model "
                    f"has {quoted(others) or 'none'}; compute them from the same model"
                )
        wanted = "maxima" if maxima else "sums"
        if self.parent_only and self.tabulated != wanted:
            raise ArgumentError(
                f"the sums hold {self.tabulated} over parent-only parents, and {wanted} are "
                f"needed; compute them with tabulate={wanted!r}"
            )

    def log_sum(
        self, node: str, allowed: Iterable[str] | None = None, required: Iterable[str] | None = None
    ) -> float:
        """Return the log of the total weight of the families that satisfy the constraints."""
        index, inside, meeting = self._query(node, allowed, required)
        return self.core.log_sum(index, inside, meeting)

    def max(self, node: str, allowed: Iterable[str] | None = None) -> float:
        """Return the largest log weight of a family within `allowed`."""
        index, inside, _ = self._query(node, allowed, None)
        return self.core.max(index, inside)

    def best(
        self, node: str, allowed: Iterable[str] | None = None, required: Iterable[str] | None = None
    ) -> tuple[float, tuple[str, ...] | None]:
        """Return the largest log weight and its parent set, or None if there is no family."""
        index, inside, meeting = self._query(node, allowed, required)
        weight, parents = self.core.best(index, inside, meeting)
        return weight, None if parents is None else self._named(parents)

    def sample(
        self,
        node: str,
        allowed: Iterable[str] | None = None,
        required: Iterable[str] | None = None,
        *,
        size: int = 1,
        seed: int = 0,
        stream: int = 0,
    ) -> list[tuple[str, ...]]:
        """Return parent sets drawn independently, each in proportion to its weight."""
        index, inside, meeting = self._query(node, allowed, required)
        count = whole_number(size, "size", at_least=0)
        refuse_beyond_memory(count, "size", _BYTES_PER_DRAW + 8 * len(self.variables))
        key = [checked_seed(seed, "seed"), checked_seed(stream, "stream")]
        drawn = self.core.draw(index, inside, meeting, count, *key)
        if len(drawn) < count:
            raise ArgumentError(f"no family of {node!r} satisfies the constraints; relax them")
        return [self._named(parents) for parents in drawn]

    def _named(self, parents: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.variables[parent] for parent in parents)

    def _query(
        self, node: str, allowed: Iterable[str] | None, required: Iterable[str] | None
    ) -> tuple[int, list[int], list[int] | None]:
        (index,) = positions([node], self.variables, "node")
        everywhere = list(range(len(self.variables)))
        inside = everywhere if allowed is None else positions(allowed, self.variables, "allowed")
        meeting = None if required is None else positions(required, self.variables, "required")
        return index, inside, meeting


def checked_sums(value: object) -> ScoreSums:
    """Return score sums, or refuse anything else."""
    return instance(value, ScoreSums, "sums", "arcwise.model.ScoreSums")


_MOST_TABULATED = 20  # candidates; a table has 8 MiB per node
# A walk reads all families within a set, a scan only the heaviest; beyond these limits, scans are
# safer.
_MOST_WALKED = 2**22
_LARGEST_WALKED = 6


def _chosen(table: _core.FamilyTable, node: int) -> NodeMethod:
    if table.outside(node):
        return "rows"
    if len(table.candidates(node)) <= _MOST_TABULATED:
        return "table"
    small = table.count(node) <= _MOST_WALKED
    if small and not table.listed(node) and table.max_free(node) <= _LARGEST_WALKED:
        return "walk"
    return "scan"


KIND = "arcwise scores"
VERSION = 1
WRITING = ".arcwise-"


@dataclass(frozen=True)
class Layout:
    """The attributes of score sums in a file, as those of `ScoreSums`."""

    variables: tuple[str, ...]
    methods: tuple[NodeMethod, ...]  # one for each node
    tolerance: float
    tabulated: Tabulated
    parent_only: tuple[str, ...]


def write_score_table(core: _core.ScoreSums, layout: Layout, path: Path) -> Header:
    """Write score sums to a file atomically, and return its header."""
    description: dict[str, Any] = {
        "arcwise": _core.version,
        "byte_order": sys.byteorder,
        **asdict(layout),
    }
    handle, name = tempfile.mkstemp(prefix=WRITING, dir=path.parent)
    os.close(handle)
    partial = Path(name)
    try:
        header = seal(partial, KIND, VERSION, description, core.write)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return header


def read_score_table(path: Path) -> tuple[_core.ScoreSums, Layout]:
    """Map the score sums in a file after verifying its checksum."""
    header = header_of(path, KIND, VERSION)
    verify(path, header)
    about = header.description
    if about.get("byte_order") != sys.byteorder:
        raise FileFormatError(
            f"'{path}' was written on a machine of byte order {shown(about.get('byte_order'))}, "
            f"and this one has {sys.byteorder}; write it on a machine of the same kind"
        )
    try:
        layout: Layout = PlainDataclasses().read(Layout, about)
        if len(layout.methods) != len(checked_variables(layout.variables)):
            raise ValueError
    except (*UNREADABLE, ArgumentError):
        raise FileFormatError(f"'{path}' is damaged; delete it and write it again") from None
    return _core.ScoreSums.map(os.fspath(path), header.start), layout
