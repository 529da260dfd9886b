"""Sentences about the columns of a table that more than one way of reading it needs."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from arcwise.data.messages import columns as columns_text
from arcwise.data.messages import (
    discretize_option,
    drop_option,
    kinds_option,
    missing_codes_option,
)
from arcwise.data.scales import Scale
from arcwise.errors import Wording, option
from arcwise.support.words import counted, listing, plural, quoted

Parts = tuple[str | Wording, ...]


def with_reasons(reasons: Mapping[str, str]) -> str:
    """List columns, each with a reason in parentheses."""
    return listing([f"{name!r} ({why})" for name, why in reasons.items()])


def on_scales(scales: Mapping[str, Scale]) -> str:
    """Say which columns are modelled on another scale than that of their values."""
    return f"Modelled on another scale: {listing([s.label(n) for n, s in scales.items()])}."


def with_sizes(sizes: Mapping[str, int], noun: str) -> str:
    """List columns, each with a number of things in parentheses."""
    return listing([f"{name!r} ({size:,} {noun})" for name, size in sizes.items()])


def unusable_columns(refused: Mapping[str, str]) -> Parts:
    """Say that some columns hold what cannot be used."""
    each = listing([f"column {name!r} {reason}" for name, reason in refused.items()])
    return (
        f"{each}; give columns of numbers, text, categories or booleans, or leave "
        f"{'it' if len(refused) == 1 else 'these'} out with ",
        drop_option(refused),
    )


def words_read_as_missing(words: Mapping[str, str]) -> Parts:
    """Say that words among numbers were read as missing values, and how to keep them."""
    alike: dict[str, list[str]] = {}
    for name, found in words.items():
        alike.setdefault(found, []).append(name)
    each = listing([f"{found} in {quoted(names)}" for found, names in alike.items()])
    return (
        f"read {each} as missing, since the other values are numbers; to read "
        f"{'it' if len(alike) == 1 else 'them'} as labels, give ",
        kinds_option(words, "discrete"),
    )


def slips_among_numbers(slips: Mapping[str, str]) -> Parts:
    """Say that some columns would be numbers but for a few cells."""
    each = listing([f"column {name!r} holds numbers, {found}" for name, found in slips.items()])
    several = len(slips) > 1
    return (
        f"{each}; correct {'these' if several else 'this'} in the table (empty cells and NA are "
        f"missing values), leave the {'columns' if several else 'column'} out with ",
        drop_option(slips),
        ", or read all values as labels with ",
        kinds_option(slips, "discrete"),
    )


def likely_codes(codes: Mapping[str, tuple[float, int]]) -> Parts:
    """Say that numbers far from all others seem to stand for missing values."""
    each = listing(
        [f"{name!r} holds {code:g} in {plural(count, 'row')}"
         for name, (code, count) in codes.items()]
    )  # fmt: skip
    found = {name: code for name, (code, _) in codes.items()}
    return (
        f"{each}, far from all other values; if this stands for missing values, give ",
        missing_codes_option(found),
    )


def identifiers_refused(reasons: Mapping[str, str]) -> Parts:
    """Say that some columns identify rows, as an error."""
    return (
        f"{with_reasons(reasons)} {_seem(reasons)} to identify rows; give ",
        option("identifiers", "drop"),
        " to leave such columns out, or ",
        option("identifiers", "keep"),
        " to keep them",
    )


def identifiers_kept(reasons: Mapping[str, str]) -> Parts:
    """Say that some columns identify rows and are kept all the same."""
    return (
        f"{with_reasons(reasons)} {_seem(reasons)} to identify rows; leave out columns that only "
        "identify rows with ",
        drop_option(reasons),
        " or ",
        option("identifiers", "drop"),
        ", or keep them with ",
        option("identifiers", "keep"),
    )


def identifiers_left_out(reasons: Mapping[str, str]) -> Parts:
    """Say that some columns identify rows and were left out, and how to keep them."""
    return (
        f"left out {with_reasons(reasons)}, as {'it seems' if len(reasons) == 1 else 'they seem'} "
        "to identify rows; to keep ",
        "it" if len(reasons) == 1 else "them",
        ", give ",
        option("identifiers", "keep"),
        ", or the kind of a column, as in ",
        kinds_option(list(reasons)[:1], "discrete"),
        *_in_time(reasons),
    )


def _in_time(reasons: Mapping[str, str]) -> Parts:
    """Say what to do with dates, if there are any, where the order of rows in time matters."""
    dated = next((name for name, why in reasons.items() if why.endswith("dates")), None)
    if dated is None:
        return ()
    return (
        "; if rows follow each other in time, give ",
        Wording(f"arcwise.time_series(..., time={dated!r})", f"--time {shlex.quote(dated)}"),
    )


def integers_asked_about(sizes: Mapping[str, int]) -> Parts:
    """Ask whether whole numbers of many values are measurements, as which they are taken."""
    are = "counts" if len(sizes) == 1 else "count"
    return (
        f"{with_sizes(sizes, 'different whole numbers')} {are} as continuous; give ",
        kinds_option(sizes, "continuous"),
        " if that is right, ",
        kinds_option(sizes, "discrete"),
        " if each number is a category, or ",
        discretize_option(sizes),
        " to cut them into intervals",
    )


def constants_refused(single: Sequence[str]) -> Parts:
    """Say that some columns are constant, as an error."""
    return (
        columns_text(single, every=True),
        f" {'has' if len(single) == 1 else 'have'} a single value and thus no information; give ",
        option("constant", "drop"),
        " to leave constant columns out or ",
        option("constant", "keep"),
        " to keep them",
        Wording(", or declare the unobserved labels in levels", ""),
    )


def all_constant(single: Sequence[str]) -> Parts:
    """Say that no column varies."""
    return (
        f"every column has a single value ({quoted(single)}), so that none is left; give a table "
        "in which some column varies",
    )


def constants_left_out(single: Sequence[str]) -> Parts:
    """Say that some columns were left out because they are constant, and how to keep them."""
    return (
        f"left out the constant {columns_text(single, every=True)}, which no edge can concern; "
        f"to keep {'it' if len(single) == 1 else 'them'}, give ",
        option("constant", "keep"),
    )


def nothing_to_impute_from(empty: Sequence[str]) -> Parts:
    """Say that some columns have no value at all."""
    return (
        columns_text(empty, every=True),
        f" {'has' if len(empty) == 1 else 'have'} no value to impute others from; leave out with ",
        drop_option(empty),
    )


def intervened_but_missing(counts: Mapping[str, int]) -> Parts:
    """Say that what some variables were set to is not known."""
    return (
        f"values are missing in rows in which the variable itself was intervened on, in "
        f"{counted(counts)}: what it was set to cannot be imputed; give these values, or ",
        option("missing", "drop"),
        " to drop the rows",
    )


def fewer_intervals(collapsed: Mapping[str, tuple[int, int]]) -> str:
    """Say that ties left fewer intervals than requested."""
    shown = listing([f"{name!r} ({a} of {b})" for name, (a, b) in collapsed.items()])
    return f"some intervals hold no value, so that there are fewer levels than requested in {shown}"


def copies(originals: Mapping[str, str]) -> str:
    """Say that some columns tell the same as others."""
    each = listing([f"{name!r} is a copy of {first!r}" for name, first in originals.items()])
    return (
        f"{each}, perhaps in other words or units: the edge between the two is certain, and other "
        "edges may go to either; leave one of them out."
    )


def spellings(alike: Mapping[str, Sequence[Sequence[str]]]) -> str:
    """Say that some levels may be the same in another spelling."""
    each = listing(
        [f"{name!r} ({', '.join(quoted(levels) for levels in groups)})"
         for name, groups in alike.items()]
    )  # fmt: skip
    return (
        f"Levels differ in capitals or blanks alone in {each}; write them alike if they are the "
        "same."
    )


def many_levels(sizes: Mapping[str, int]) -> Parts:
    """Say that some discrete columns have too many levels for their rows."""
    return (
        f"{with_sizes(sizes, 'levels')} {'has' if len(sizes) == 1 else 'have'} few rows for each "
        "level; merge levels, or leave out with ",
        drop_option(sizes),
        " what only identifies rows",
    )


def _seem(reasons: Mapping[str, str]) -> str:
    return "seems" if len(reasons) == 1 else "seem"
