"""Where chains over DAGs and cells stand, in a file: so that a killed run goes on to the last bit.

A file has the tables kept so far, the DAGs by which moves were chosen and will be, and of every
chain the cells, the DAG, the score and the prior, and the state of its random numbers.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import InterruptedWarning, TimeIsUpError
from arcwise.graphs.dag import Dag
from arcwise.imputation.chain import CompletedTable, Imputation, ImputationChain
from arcwise.imputation.structure import (
    ChainStructure,
    ExactStructure,
    Halted,
    TableStructure,
    side_by_side,
    split_threads,
)
from arcwise.model import Model
from arcwise.model.model import Modularity, Provenance
from arcwise.posterior import DagSample, Posterior
from arcwise.posterior.completions import Completions
from arcwise.posterior.matrices import unpacked
from arcwise.records.runs import ImputationRun
from arcwise.records.settings import Convergence
from arcwise.scores import LocalScore
from arcwise.support.files import UNREADABLE, read_archive, write_archive
from arcwise.support.names import Description
from arcwise.support.running import Progress, running, warn

FILE = "completions.npz"
"""The name of the file in a run directory, until there is a result."""

_SECONDS = 10.0
_SHARE = 0.05  # of the time that writing may take
_STATE = ("counter", "key")


@dataclass(frozen=True, eq=False)
class Position:
    """Where all chains stand between two rounds of tables."""

    # The sweeps before the first table and between two, and the number of tables wanted now.
    burn_in: int
    thinning: int
    target: int
    seen: NDArray[np.float64]  # the DAGs that moves were chosen by, as [DAG, source, target]
    # The DAGs of all chains in each sweep since, as [chain, source, target].
    met: list[NDArray[np.uint8]]
    # The tables so far, and the number of the chain that each is from.
    kept: list[CompletedTable]
    chains: list[int]
    stages: list[int]  # how many tables there were when moves were chosen, each time


class Checkpoint:
    """The file of a run, written from time to time."""

    def __init__(self, path: Path, about: str) -> None:
        self._path, self._about = path, about
        self._written = time.monotonic()
        self._cost = 0.0

    def write_if_due(self, position: Position, chains: list[ImputationChain]) -> None:
        """Write the file, unless it was written a short time ago."""
        start = time.monotonic()
        if start - self._written < max(_SECONDS, self._cost / _SHARE):
            return
        self.write(position, chains)
        self._written = time.monotonic()
        self._cost = self._written - start

    def write(self, position: Position, chains: list[ImputationChain]) -> None:
        """Write the file in place of the one before."""
        header = {
            "about": self._about,
            "burn_in": position.burn_in,
            "thinning": position.thinning,
            "target": position.target,
            "from": position.chains,
            "stages": position.stages,
            "dags": [len(each.structure.dags) for each in position.kept],
            "asked": [chain.asked_for for chain in chains],
        }
        arrays: dict[str, NDArray[Any]] = {
            "header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
            "seen": position.seen.astype(np.uint8),
            "chain_values": np.stack([chain.values for chain in chains]),
            "chain_dags": np.stack([chain.dag for chain in chains if chain.dag is not None]),
            "chain_random": np.stack([_random_out(chain.random) for chain in chains]),
        }
        if position.met:
            arrays["met"] = np.stack(position.met)
        if position.kept:
            tables = [each.structure for each in position.kept]
            arrays |= {
                "values": np.stack([each.values for each in position.kept]),
                "edges": np.stack([each.edges for each in tables]),
                "parents": np.concatenate([each.dags.parents for each in tables]),
            }
            paths = [each.paths for each in tables if each.paths is not None]
            if len(paths) == len(tables):
                arrays["paths"] = np.stack(paths)
        write_archive(self._path, arrays)

    def read(self, variables: tuple[str, ...], chains: list[ImputationChain]) -> Position | None:
        """Lead chains to where they stood; None if there is no file, or not of this run."""
        try:
            arrays = read_archive(self._path)
            header = json.loads(arrays["header"].tobytes().decode())
            if header["about"] != self._about or len(header["asked"]) != len(chains):
                return None
            position = Position(
                header["burn_in"],
                header["thinning"],
                header["target"],
                arrays["seen"].astype(np.float64),
                list(arrays["met"]) if "met" in arrays else [],
                _tables(arrays, header["dags"], variables),
                header["from"],
                header["stages"],
            )
            for number, chain in enumerate(chains):
                chain.go_to(arrays["chain_values"][number], arrays["chain_dags"][number])
                chain.ask_again(header["asked"][number])
                _random_in(chain.random, arrays["chain_random"][number])
        except (FileNotFoundError, *UNREADABLE):
            # What cannot be read was not there: the run begins anew.
            return None
        return position

    def remove(self) -> None:
        """Remove the file, as there is a result."""
        self._path.unlink(missing_ok=True)


def _tables(
    arrays: dict[str, NDArray[Any]], counts: list[int], variables: tuple[str, ...]
) -> list[CompletedTable]:
    ends = np.cumsum([0, *counts]).tolist()
    return [
        CompletedTable(
            arrays["values"][place],
            TableStructure(
                arrays["edges"][place],
                arrays["paths"][place] if "paths" in arrays else None,
                DagSample(variables, arrays["parents"][ends[place] : ends[place + 1]]),
            ),
        )
        for place in range(len(counts))
    ]


def _random_out(random: np.random.Generator) -> NDArray[np.uint64]:
    state: Any = random.bit_generator.state
    inner = [state["state"][name] for name in _STATE]
    rest = [state["buffer_pos"], state["has_uint32"], state["uinteger"]]
    return np.concatenate([*inner, state["buffer"], np.array(rest, dtype=np.uint64)])


def _random_in(random: np.random.Generator, numbers: NDArray[np.uint64]) -> None:
    position, has_half, half = (int(number) for number in numbers[10:])
    random.bit_generator.state = {
        "bit_generator": "Philox",
        "state": {"counter": numbers[:4], "key": numbers[4:6]},
        "buffer": numbers[6:10],
        "buffer_pos": position,
        "has_uint32": has_half,
        "uinteger": half,
    }


# --- Averaging ------------------------------------------------------------------------------------

# `averaged`: the posterior over DAGs averaged over completed tables, from several chains.
#
# Tables are kept until the standard error of every edge probability is at most 0.02, so that an
# error of 0.1 is five standard errors, or until there are as many as take a minute or two at ten
# variables. The number is 40 at first and then twice as many each time; where DAGs are drawn
# exactly, sweeps are cheap and tables in a row alike, so is the number of sweeps between two
# tables. Where moves of discrete tables are chosen by what chains have met and errors are large,
# all so far was burn-in: moves are chosen anew, and tables before are left out. All this depends
# on the data and the seed only. Where cells and edges depend much on each other, as in discrete
# tables of many rows, tables in a row are alike, which the standard errors and the verdict know.


DEFAULT_CHAINS = 4
BURN_IN = 20
THINNING = 5
# Where DAGs are drawn exactly and no move leads cells over, a sweep costs about as much as what is
# learned from a table: each one is kept at first. The more there are, the more alike tables in a
# row are for their cost, and the more sweeps are between them.
THINNING_OF_EXACT_DRAWS, _MOST_THINNING = 1, 8
FEWEST_COMPLETIONS = 40
MOST_COMPLETIONS = 160
# Where sweeps are cheap: DAGs are drawn exactly, or moves lead cells over.
MOST_COMPLETIONS_OF_CHEAP_SWEEPS = 640
# Where it is the time given that ends them; the tables are kept.
MOST_COMPLETIONS_IN_TIME = 2_560
_SMALL_ERROR = 0.02
# Chains of so large an error are so far apart that they go on with moves chosen anew; the second
# time, of twice as large a one, and so on, as what was drawn before is lost.
_LARGE_ERROR = 0.04
# Moves are chosen by so many sweeps at least, and by DAGs with so many pairs of nodes at most.
_FEWEST_SWEEPS_SEEN = 40
_MOST_SEEN = 1 << 20
_FEWEST_TABLES = 2
# Of a limited time, what the sweeps before the first table may take.
_SHARE_OF_BURN_IN = 0.25
_DAGS_OF_A_TABLE = 100

_Edges: TypeAlias = NDArray[np.uint8]
"""The edges of DAGs, as [DAG, source, target]."""


@dataclass(frozen=True)
class ImputationSettings:
    """How many tables are drawn, and how."""

    # The number of completed tables; None for as many as the precision of the result needs.
    completions: int | None = None
    # The largest number of them, in that case; None for what takes a few minutes.
    most: int | None = None
    chains: int = DEFAULT_CHAINS
    # The sweeps before the first table of a chain, and between two tables, at first; None for the
    # usual number.
    burn_in: int = BURN_IN
    thinning: int | None = None
    dags: int = 10_000  # the number of DAGs that are kept, of all tables together


def averaged(
    about: Imputation,
    settings: ImputationSettings,
    *,
    modularity: Modularity = "modular",
    described: LocalScore | None = None,
    checkpoint: Checkpoint | None = None,
    progress: Progress = None,
) -> Posterior:
    """Return the posterior averaged over completed tables."""
    start = time.perf_counter()
    data, structure, deadline = about.data, about.structure, about.deadline
    drawing = _Drawing(about, settings, checkpoint)
    interrupted = False
    with running(about.threads, progress, "Completing tables") as run:
        try:
            drawing.run(run.progress)
        except TimeIsUpError:
            if len(drawing.kept) < _FEWEST_TABLES:
                raise
            asked = "" if settings.completions is None else f" of {settings.completions}"
            count = len(drawing.kept) - drawing.first
            deadline.cut(f"The time was up after {count}{asked} completed tables.")
        except KeyboardInterrupt:
            if len(drawing.kept) < _FEWEST_TABLES:
                raise
            interrupted = True
            warn("interrupted; the result is from the tables completed so far", InterruptedWarning)
    tables = drawing.completions()
    edges, errors = tables.edges.mean(axis=0), tables.spread(tables.edges).error
    both = np.minimum(tables.edges + tables.edges.transpose(0, 2, 1), 1.0)
    dags = drawing.dags()
    best, share = _most_frequent(dags)
    steps = structure if isinstance(structure, ChainStructure) else None
    by_chain = tables.by_chain()
    return Posterior(
        variables=data.variables,
        modularity=modularity,
        run=ImputationRun(
            dags=len(dags),
            seconds=time.perf_counter() - start,
            interrupted=interrupted,
            convergence=Convergence(difference=float(np.ptp(by_chain, axis=0).max())),
            missing=data.missing_counts(),
            completions=len(tables),
            chains=len(by_chain),
            burn_in=drawing.sweeps_before,
            thinning=drawing.thinning,
            steps=None if steps is None else steps.steps,
            steps_on_a_table=None if steps is None else steps.longer,
            seed=about.seed,
        ),
        edges=edges,
        edge_errors=np.minimum(errors, 1.0),
        adjacency_errors=np.minimum(tables.spread(both).error, 1.0),
        chain_edges=by_chain if len(by_chain) > 1 else None,
        paths=None if tables.paths is None else tables.paths.mean(axis=0),
        map_dag=best,
        map_probability=share,
        dags=dags,
        provenance=_provenance(drawing.model, about, described),
        completions=tables,
    )


class _Drawing:
    """Chains in step with each other, and the tables they have come to."""

    def __init__(
        self, about: Imputation, settings: ImputationSettings, checkpoint: Checkpoint | None
    ) -> None:
        self._data, self._question = about.data, about.question
        self._settings = settings
        self._deadline = about.deadline
        self._checkpoint = checkpoint
        self.burn_in = settings.burn_in
        self._exact = isinstance(about.structure, ExactStructure)
        count = min(settings.chains, settings.completions or settings.chains)
        one_by_one = about.structure.one_by_one(about.question)
        self._threads, each = split_threads(count, about.threads, one_by_one=one_by_one)
        # The second half, which the verdict compares with the first, starts from elsewhere.
        self._chains = [
            ImputationChain(about.on(each), number, associated=number >= (count + 1) // 2)
            for number in range(count)
        ]
        self.thinning = settings.thinning or self._usual_thinning()
        self._from: list[int] = []
        self._stages = [0]
        n = len(about.data.variables)
        self._seen = np.zeros((0, n, n))
        self._met: list[NDArray[np.uint8]] = []
        self.kept: list[CompletedTable] = []

    @property
    def model(self) -> Model:
        """The model of a completed table."""
        return self._chains[0].last_model or self._chains[0].model()

    def run(self, progress: Callable[[float], None] | None) -> None:
        """Draw all tables; whatever happens, those kept so far are there."""
        settings = self._settings
        target = settings.completions or FEWEST_COMPLETIONS
        learns = self._chains[0].leads_over
        most = settings.completions or max(settings.most or self._usual_most(), target)
        each = max(1, min(_DAGS_OF_A_TABLE, -(-settings.dags // target)))
        before = None
        if self._checkpoint is not None:
            before = self._checkpoint.read(self._data.variables, self._chains)
        if before is None:
            self._seen = self._burn_in(target, progress)
        else:
            self._seen, self._met, target = before.seen, before.met, before.target
            self.kept, self._from, self._stages = before.kept, before.chains, before.stages
            self.burn_in, self.thinning = before.burn_in, before.thinning
        choose_moves(self._chains, self._seen)
        done = self.burn_in + len(self.kept) * self.thinning / len(self._chains)
        sweeps = done + self.thinning * (target - len(self.kept)) / len(self._chains)
        while True:
            while len(self.kept) < target:
                had = len(self.kept)
                self._round(each, target)
                done += (len(self.kept) - had) * self.thinning / len(self._chains)
                _report(progress, min(1.0, done / sweeps))
                self._write(target)
            wanted = target - self._stages[-1]
            error = self._largest_error()
            if wanted >= most or error <= _SMALL_ERROR:
                return
            if learns and error > _LARGE_ERROR * len(self._stages):
                self._learn_again()
            further = min(2 * wanted, most) - (target - self._stages[-1])
            # Tables in a row that were led over are not alike.
            if self._exact and not learns:
                self.thinning = max(self.thinning, min(2 * self.thinning, _MOST_THINNING))
            sweeps = done + self.thinning * further / len(self._chains)
            target += further

    def _usual_thinning(self) -> int:
        """Return the sweeps between tables at first where nobody has told their number."""
        as_many_as_needed = self._settings.completions is None
        if as_many_as_needed and self._exact and not self._chains[0].leads_over:
            return THINNING_OF_EXACT_DRAWS
        return THINNING

    def _usual_most(self) -> int:
        """Return the largest number of tables where nobody has told one."""
        if self._deadline.limited:
            return MOST_COMPLETIONS_IN_TIME
        cheap = self._exact or self._chains[0].leads_over
        return MOST_COMPLETIONS_OF_CHEAP_SWEEPS if cheap else MOST_COMPLETIONS

    def _learn_again(self) -> None:
        """Take all so far as burn-in, and choose moves by it.

        Chains that are apart have met what some of them had not met before, and if moves go on to
        be chosen by what has been drawn, only draws from then on have the law.
        """
        n = len(self._data.variables)
        seen = np.array(self._met, dtype=np.float64).reshape(-1, n, n)
        self._seen, self._met = seen, []
        choose_moves(self._chains, seen)
        self._stages.append(len(self.kept))

    def _burn_in(
        self, target: int, progress: Callable[[float], None] | None
    ) -> NDArray[np.float64]:
        """Make the sweeps before the first table; return the DAGs met, as [DAG, source, target]."""
        began = self._deadline.now
        # In each sweep, every chain draws its DAG, parameters and cells.
        side_by_side(ImputationChain.sweep, self._chains, self._threads)
        if self._deadline.limited:
            rounds = self._deadline.left / max(self._deadline.now - began, 1e-6)
            self.burn_in = min(self.burn_in, max(1, round(_SHARE_OF_BURN_IN * rounds)))
        sweeps = self.burn_in + self.thinning * target / len(self._chains)
        seen = [self._edges()]
        for sweep in range(1, self.burn_in):
            if 2 * sweep == self.burn_in:
                choose_moves(self._chains, np.concatenate(seen))
            self._deadline.check()
            side_by_side(ImputationChain.sweep, self._chains, self._threads)
            seen.append(self._edges())
            _report(progress, sweep / sweeps)
        return np.concatenate(seen)

    def _write(self, target: int) -> None:
        """Write where chains stand, if it is time to."""
        if self._checkpoint is not None:
            position = Position(
                self.burn_in,
                self.thinning,
                target,
                self._seen,
                self._met,
                self.kept,
                self._from,
                self._stages,
            )
            self._checkpoint.write_if_due(position, self._chains)

    def _edges(self) -> NDArray[np.float64]:
        """Return which edges the DAGs of all chains have, as [chain, source, target]."""
        n = len(self._data.variables)
        packed = np.stack([chain.dag for chain in self._chains if chain.dag is not None])
        return unpacked(packed, n).transpose(0, 2, 1).astype(np.float64)

    def _round(self, dags: int, target: int) -> None:
        """Keep a table of each chain, unless there are enough."""
        chains = self._chains[: target - len(self.kept)]

        tables: list[CompletedTable | None] = [None] * len(chains)

        def work(number: int, halted: Halted) -> _Edges:
            tables[number], edges = self._next_table(chains[number], dags, halted)
            return edges

        try:
            found = side_by_side(work, range(len(chains)), self._threads)
        finally:  # an interrupted round keeps what it has
            for number, table in enumerate(tables):
                if table is not None:
                    self.kept.append(table)
                    self._from.append(number)
        if any(table is None for table in tables):
            raise TimeIsUpError("the seconds given are over")
        if chains[0].leads_over and len(chains) == len(self._chains):
            met = np.stack(found, axis=1)
            most = max(_FEWEST_SWEEPS_SEEN, _MOST_SEEN // met[0].size)
            self._met = [*self._met, *met][-most:]

    def _next_table(
        self, chain: ImputationChain, dags: int, halted: Halted
    ) -> tuple[CompletedTable | None, _Edges]:
        """Return the next table of a chain, None if time is up, and the edges after each sweep."""
        n = len(self._data.variables)
        met = np.zeros((self.thinning, n, n), dtype=np.uint8)
        table = None
        try:
            for sweep in range(self.thinning):
                if halted():
                    return None, met
                self._deadline.check()
                if sweep + 1 < self.thinning:
                    chain.sweep()
                else:
                    table = chain.keep(dags)
                assert chain.dag is not None
                met[sweep] = unpacked(chain.dag[np.newaxis], n)[0].T
        except TimeIsUpError:
            return None, met
        return table, met

    def _largest_error(self) -> float:
        tables = self.completions()
        return float(np.nanmax(tables.spread(tables.edges).error, initial=0.0))

    @property
    def first(self) -> int:
        """The first of the tables that count.

        These are the tables since moves were chosen for the last time or, if that are few yet,
        since the time before.
        """
        last = self._stages[-1]
        if len(self._stages) > 1 and 2 * (len(self.kept) - last) < last - self._stages[-2]:
            return self._stages[-2]
        return last

    @property
    def sweeps_before(self) -> int:
        """The sweeps of a chain before the first of its tables that counts."""
        return self.burn_in + self.first * self.thinning // len(self._chains)

    def _counted(self) -> list[int]:
        """Return the places of the tables that count, chain by chain."""
        order = np.argsort(self._from[self.first :], kind="stable") + self.first
        return [int(place) for place in order]

    def completions(self) -> Completions:
        """Return the tables so far that count, chain by chain."""
        order = self._counted()
        kept = [self.kept[place] for place in order]
        paths = [each.structure.paths for each in kept if each.structure.paths is not None]
        return Completions(
            np.stack([each.structure.edges for each in kept]),
            np.array(self._from, dtype=np.int64)[order],
            np.stack([each.values for each in kept]),
            np.stack(paths) if len(paths) == len(kept) else None,
            self._data,
            self._question.score,
        )

    def dags(self) -> DagSample:
        """Return the DAGs of all these tables, numbered by table, as many as were asked for."""
        order = self._counted()
        most = max(1, -(-self._settings.dags // len(order)))
        parts = [self.kept[place].structure.dags.thinned(most).parents for place in order]
        tables = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        return DagSample(self._data.variables, np.concatenate(parts), chains=tables)


def _report(progress: Callable[[float], None] | None, share: float) -> None:
    if progress is not None:
        progress(share)


def _most_frequent(dags: DagSample) -> tuple[Dag, float]:
    """Return the DAG that was drawn most often, and its share of the draws."""
    distinct, place = dags.distinct()
    counts = np.bincount(place)
    best = int(counts.argmax())
    return distinct[best], float(counts[best] / counts.sum())


def _provenance(model: Model, about: Imputation, score: LocalScore | None) -> Provenance:
    """Return the provenance of the table with its missing values, and of the score as given."""
    return replace(
        model.provenance(),
        data_fingerprint=about.data.fingerprint,
        score=Description.of(about.question.score if score is None else score),
        prior=Description.of(about.question.prior),
    )


# How often pairs that never changed in the burn-in are moved, beside those that changed most.
_LEAST_WORTH = 0.05
_WORTH_OF_DIRECTIONS = 0.1
_MOST_SLOWNESS = 25.0


def choose_moves(chains: Sequence[ImputationChain], seen: NDArray[np.float64]) -> None:
    """Let all chains move the edges most that have been there and have been not, but seldom change.

    In discrete tables, the parent sets that any chain has met are proposed, too, and edges that
    go together. The choice is made of the burn-in, so that chains keep their law.
    """
    n = seen.shape[1]
    joined = np.minimum(seen + seen.transpose(0, 2, 1), 1.0).reshape(-1, len(chains), n, n)
    variances, directed = joined.var(axis=(0, 1)), seen.var(axis=0)
    changes = np.abs(np.diff(joined, axis=0)).mean(axis=(0, 1)) if len(joined) > 1 else variances
    # Independent draws would change so often.
    expected = 2.0 * variances
    slowness = np.clip(expected / np.maximum(changes, 1.0 / len(seen)), 1.0, _MOST_SLOWNESS)
    worth = variances * np.sqrt(slowness) + _WORTH_OF_DIRECTIONS * (directed + directed.T)
    for chain in chains:
        chain.choose_pairs(worth + _LEAST_WORTH * max(float(worth.max()), _LEAST_WORTH))
    known = chains[0].known(seen)
    for chain in chains:
        chain.propose(known)
