"""Groups of options that several sub-commands share, each declared and documented once."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from arcwise.candidates.coerce import is_method
from arcwise.cli.composition import OptionGroup, options_of, shell_option
from arcwise.cli.edge_files import edges_given, read_edge_file
from arcwise.cli.parents import FamilyChoice
from arcwise.cli.table_options import DataOptions as DataOptions
from arcwise.cli.table_options import LearnedDataOptions as LearnedDataOptions
from arcwise.cluster import SecureAddress
from arcwise.constraints import ConstraintArguments
from arcwise.errors import ArgumentError
from arcwise.learning.request import Request
from arcwise.model.modularity import Modularity
from arcwise.records.settings import Recording
from arcwise.scores import LocalScore, as_score
from arcwise.scores.base import NAMED_SCORES
from arcwise.support.running import Run
from arcwise.support.settings import Settings, setting
from arcwise.support.words import listing

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
        having = [word for word, kind in NAMED_SCORES.items() if name in _parameters(kind)]
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
"""Which parent sets are allowed."""

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
"""What carries a computation out, besides the cluster."""

ClusterOptions = Annotated[
    str | SecureAddress | None, replace(options_of(_Cluster, panel="Cluster"), then=_address)
]
"""The cluster to score and sample on, or None for the threads of this process."""
