"""`describe`: how a table is read, in words; and what a table holds, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from arcwise.data.columns import Column
from arcwise.data.description import as_it_comes
from arcwise.data.examination import examine
from arcwise.data.incomplete import IncompleteData
from arcwise.data.reading import Reading
from arcwise.data.table import Data
from arcwise.errors import Wording, worded
from arcwise.support.settings import keywords_of

if TYPE_CHECKING:
    from arcwise.data.examination import Examination
    from arcwise.data.table import Data


class TableDescription(str):
    """What `describe` says, in the words of Python; `in_shell` has those of the shell."""

    in_shell: str

    def __new__(cls, text: Wording) -> TableDescription:
        """Return the text, in both words."""
        made = super().__new__(cls, text.python)
        made.in_shell = text.shell
        return made

    def _repr_html_(self) -> str:
        """Return the text in its lines, for notebooks, which would show it as a literal."""
        return f"<pre>{escape(self)}</pre>"


@dataclass(frozen=True, kw_only=True)
class _Arguments(Reading):
    """The arguments of `describe`."""

    data: Any = field(kw_only=False)


@keywords_of(_Arguments, described_by=(Reading,))
def describe(data: Any, reading: Reading) -> TableDescription:
    """Describe a table: rows, and each column's kind, levels or range, and what is missing.

    Any table that can be read at all is described, with the problems that keep it from being
    used and what mends each of them.

    Besides the table, it takes the arguments of `arcwise.read`, such as `missing` or `kinds`.

    Parameters
    ----------
    data
        Anything `arcwise.read` takes.

    Examples
    --------
    >>> import arcwise
    >>> print(arcwise.describe({"smoker": ["no", "yes"], "level": [1, 3]}))
    2 rows, 2 discrete variables
    name    kind      levels  values
    smoker  discrete       2  no, yes
    level   discrete       2  1, 3
    >>> print(arcwise.describe({"smoker": ["no", None, "yes"], "site": ["B", "B", "B"]}))
    ... # doctest: +ELLIPSIS
    3 rows, 2 discrete variables
    name    kind      levels  missing  values   remarks
    smoker  discrete       2     33 %  no, yes
    site    discrete       1           B        constant
    To be mended before the table can be used:
      - column 'site' has a single value and thus no information; give constant='drop' to ...
    To be mended for anything but learn:
      - values are missing in 'smoker' (1); give missing='drop' to drop ...
    """
    if isinstance(data, Data | IncompleteData) and not reading.specified:
        return TableDescription(worded(data.describe()))
    return TableDescription(as_it_comes(examine(data, reading)))


def examined_dict(table: Examination) -> dict[str, Any]:
    """Return a table as it comes, whether it can be used or not, with what has to be mended."""
    if table.problems.sentences:
        variables = [
            {"name": column.name, "kind": table.kinds.get(column.name)} for column in table.found
        ]
        found: dict[str, Any] = {"rows": table.rows, "variables": variables}
    else:
        found = data_dict(table.data())
    problems = [sentence.shell for sentence in table.problems.sentences]
    return found | {"left_out": list(table.left_out), "problems": problems}


def data_dict(given: Data | IncompleteData) -> dict[str, Any]:
    """Return the rows and the columns as plain values."""
    data = given.table if isinstance(given, IncompleteData) else given
    missing = given.missing_counts() if isinstance(given, IncompleteData) else {}
    return {
        "rows": data.rows,
        "variables": [
            _column_dict(column)
            | ({"missing": missing[column.name]} if column.name in missing else {})
            for column in data.columns
        ],
        "weighted": data.weights is not None,
        "rows_with_interventions": int(data.intervened_rows.sum()),
    }


def _column_dict(column: Column) -> dict[str, Any]:
    about: dict[str, Any] = {"name": column.name, "kind": column.kind.name}
    if column.size:
        return about | {
            "levels": [None if each is None else str(each) for each in column.kind.levels]
        }
    low, high = float(column.stored.min()), float(column.stored.max())
    return about | {"minimum": low, "maximum": high}
