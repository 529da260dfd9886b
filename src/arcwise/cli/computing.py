"""An analysis step by step: `arcwise score`, `exact`, `map` and `evidence`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import typer

import arcwise
from arcwise.algorithms.evidence import (
    EvidenceArguments,
    EvidenceMethod,
    EvidenceOptions,
    Method,
    as_evidence_method,
)
from arcwise.algorithms.exact_computation import MOST_VARIABLES, exact_cost
from arcwise.algorithms.map import MapArguments, all_families_fit
from arcwise.algorithms.sample import SAMPLERS, refuse_options_of_others
from arcwise.cli.composition import (
    Columns,
    PosteriorOut,
    Result,
    note_data,
    note_nothing_kept,
    options_of,
    out_option,
    print_table,
    save_data,
)
from arcwise.cli.options import (
    DataOptions,
    ModelOptions,
    ModularityName,
    RunOptions,
    ScoringOptions,
)
from arcwise.cli.results import EDGES_SHOWN, evidence_lines, show_posterior, write_files
from arcwise.errors import ArgumentError
from arcwise.learning.choices import scored
from arcwise.posterior import MapResult
from arcwise.scores import FamilyScores, as_score
from arcwise.spaces import as_space
from arcwise.support.devices import Gpu, as_device
from arcwise.support.files import write_json
from arcwise.support.names import words_of
from arcwise.support.running import Run, tell
from arcwise.support.settings import settings_of


def score(
    *,
    data: DataOptions,
    scoring: ScoringOptions,
    run: Annotated[dict[str, Any], options_of(Run, "seed", "threads", "device")],
    out: Annotated[Path | None, out_option("Write all scores to this .jkl file.")] = None,
    best: Annotated[
        int,
        typer.Option(
            "--best", help="Number of best parent sets to print for each node.", metavar="N"
        ),
    ] = 1,
) -> Result:
    """Score every parent set of every node.

    Prints the best parent sets of each node and, with --out, writes all scores to a .jkl file,
    which GOBNILP and other programs read. Scores are log marginal likelihoods (natural logarithms).

    [bold]Example:[/bold] arcwise score data.csv --score bdeu --max-indegree 3 --out scores.jkl
    """
    if best < 0:
        raise ArgumentError(f"--best is {best}; give 0 or more")
    families, device = scoring.families, run.pop("device", None)
    if isinstance(as_device(device), Gpu) and families.grow:
        raise ArgumentError("--device scores given families, and --grow finds them; leave out one")
    note_data(data)
    chosen = as_score(scoring.score, data)
    study = families.parents(data, chosen, "sparse", Run(**run))
    if study.growth is not None:
        scores = study.growth.model.scores
    else:
        scores = arcwise.score(
            study.asked,
            engine=scoring.cluster,
            device=device,
            threads=run.get("threads"),
            progress=True,
        )
    print(f"{len(scores):,} families scored by {words_of(chosen)}")
    if best:
        headings = ("node", "parents", ">log score", ">gain over no parents")
        columns = {heading: itemgetter(place) for place, heading in enumerate(headings)}
        print_table("Best parent sets", columns, _rows(scores, best))
    if out is not None:
        scores.write_jkl(out)
        print(f"Scores written to {out}")
    return partial(_score_result, scores, repr(chosen), best)


def _score_result(scores: FamilyScores, score: str, count: int) -> Mapping[str, Any]:
    return {
        "score": score,
        "families": len(scores),
        "best": {
            node: [
                {"parents": list(parents), "log_score": value}
                for parents, value in scores.best(node, count)
            ]
            for node in scores.variables
        },
    }


def _rows(scores: FamilyScores, count: int) -> Iterator[tuple[str, ...]]:
    for node in scores.variables:
        alone = scores.log_score(node, [])
        for rank, (parents, value) in enumerate(scores.best(node, count)):
            yield (
                node if rank == 0 else "",
                ", ".join(parents) or "-",
                f"{value:.3f}",
                f"{value - alone:+.3f}" if alone > float("-inf") else "",
            )


def exact(
    *,
    data: DataOptions,
    asked: ModelOptions,
    modularity: ModularityName = "modular",
    memory_limit: Annotated[
        float | None,
        typer.Option(
            "--memory-limit",
            help="Memory that may be used, in GiB (default: what is free).",
            metavar="GIB",
        ),
    ] = None,
    run: Annotated[dict[str, Any], options_of(Run, "threads", "device")],
    out: PosteriorOut = None,
) -> Result:
    """Compute the exact posterior: edge probabilities, evidence and the best DAG.

    By dynamic programming, for up to {modular} variables (3^n operations), or {order_modular} with
    --modularity order-modular (n^2 2^n operations). The memory needed is printed beforehand.

    [bold]Example:[/bold] arcwise exact data.csv --max-indegree 3 --out results
    """
    if memory_limit is not None and not 0 < memory_limit * 2**30 < float("inf"):
        raise ArgumentError(f"--memory-limit is {memory_limit:g}; give a positive number of GiB")
    with asked.model(data, run, modularity) as (model, _):
        cost = exact_cost(model, modularity, threads=run.get("threads"))
        tell(f"Exact {modularity} posterior: {cost}.")
        posterior = arcwise.exact(
            model,
            modularity,
            memory_limit=None if memory_limit is None else int(memory_limit * 2**30),
            progress=True,
            **run,
        )
    if out is not None:
        save_data(data, out)
    return show_posterior(posterior, out)


assert exact.__doc__ is not None
exact.__doc__ = exact.__doc__.format(
    modular=MOST_VARIABLES["modular"], order_modular=MOST_VARIABLES["order-modular"]
)


_OPTIONS = ("method", "restarts", "seconds", "seed", "threads")


def map(
    data: DataOptions,
    asked: ModelOptions,
    search: Annotated[dict[str, Any], options_of(MapArguments, *_OPTIONS)],
    out: Annotated[
        Path | None, out_option("Folder for edges.csv, cpdag.csv and summary.json.", "FOLDER")
    ] = None,
) -> Result:
    """Find the best DAG: the one of maximum posterior probability, and its equivalence class.

    The search is restarted several times; the more restarts reach the same score, the more reliable
    the result. The equivalence class is given as a CPDAG, whose undirected edges are those that can
    point either way.

    [bold]Example:[/bold] arcwise map data.csv --candidates pc+greedy:10 --out results
    """
    note_data(data)
    families = asked.families
    chosen = families.method is not None or search.get("method") == "exact"
    if not chosen and not all_families_fit(data.variables, **families.constraints):
        tell("There are too many parent sets to score them all, so candidate parents are grown.")
        families = replace(families, grow=True)
    of_run = {name: value for name, value in search.items() if name not in ("method", "restarts")}
    run = Run(engine=asked.cluster, **of_run)
    study = families.parents(data, asked.score, asked.prior, run, keep_interrupted=True)
    best = None if study.growth is None else study.growth.best
    if best is None or search.keys() & {"restarts", "seconds"}:
        best = arcwise.map(
            scored(study, run.deadline).model,
            starts=[] if best is None else [best.dag],
            progress=True,
            **search,
        )
    _print_dag(best)
    print(*_lines(best), sep="\n")
    if out is not None:
        files = {
            "edges.csv": best.write_edges,
            "cpdag.csv": best.write_cpdag,
            "summary.json": best.write_summary,
        }
        print(write_files(out, files))
    else:
        note_nothing_kept()
    return partial(_map_result, best)


def _map_result(best: MapResult) -> Mapping[str, Any]:
    return {"dag": [list(edge) for edge in best.dag.edges], **best.summary()}


def _print_dag(best: MapResult) -> None:
    """Print the first edges of the best DAG, and whether its CPDAG directs them."""
    shown = best.dag.edges[:EDGES_SHOWN]
    count = best.dag.number_of_edges
    title = f"The best DAG: {count} edges"
    if count > len(shown):
        title += f", the first {len(shown)}"
    directed = set(best.cpdag.directed)
    columns: Columns = {
        "source": itemgetter(0),
        "target": itemgetter(1),
        "in the CPDAG": lambda edge: "directed" if edge in directed else "undirected",
    }
    print_table(title, columns, shown)


def _lines(best: MapResult) -> list[str]:
    """Return sentences on the score of the best DAG and on the search."""
    lines = [
        f"log score {best.log_score:.6f}, with the log prior {best.log_weight:.6f} (unnormalised "
        "log posterior)"
    ]
    if best.search is None:
        return [*lines, "exact: no DAG has a higher posterior probability"]
    reached = f"search: {best.restarts_at_best} of {best.restarts} restarts reached this optimum"
    classes = "" if best.classes < 2 else f", in {best.classes} equivalence classes"
    return [*lines, f"{reached}{classes}, in {best.seconds:.1f} s"]


def _or_dash(form: str, value: object) -> str:
    return "-" if value is None else form.format(value)


_METHODS: Columns = {
    "method": "{row.method}",
    ">log evidence": "{row.log_evidence:.4f}",
    ">standard error": lambda part: _or_dash("{:.2g}", part.standard_error),
    ">effective runs": lambda part: _or_dash("{:.1f}", part.effective_runs),
    ">lower bound": lambda part: _or_dash("{0.value:.4f}", part.lower_bound),
    "verdict": "{row.verdict}",
}


def evidence(
    *,
    data: DataOptions,
    asked: ModelOptions,
    method: Annotated[
        Method,
        typer.Option(
            "--method",
            help="How to compute it; combined is exact where that is cheap, otherwise two methods "
            "that are averaged if they agree.",
        ),
    ] = "combined",
    options: Annotated[dict[str, Any], options_of(EvidenceOptions)],
    run: RunOptions,
    out: Annotated[Path | None, out_option("The .json file to write.")] = None,
) -> Result:
    """Compute the log evidence: the log marginal likelihood of the data, summed over structures.

    Its difference between two models, such as two scores, two priors or two values of
    --max-indegree, is their log Bayes factor: see arcwise compare-models. Where too few runs count
    for a standard error, none is stated; ais and smc have lower bounds that hold with the stated
    probability all the same.

    [bold]Example:[/bold] arcwise evidence data.csv --max-indegree 3 --out evidence.json
    """
    chosen = as_evidence_method(method)
    _refuse_options([*options, *(set(run) - {"seconds", "threads", "seed"})], chosen)
    modularity = options.get("modularity", "modular")
    if "space" in options:
        as_space(options["space"])  # before anything takes time
    with asked.model(data, run, modularity) as (model, engine):
        found = arcwise.evidence(model, method, engine=engine, progress=True, **run, **options)
    if found.parts:
        print_table("The methods", _METHODS, found.parts)
    print(*evidence_lines(found), sep="\n")
    result = found.as_dict() | {
        "modularity": modularity,
        "provenance": model.provenance().as_dict(),
    }
    if out is not None:
        write_json(result, out)
        print(f"Evidence written to {out}")
    return lambda: result


def _refuse_options(given: Iterable[str], method: EvidenceMethod) -> None:
    """Refuse options that the method does not have."""
    if method.value in SAMPLERS:
        shared = {"space", "modularity", *(each.name for each in fields(Run))}
        own = (name for name in given if name not in shared)
        refuse_options_of_others(own, method.value, "method")
        return
    flags = {name: found.flag_of(name) for name, _, _, found in settings_of(EvidenceArguments)}
    known = {"modularity"}
    if method in (EvidenceMethod.BRIDGE, EvidenceMethod.BENNETT):
        known |= {"steps", "particles", "runs"}
    for name in given:
        if name not in known:
            raise ArgumentError(
                f"{flags[name]} is not an option of --method {method.value}; leave it "
                "out, or choose another method"
            )
