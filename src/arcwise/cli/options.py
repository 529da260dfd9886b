"""The options for reading a table, shared by all sub-commands that take one."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from operator import not_
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from arcwise.algorithms.growth_state import DEFAULT_MAX_SIZE, growth_memory
from arcwise.cli.composition import OptionGroup, note_data, options_of, shell_option
from arcwise.cluster import SecureAddress
from arcwise.data import Data, IncompleteData, read
from arcwise.data.files import read_bytes, read_content
from arcwise.data.reader import Reading, ReadingToLearn, read_table
from arcwise.data.sources import RENAME, checked_names
from arcwise.engines import Engine, opened_engine
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.families.families import ConstraintArguments
from arcwise.learning.choices import scored, with_parents
from arcwise.learning.hyperparameters import question_by_evidence
from arcwise.learning.request import Request
from arcwise.learning.study import Study
from arcwise.model import Definition, Model, Modularity, Question
from arcwise.model.candidates import is_method
from arcwise.model.question import BY_EVIDENCE
from arcwise.records.settings import Recording
from arcwise.scores import LocalScore, as_score
from arcwise.scores.base import NAMED_SCORES
from arcwise.series import time_series
from arcwise.series.time_series import InTime
from arcwise.support.files import json_of, read_rows, read_text
from arcwise.support.names import byte_size, listing, shown
from arcwise.support.running import Run, tell
from arcwise.support.settings import Settings, setting, settings_of

TableFormat = Literal["csv", "tsv", "csv.gz", "tsv.gz", "parquet"]


def table_source(path: Path, form: TableFormat | None) -> Path | Mapping[str, Any]:
    """Return a source for `arcwise.read`: the path, or the columns of standard input or a file."""
    if str(path) == "-":
        name, content = "standard input", sys.stdin.buffer.read()
    elif form is None:
        return path
    else:
        name, content = str(path), read_bytes(path)
    columns = read_content(name, f".{form or 'csv'}", content, None)
    checked_names([column for column, _ in columns], RENAME)  # a mapping would lose repeated names
    return dict(columns)


_GROUP = "Reading the data"


@dataclass(frozen=True)
class TableFile:
    """A table in a file or from standard input, and the arguments of `arcwise.read` for it."""

    source: Path | Mapping[str, Any]
    reading: dict[str, Any]
    series: Mapping[str, Any] | None = None  # arguments of `arcwise.time_series`, if it is one
    first_slice: bool = False  # whether the first slice of a time series is requested

    def read(self) -> Data:
        """Return the table."""
        if self.series is None:
            complete: Data = read(self.source, **self.reading)
            return complete
        table = self._in_time({"missing": "error", **self.reading})
        if isinstance(table, IncompleteData):
            raise ArgumentError("--missing impute is for arcwise learn; give another of its values")
        return table

    def read_to_learn(self) -> Data | IncompleteData:
        """Return the table with the defaults of `arcwise.learn`; time series keep their scales."""
        if self.series is not None:
            return self._in_time(self.reading)
        return read_table(self.source, ReadingToLearn(**self.reading).of(self.source))

    def _in_time(self, reading: dict[str, Any]) -> Data | IncompleteData:
        assert self.series is not None
        series = time_series(self.source, **self.series, **reading)
        table: Data | IncompleteData = series.first_slice if self.first_slice else series
        return table


def _lags(text: str) -> int | list[int]:
    try:
        each = [int(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentError(
            f"--lags is {shown(text)}; give a number of lags, or lags separated by commas, as in "
            "1,12"
        ) from None
    return each if "," in text else each[0]


def _kinds(given: dict[str, list[str]]) -> dict[str, Any]:
    """Return the kinds and levels of columns that are declared."""
    levels: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for kind, columns in given.items():
        for text in columns:
            column, _, labels = text.partition("=") if kind == "ordinal" else (text, "", "")
            before = kinds.setdefault(column, kind)
            if before != kind:
                raise ArgumentError(f"'{column}' is declared both {before} and {kind}; choose one")
            if labels:
                levels[column] = labels.split(",")
    everything = kinds.pop("*", None)
    if everything is not None and kinds:
        raise ArgumentError("'*' stands for all columns; name no others beside it")
    return {"kinds": everything or kinds or None, "levels": levels or None}


def _each(given: list[str]) -> dict[str | None, list[str]]:
    """Return the values for single columns by name, and those for all columns under None."""
    found: dict[str | None, list[str]] = {}
    for text in given:
        # A name may contain the sign, but a value does not.
        name, sign, value = text.rpartition("=")
        found.setdefault(name if sign else None, []).append(value)
    return found


def _one_each(flag: str, given: list[str]) -> dict[str | None, str]:
    """Return the value for each column, and for all under None, or refuse several for one."""
    found = _each(given)
    for column, values in found.items():
        if len(values) > 1:
            which = "all columns" if column is None else repr(column)
            raise ArgumentError(f"{flag} is given twice for {which}; give it once")
    return {column: values[0] for column, values in found.items()}


@dataclass(frozen=True, kw_only=True)
class _Kinds(Settings):
    """The kinds of columns, and the levels of ordinal ones."""

    discrete: list[str] | None = setting(
        None, "Read this column as discrete; repeatable, '*' for all.", metavar="COLUMN"
    )
    continuous: list[str] | None = setting(
        None, "Read this column as continuous; repeatable, '*' for all.", metavar="COLUMN"
    )
    ordinal: list[str] | None = setting(
        None,
        "Read this column as discrete with ordered levels; labels that are no numbers in their "
        "order (grade=low,medium,high); repeatable.",
        metavar="COLUMN[=LEVEL,...]",
    )


@dataclass(frozen=True, kw_only=True)
class _Series(InTime):
    """The options of time series, and the requested slice."""

    first_slice: bool = setting(
        False, "Take the first row of each subject alone, x(0), whose network is one of its own."
    )


def _table_file(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="A table with a header: .csv, .tsv or .parquet; - for standard input.",
        ),
    ],
    *,
    form: Annotated[
        TableFormat | None,
        typer.Option(
            "--format",
            help="The format of the table, if its name does not tell (default: csv for standard "
            "input).",
            rich_help_panel=_GROUP,
        ),
    ] = None,
    drop: Annotated[dict[str, Any], options_of(Reading, "drop", panel=_GROUP)],
    kinds: Annotated[dict[str, Any], replace(options_of(_Kinds, panel=_GROUP), then=_kinds)],
    reading: Annotated[
        dict[str, Any],
        options_of(
            Reading,
            without=("drop",),
            panel=_GROUP,
            converted={
                "discretize": partial(_one_each, "--discretize"),
                "transform": partial(_one_each, "--transform"),
                "missing_codes": _each,
            },
        ),
    ],
    series: Annotated[
        dict[str, Any],
        options_of(_Series, panel="Time series", converted={"lags": _lags, "within": not_}),
    ],
) -> TableFile:
    first_slice = series.pop("first_slice", False)
    if {"time", "subject", "lags"} & series.keys():
        in_time = series
    else:
        unused = [name for name, value in series.items() if (name, value) != ("gaps", "error")]
        if unused or first_slice:
            flags = {name: found.flag_of(name) for name, _, _, found in settings_of(_Series)}
            raise ArgumentError(
                f"{flags[(*unused, 'first_slice')[0]]} is an option of time series; add --time, "
                "--subject or --lags, or leave it out"
            )
        in_time = None
    return TableFile(table_source(data, form), drop | kinds | reading, in_time, first_slice)


DataOptions = Annotated[Data, OptionGroup(_table_file, TableFile.read)]
"""The table, read according to the options of the group "Reading the data"."""

LearnedDataOptions = Annotated[
    Data | IncompleteData, OptionGroup(_table_file, TableFile.read_to_learn)
]
"""The same with the defaults of `arcwise.learn`, which imputes missing values."""

TableOptions = Annotated[TableFile, OptionGroup(_table_file)]
"""The same options, with the table not yet read."""


# --- Options --------------------------------------------------------------------------------------

# Groups of options that several sub-commands share, each declared and documented once.
#
# They read edges from files or texts, choose the parent sets like `arcwise.learn`, and build the
# model of a table.


_WANTED = "a file of edges, .csv with the header source,target or .json"


def edges_given(given: Path) -> list[tuple[str, str]] | str:
    """Return the edges of a file, or a text such as ``"smoke -> lung, smoke -> bronc"``."""
    return str(given) if "->" in str(given) and not given.exists() else read_edge_file(given)


def read_edge_file(path: Path) -> list[tuple[str, str]]:
    """Return the edges of a file as pairs (source, target)."""
    text = read_text(path, _WANTED)
    if str(path).lower().endswith(".json"):
        return _from_json(text, path)
    rows = read_rows(text, path, _WANTED)
    header = rows[0]
    if [name.strip() for name in header[:2]] in (["source", "target"], ["from", "to"]):
        short = [number for number, row in enumerate(rows, 1) if len(row) < 2]
        if short:
            raise FileFormatError(
                f"'{path}' has a single name in row {short[0]}; give source and target"
            )
        return [(row[0], row[1]) for row in rows[1:]]
    return _from_matrix(header, rows[1:], path)


def _from_matrix(header: list[str], rows: list[list[str]], path: Path) -> list[tuple[str, str]]:
    entries = [[entry.strip() for entry in row] for row in rows]
    square = len(entries) == len(header) and all(len(row) == len(header) for row in entries)
    if not square or any(entry not in ("0", "1") for row in entries for entry in row):
        raise FileFormatError(
            f"'{path}' is neither a list of edges with the header source,target nor a square "
            "matrix of 0 and 1 with the variables as its header; give one of these"
        )
    return [
        (source, target)
        for source, row in zip(header, entries, strict=True)
        for target, entry in zip(header, row, strict=True)
        if entry == "1"
    ]


def _from_json(text: str, path: Path) -> list[tuple[str, str]]:
    content = json_of(text)
    if isinstance(content, dict) and all(isinstance(of, list) for of in content.values()):
        content = [[parent, node] for node, parents in content.items() for parent in parents]
    if not isinstance(content, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(end, str) for end in pair)
        for pair in content
    ):
        raise FileFormatError(
            f"'{path}' is not a JSON list of pairs [source, target], nor a mapping from nodes to "
            "lists of parents; give one of these, with names as strings"
        )
    return [(source, target) for source, target in content]


@dataclass(frozen=True)
class FamilyChoice:
    """The options of the group "Families"."""

    constraints: dict[str, Any]  # the constraints, as keyword arguments
    candidates: Any = None  # edges, a method, or None
    plus_one: bool = False
    grow: bool = False
    max_candidates: int = DEFAULT_MAX_SIZE
    edge_probabilities: Path | None = None

    @property
    def method(self) -> Any:
        """The argument `candidates` of `arcwise.learn`; None for all parent sets."""
        if not self.grow:
            return self.candidates
        if not isinstance(self.candidates, str | None):
            raise ArgumentError(
                "--grow starts from a method, not from a file; give --candidates pc or another "
                "method"
            )
        return "grow" if self.candidates is None else f"grow:{self.candidates}"

    def parents(
        self,
        data: Data,
        score: LocalScore | None,
        prior: str | None,
        run: Run,
        modularity: Modularity = "modular",
        *,
        keep_interrupted: bool = False,
    ) -> Study:
        """Return the parent sets, all unless there are candidates, and report their choice.

        A prior that is not given is chosen as in `learn`, so that results for a table agree.
        """
        if self.grow:
            size = byte_size(growth_memory(len(data.variables), self.max_candidates))
            tell(
                f"Growing candidate parents, up to {self.max_candidates} per node; a node with "
                f"that many takes {size}."
            )
        fixed = None if prior == BY_EVIDENCE else prior
        beliefs = self.edge_probabilities
        definition = Definition(score, prior=fixed, edge_probabilities=beliefs, **self.constraints)
        asked = Question.of(data, definition)
        if fixed is None:
            asked, words = question_by_evidence(asked, modularity, score=score is None, run=run)
            if words:
                tell("\n".join(words))
        request = Request(max_candidates=self.max_candidates, modularity=modularity)
        study = with_parents(
            Study(request, replace(run, progress=True), asked),
            "all" if self.method is None else self.method,
            plus_one=self.plus_one,
            deadline=run.deadline,
            keep_interrupted=keep_interrupted,
        )
        if self.method is not None:
            tell("\n".join(study.sentences))
        return study


_FAMILIES, _KNOWLEDGE = "Families", "Prior knowledge"


@dataclass(frozen=True, kw_only=True)
class _Score(Settings):
    """The score and its parameters."""

    score: str = setting(
        "auto",
        "The score; auto: bdeu for discrete data, bge for continuous and conditional-gaussian for "
        "mixed ones.",
        metavar="auto|bdeu|bge|bic|conditional-gaussian|degenerate-gaussian",
        shell_default="auto",
    )
    equivalent_sample_size: float | None = setting(
        None,
        "Equivalent sample size of bdeu and conditional-gaussian (default: chosen by the evidence "
        "of the data if --score is auto, otherwise 1).",
        metavar="NUMBER",
    )
    alpha_mu: float | None = setting(
        None,
        "Equivalent sample size of the mean of bge, conditional-gaussian and degenerate-gaussian "
        "(default: 1).",
        metavar="NUMBER",
    )
    alpha_w: float | None = setting(
        None,
        "Degrees of freedom of the Wishart prior of the same scores (default: number of "
        "continuous variables, or of columns that stand for variables, + 2).",
        metavar="NUMBER",
    )


def _chosen_score(given: dict[str, Any]) -> LocalScore | None:
    name = given.pop("score")
    chosen = None if name.lower() == "auto" else as_score(name)
    for name, value in given.items():
        having = sorted(word for word, kind in NAMED_SCORES.items() if name in _parameters(kind))
        if chosen is None or name not in _parameters(type(chosen)):
            raise ArgumentError(
                f"--{name.replace('_', '-')} is a parameter of {listing(having)}; add --score "
                f"{having[0]} or another of these, or leave it out"
            )
        chosen = replace(cast(Any, chosen), **{name: value})
    return chosen


def _parameters(score: type[LocalScore]) -> list[str]:
    return [field.name for field in fields(score)] if is_dataclass(score) else []


def _candidates_or_method(text: str | None) -> list[tuple[str, str]] | str | None:
    if text is None or is_method(text):
        return text
    path = Path(text)
    if not path.exists() and re.fullmatch(r"[\w:+-]+", text):
        raise ArgumentError(
            f"--candidates is {text!r}, which is neither a file nor a method; give a file, or pc, "
            "greedy:K, gains:K or several joined by +"
        )
    return read_edge_file(path)


def _read_families(
    *,
    most: Annotated[
        dict[str, Any], options_of(ConstraintArguments, "max_indegree", panel=_FAMILIES)
    ],
    chosen: Annotated[
        dict[str, Any],
        options_of(
            Request,
            "candidates",
            "plus_one",
            panel=_FAMILIES,
            converted={"candidates": _candidates_or_method},
        ),
    ],
    grow: Annotated[
        bool,
        typer.Option(
            "--grow",
            help="Grow the candidates (starting from --candidates, default: pc) as long as the "
            "best DAG improves; implies --plus-one.",
            rich_help_panel=_FAMILIES,
        ),
    ] = False,
    size: Annotated[dict[str, Any], options_of(Request, "max_candidates", panel=_FAMILIES)],
    known: Annotated[
        dict[str, Any],
        options_of(
            ConstraintArguments,
            without=("max_indegree",),
            panel=_KNOWLEDGE,
            converted={"required_edges": edges_given, "forbidden_edges": edges_given},
        ),
    ],
    believed: Annotated[
        dict[str, Any], options_of(Request, "edge_probabilities", panel=_KNOWLEDGE)
    ],
) -> FamilyChoice:
    return FamilyChoice(most | known, grow=grow, **chosen, **size, **believed)


@dataclass(frozen=True, kw_only=True)
class _Cluster(Settings):
    """The cluster to score and sample on, and what a connection by TLS needs."""

    cluster: str | None = setting(
        None,
        "Score and sample on a Dask cluster, given by the address of its scheduler or by its "
        "scheduler file, instead of on threads; the result is the same.",
        metavar="ADDRESS",
    )
    tls_ca_file: Path | None = setting(
        None,
        "Certificate of the authority that signed those of the cluster, to connect by TLS.",
        metavar="FILE",
    )
    tls_certificate: Path | None = setting(None, "Own certificate, with TLS.", metavar="FILE")
    tls_key: Path | None = setting(None, "Private key of the own certificate.", metavar="FILE")


def _address(given: dict[str, Any]) -> str | SecureAddress | None:
    if given.keys() <= {"cluster"}:
        return given.get("cluster")
    every = [given.get(each.name) for each in fields(_Cluster)]
    if None in every:
        raise ArgumentError(
            "a connection by TLS needs --cluster, --tls-ca-file, --tls-certificate and --tls-key; "
            "give all four"
        )
    return SecureAddress(*cast(Any, every))


ScoreOptions = Annotated[
    LocalScore | None, replace(options_of(_Score, panel="Score"), then=_chosen_score)
]
"""The score with its parameters, or None to choose it by the kind of data."""

FamilyOptions = Annotated[FamilyChoice, OptionGroup(_read_families)]
"""The allowed parent sets."""

PriorName = Annotated[
    str | None,
    typer.Option(
        "--prior",
        help="The structure prior: sparse[:EXPECTED_PARENTS], where every edge has the same small "
        "probability; fair, where every number of parents has; or uniform, where every DAG has. By "
        "default, or as by-evidence, sparse with the number that the evidence of the data prefers.",
        metavar="by-evidence|sparse|fair|uniform",
    ),
]

ModularityName = Annotated[Modularity, shell_option(Recording, "modularity")]

Seed = Annotated[int, shell_option(Run, "seed")]

_OF_RUN = ("seconds", "seed", "threads", "device", "directory", "checkpoint_seconds")

RunOptions = Annotated[dict[str, Any], options_of(Run, *_OF_RUN)]
"""The options of a run, besides the cluster."""

ClusterOptions = Annotated[
    str | SecureAddress | None, replace(options_of(_Cluster, panel="Cluster"), then=_address)
]
"""The cluster to score and sample on, or None for the threads of this process."""


@dataclass(frozen=True, kw_only=True)
class ScoreAndFamilies:
    """The score, and the allowed parent sets."""

    score: ScoreOptions
    families: FamilyOptions

    @property
    def asked(self) -> dict[str, Any]:
        """The arguments for a `Request`."""
        families = self.families
        # `learn` allows one more parent by default when it chooses the candidates itself.
        own = families.candidates is None or families.grow
        return {
            "score": self.score,
            "edge_probabilities": families.edge_probabilities,
            "candidates": families.method,
            "max_candidates": families.max_candidates,
            "plus_one": None if own else families.plus_one,
        }


@dataclass(frozen=True, kw_only=True)
class Scoring(ScoreAndFamilies):
    """The score, the allowed parent sets, and the cluster that scores them."""

    cluster: ClusterOptions


@dataclass(frozen=True, kw_only=True)
class Modelling(Scoring):
    """The model of a table."""

    prior: PriorName = None

    @contextmanager
    def model(
        self, data: Data, run: Mapping[str, Any], modularity: Modularity
    ) -> Iterator[tuple[Model, Engine]]:
        """Yield the model with its families scored, and the open engine."""
        note_data(data)
        with opened_engine(self.cluster) as engine:
            own = Run(**run, engine=engine)
            study = self.families.parents(data, self.score, self.prior, own, modularity)
            yield scored(study, own.deadline).model, engine


ScoringOptions = Annotated[Scoring, OptionGroup(Scoring)]

ModelOptions = Annotated[Modelling, OptionGroup(Modelling)]
