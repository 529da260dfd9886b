"""Groups of options that several sub-commands share, each declared and documented once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from arcwise.algorithms.growth import DEFAULT_MAX_SIZE
from arcwise.algorithms.sample import SAMPLERS, arguments_of
from arcwise.candidates.coerce import is_method
from arcwise.cli.composition import Made
from arcwise.cli.edge_files import read_edge_file
from arcwise.cli.parents import FamilyChoice
from arcwise.data import Data, discretize, read
from arcwise.errors import ArgumentError
from arcwise.scores import BDeu, BGe, LocalScore, as_score


def _option(group: str) -> Callable[..., Any]:
    def declare(flag: str, text: str, metavar: str | None = None) -> Any:
        return typer.Option(flag, help=text, metavar=metavar, rich_help_panel=group)

    return declare


_data = _option("Reading the data")
_score = _option("Score")
_family = _option("Families")
_EDGE_FILE = "as a .csv of source,target pairs, an adjacency matrix with a header, or .json"


def _read_data(
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="A table: .csv, .tsv or .parquet, with a header.")
    ],
    discrete: Annotated[
        list[str] | None,
        _data("--discrete", "Take this column as discrete; repeatable, '*' for all.", "COLUMN"),
    ] = None,
    continuous: Annotated[
        list[str] | None,
        _data("--continuous", "Take this column as continuous; repeatable, '*' for all.", "COLUMN"),
    ] = None,
    discretize_by: Annotated[
        str | None,
        _data(
            "--discretize",
            "Cut continuous columns into bins: quantile:3, uniform:4, ...",
            "METHOD[:BINS]",
        ),
    ] = None,
    missing: Annotated[
        Literal["error", "drop", "level"],
        _data(
            "--missing",
            "What to do with missing values: refuse them, drop their rows, or make them a level.",
        ),
    ] = "error",
    constant: Annotated[
        Literal["error", "drop", "keep"],
        _data("--constant", "What to do with columns of one value only."),
    ] = "error",
    weights: Annotated[
        str | None, _data("--weights", "The column of row weights.", "COLUMN")
    ] = None,
    interventions: Annotated[
        str | None,
        _data(
            "--interventions",
            "The column that names the variable set from outside in each row, if any.",
            "COLUMN",
        ),
    ] = None,
) -> Data:
    kinds: dict[str, str] = {}
    for kind, columns in (("discrete", discrete), ("continuous", continuous)):
        for column in columns or ():
            if kinds.setdefault(column, kind) != kind:
                raise ArgumentError(
                    f"'{column}' is given as discrete and as continuous; choose one"
                )
    everything = kinds.pop("*", None)
    if everything is not None and kinds:
        raise ArgumentError("'*' stands for all columns; give it alone")
    table = read(
        data,
        kinds=everything or kinds or None,
        missing=missing,
        constant=constant,
        weights=weights,
        interventions=interventions,
    )
    if discretize_by is None:
        return table
    method, _, bins = discretize_by.partition(":")
    if bins and not (bins.isdecimal() and len(bins) < 10):
        raise ArgumentError(
            f"--discretize has {bins!r} bins; give a whole number, as in quantile:3"
        )
    # Anything but the two methods is refused by `discretize` itself.
    named = cast(Literal["quantile", "uniform"], method)
    return discretize(table, method=named, bins=int(bins) if bins else 3)


def _read_score(
    score: Annotated[
        str,
        _score(
            "--score", "The score; auto: bdeu for discrete data, else bge.", "auto|bdeu|bge|bic"
        ),
    ] = "auto",
    equivalent_sample_size: Annotated[
        float | None,
        _score("--equivalent-sample-size", "Equivalent sample size of bdeu (default 1).", "NUMBER"),
    ] = None,
    alpha_mu: Annotated[
        float | None, _score("--alpha-mu", "Strength of the prior mean of bge (default 1).")
    ] = None,
    alpha_w: Annotated[
        float | None,
        _score("--alpha-w", "Degrees of freedom of the prior of bge (default: variables + 2)."),
    ] = None,
) -> LocalScore | None:
    chosen = None if score.lower() == "auto" else as_score(score)
    if equivalent_sample_size is not None:
        if not isinstance(chosen, BDeu):
            raise ArgumentError(
                "--equivalent-sample-size belongs to the score bdeu; add --score bdeu or leave it "
                "out"
            )
        chosen = BDeu(equivalent_sample_size)
    if alpha_mu is not None or alpha_w is not None:
        if not isinstance(chosen, BGe):
            raise ArgumentError(
                "--alpha-mu and --alpha-w belong to bge; add --score bge or leave them out"
            )
        chosen = BGe(1.0 if alpha_mu is None else alpha_mu, alpha_w)
    return chosen


def _read_families(
    max_indegree: Annotated[
        int | None,
        _family("--max-indegree", "The largest number of parents of a node (default: no bound)."),
    ] = None,
    candidates_by: Annotated[
        str | None,
        _family(
            "--candidates",
            "The only parents a node may have: chosen by a method, K of each node (default 8; "
            f"methods may be joined by +, as in pc+greedy:6), or from a file, {_EDGE_FILE}.",
            "pc|greedy[:K]|gains[:K]|FILE",
        ),
    ] = None,
    plus_one: Annotated[
        bool,
        _family("--plus-one", "Let parent sets have one more parent besides the candidates."),
    ] = False,
    grow: Annotated[
        bool,
        _family(
            "--grow",
            "Let the candidates (default: pc) grow as long as the best DAG gets better; parent "
            "sets then have one more parent besides.",
        ),
    ] = False,
    max_candidates: Annotated[
        int,
        _family("--max-candidates", "The most candidates of a node that --grow may go up to."),
    ] = DEFAULT_MAX_SIZE,
    required_edges: Annotated[
        Path | None, _family("--required-edges", "Edges that must be there, in such a file.")
    ] = None,
    forbidden_edges: Annotated[
        Path | None, _family("--forbidden-edges", "Edges that must not be there, in such a file.")
    ] = None,
) -> FamilyChoice:
    return FamilyChoice(
        {
            "max_indegree": max_indegree,
            "required_edges": () if required_edges is None else read_edge_file(required_edges),
            "forbidden_edges": () if forbidden_edges is None else read_edge_file(forbidden_edges),
        },
        _candidates_or_method(candidates_by),
        plus_one,
        grow,
        max_candidates,
    )


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


def refuse_options(told: Iterable[str], algorithm: str, option: str) -> None:
    """Refuse options that belong to other samplers than the one that is asked for.

    Parameters
    ----------
    told
        The names of the arguments that were given.
    algorithm
        The sampler.
    option
        The option that named it, for the message.
    """
    for name in told:
        owners = [sampler for sampler in SAMPLERS if name in arguments_of(sampler)]
        if algorithm not in owners:
            flag = f"--{name.replace('_', '-')}"
            raise ArgumentError(f"{flag} belongs to {option} {' or '.join(owners)}; leave it out")


DataOptions = Annotated[Data, Made(_read_data)]
"""The table, read as the options of the group "Reading the data" say."""

ScoreOptions = Annotated[LocalScore | None, Made(_read_score)]
"""The score with its parameters, or None to choose by the data."""

FamilyOptions = Annotated[FamilyChoice, Made(_read_families)]
"""Which parent sets there are."""

PriorName = Annotated[
    str, typer.Option("--prior", help="The structure prior.", metavar="uniform|fair")
]

TargetName = Annotated[
    Literal["modular", "order-modular"],
    typer.Option("--target", help="The prior: as stated, or times the number of orders."),
]

SpaceName = Annotated[
    str,
    typer.Option(
        "--space",
        help="What is sampled.",
        metavar="linear|buckets:SIZE|partitions|layerings[:MAX_SIZE]|dags",
    ),
]

Steps = Annotated[
    int | None,
    typer.Option(
        "--steps", help="Steps of each chain, burn-in included; for ais: annealing steps."
    ),
]

Seconds = Annotated[
    float | None, typer.Option("--seconds", help="Wall-clock time instead of steps.")
]

Chains = Annotated[
    int | None, typer.Option("--chains", help="Number of chains of mcmc and mc3 (default 4).")
]

Particles = Annotated[
    int | None, typer.Option("--particles", help="Number of particles of ais (default 100).")
]

Temperatures = Annotated[
    int | None, typer.Option("--temperatures", help="Number of temperatures of mc3 (default 16).")
]

Ladder = Annotated[
    Literal["linear", "harmonic", "adapted"] | None,
    typer.Option("--ladder", help="How the temperatures of mc3 are spread (default linear)."),
]

Seed = Annotated[int, typer.Option("--seed", help="The seed.")]

Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Score and sample on the Dask cluster whose scheduler is at this address or in this "
        "scheduler file, instead of on threads; the result is the same.",
        metavar="ADDRESS",
    ),
]

RunFolder = Annotated[
    Path | None,
    typer.Option(
        "--run",
        help="Folder to keep the run in: draws go to disk as they come, and arcwise resume goes on "
        "after a stop of any kind. The results are written there, too, unless --out is given.",
    ),
]

CheckpointSeconds = Annotated[
    float, typer.Option("--checkpoint", help="Seconds between two checkpoints of --run.")
]

Threads = Annotated[
    int | None, typer.Option("--threads", help="Number of threads (default: all cores).")
]
