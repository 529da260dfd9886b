"""Groups of options that several sub-commands share, each declared and documented once."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, cast

import typer

from arcwise.algorithms.growth import DEFAULT_MAX_SIZE, Growth, grow
from arcwise.algorithms.growth_steps import growth_memory
from arcwise.algorithms.memory import in_words
from arcwise.candidates import Candidates, candidates
from arcwise.candidates.coerce import is_method
from arcwise.cli.composition import Made
from arcwise.cli.edge_files import read_edge_file
from arcwise.data import Data, discretize, read
from arcwise.errors import ArgumentError
from arcwise.model import Model
from arcwise.scores import BDeu, BGe, LocalScore, as_score
from arcwise.spaces import space_words


class Built(NamedTuple):
    """A model, and how its candidates grew if they did."""

    model: Model
    growth: Growth | None = None


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
    ess: Annotated[
        float | None, _score("--ess", "Equivalent sample size of bdeu (default 1).")
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
    if ess is not None:
        if not isinstance(chosen, BDeu):
            raise ArgumentError("--ess belongs to the score bdeu; add --score bdeu or leave it out")
        chosen = BDeu(ess)
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
) -> dict[str, Any]:
    return {
        "max_indegree": max_indegree,
        "candidates": _candidates_or_method(candidates_by),
        "plus_one": plus_one,
        "grow": max_candidates if grow else None,
        "required_edges": () if required_edges is None else read_edge_file(required_edges),
        "forbidden_edges": () if forbidden_edges is None else read_edge_file(forbidden_edges),
    }


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


def build_model(
    families: dict[str, Any],
    data: Data,
    score: LocalScore | None,
    prior: str = "uniform",
    seed: int = 0,
    threads: int | None = None,
    engine: Any = None,
) -> Built:
    """Return the model on the families that the options ask for, candidates chosen or grown."""
    method, largest = families["candidates"], families["grow"]
    bounds = {k: v for k, v in families.items() if k not in ("candidates", "grow", "plus_one")}
    about: dict[str, Any] = {"score": score, "prior": prior, "threads": threads, **bounds}
    if largest is not None:
        memory = in_words(growth_memory(len(data.variables), largest))
        print(f"Growing candidates, up to {largest} of a node, where a node takes {memory}")
        grown = grow(data, method, max_size=largest, seed=seed, progress=True, **about)
        print(f"Candidates grown in {len(grown.rounds)} rounds: {_sizes(grown.candidates)}")
        return Built(grown.model, grown)
    if isinstance(method, str):
        chosen = candidates(data, method, **about)
        print(f"Candidates by {method}: {_sizes(chosen)}")
        method = chosen
    plus_one = families["plus_one"]
    return Built(
        Model(data, candidates=method, plus_one=plus_one, engine=engine, progress=True, **about)
    )


def _sizes(chosen: Candidates) -> str:
    sizes = chosen.sizes().values()
    return f"{min(sizes)} to {max(sizes)} parents of each node"


DataOptions = Annotated[Data, Made(_read_data)]
"""The table, read as the options of the group "Reading the data" say."""

ScoreOptions = Annotated[LocalScore | None, Made(_read_score)]
"""The score with its parameters, or None to choose by the data."""

FamilyOptions = Annotated[dict[str, Any], Made(_read_families)]
"""What `build_model` makes families from."""

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
        metavar="|".join(space_words()),
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

Runs = Annotated[
    int | None,
    typer.Option("--chains", help="Number of chains (default 4); for ais: of runs (100)."),
]

Seed = Annotated[int, typer.Option("--seed", help="The seed.")]

Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Run on the Dask cluster whose scheduler is at this address or in this scheduler "
        "file, instead of on threads; the result is the same.",
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
