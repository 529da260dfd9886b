"""Independent runs of a sampler for equal processor time, and how far apart and off they are.

Time is that of the processor, so that what else the machine does takes nothing away: a short run
tells how many steps, or particles, there is time for.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import arcwise
from arcwise import Model, Posterior
from arcwise.model.model import Modularity
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior.evidence import lower_bound
from arcwise.spaces import LinearOrders

FEWEST_STEPS = 400
# With more variables, an exact posterior takes long beside the runs.
MOST_EXACT_MODULAR, MOST_EXACT_ORDERS = 17, 22
TRIAL = 0.15  # seconds of a run that tells the speed
_TRIAL_SEED = 1_000_000


@dataclass(frozen=True)
class Sampler:
    """An algorithm with its space, by the papers' settings.

    Parameters
    ----------
    name
        What the tables call it.
    algorithm
        ``"mcmc"``, ``"mc3"`` or ``"ais"``.
    bucket_size
        1 for linear orders, which are moved by swaps of any two variables.
    levels
        The papers' K: that of `mc3` has K + 1 temperatures in equal steps from 0 to 1; `ais`
        has K annealing steps, which some steps at the posterior follow.
    stretch
        The steps of `ais` at the posterior, as a fraction of the annealing steps.
    dag_time_share
        Which share of the time to spend on DAGs; None for `dags_per_state`.
    dags_per_state
        How many DAGs to draw from a kept state, for the modular posterior.
    """

    name: str
    algorithm: Literal["mcmc", "mc3", "ais"]
    bucket_size: int
    levels: int = 0
    stretch: float = 0.25
    dag_time_share: float | None = 0.25
    dags_per_state: int = 1

    @property
    def space(self) -> Any:
        """The space, for arcwise."""
        size = self.bucket_size
        return LinearOrders({"swap": 1}) if size == 1 else f"buckets:{size}"


@dataclass(frozen=True)
class RepeatedRuns:
    """Independent runs of one sampler, with the processor time of one of them."""

    posteriors: list[Posterior]
    seconds: float

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """The edge probabilities of each run, as [run, source, target]."""
        return np.stack([posterior.edges for posterior in self.posteriors])

    def largest_median_error(self, exact: NDArray[np.float64]) -> float:
        """Return the median error over the runs, of the edge where it is largest."""
        return float(np.median(np.abs(self.edges - exact), axis=0).max())

    def median_largest_error(self, exact: NDArray[np.float64]) -> float:
        """Return the largest error of an edge, of the run where it is the median."""
        return float(np.median(np.abs(self.edges - exact).max(axis=(1, 2))))

    @property
    def largest_deviation(self) -> float:
        """The standard deviation over the runs, of the edge where it is largest."""
        return float(self.edges.std(axis=0, ddof=1).max())

    @property
    def levels(self) -> NDArray[np.float64]:
        """The mean log posterior of the states that each run of a chain kept."""
        return np.array([_trace(posterior).mean() for posterior in self.posteriors])

    @property
    def log_evidences(self) -> NDArray[np.float64]:
        """The log evidence by each run."""
        return np.array([posterior.log_evidence for posterior in self.posteriors], dtype=float)

    def lower_bound(self, confidence: float) -> float:
        """Return a lower bound on the log evidence that holds with at least this probability.

        Every run of `ais` is a bin of its own, with the evidence as the mean of its estimate.
        (Merged posteriors keep the best bound of a run instead, at a lower confidence.)
        """
        return lower_bound(self.log_evidences, len(self.posteriors), confidence).value


def _trace(posterior: Posterior) -> NDArray[np.float64]:
    assert posterior.traces is not None
    return posterior.traces.log_weights[0]


class Study:
    """A model, on which samplers are run again and again.

    Parameters
    ----------
    model
        The model.
    runs
        How many independent runs there are of each sampler.
    seed
        The seed of the first; each run has one of its own.
    kept
        How many states a run of a chain keeps, at most. The exact edge probabilities given each
        are averaged, and those of states in between as often as a third of the time allows.
    trial
        The seconds, at least, of a run that tells the speed.
    """

    def __init__(
        self, model: Model, runs: int, seed: int, kept: int = 1000, trial: float = TRIAL
    ) -> None:
        self.trial = trial
        self.model = model
        self.kept = kept
        self.runs = runs
        self.seed = seed
        self.sums = ScoreSums(model, tolerance=1e-9, tabulate="sums", threads=1)
        self._rates: dict[tuple[Sampler, Modularity], float] = {}
        self._exact: dict[Modularity, tuple[Posterior, float]] = {}

    def exact(self, modularity: Modularity) -> Posterior | None:
        """Return the exact posterior, or None if it would take long."""
        n = len(self.model.variables)
        if n > (MOST_EXACT_MODULAR if modularity == "modular" else MOST_EXACT_ORDERS):
            return None
        if modularity not in self._exact:
            start = time.process_time()
            found = arcwise.exact(self.model, modularity, threads=1)
            self._exact[modularity] = found, time.process_time() - start
        return self._exact[modularity][0]

    def exact_seconds(self, modularity: Modularity) -> float | None:
        """Return the processor time of the exact posterior, or None if there is none."""
        return None if self.exact(modularity) is None else self._exact[modularity][1]

    def run(
        self,
        sampler: Sampler,
        size: int,
        seed: int,
        modularity: Modularity = "order-modular",
        burn_in: float = 0.5,
    ) -> tuple[Posterior, float]:
        """Return a run of so many steps, or particles, and the processor time it took."""
        common: dict[str, Any] = {"modularity": modularity, "sums": self.sums, "threads": 1}
        common |= {"seed": seed, "estimate_extensions": True}
        if modularity == "order-modular":
            common["dags_per_state"] = 0
        elif sampler.dag_time_share is not None:
            common["dag_time_share"] = sampler.dag_time_share
        else:
            common["dags_per_state"] = sampler.dags_per_state
        if sampler.algorithm == "mc3":
            common |= {"temperatures": sampler.levels + 1, "steps_between_exchanges": 1}
        if sampler.algorithm != "ais":
            common |= {"steps": size, "chains": 1, "start": "random", "burn_in": burn_in}
            common["thinning"] = max(1, int(size * (1.0 - burn_in)) // self.kept)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some runs are too short, which is what is shown
            if sampler.algorithm == "mcmc":
                found = arcwise.mcmc(self.model, sampler.space, **common)
            elif sampler.algorithm == "mc3":
                found = arcwise.mc3(self.model, sampler.space, **common)
            else:
                stretch = int(sampler.stretch * sampler.levels)
                common |= {"particles": size, "steps": sampler.levels, "stretch": stretch}
                found = arcwise.ais(self.model, sampler.space, **common)
        return found, time.process_time() - start

    def rate(self, sampler: Sampler, modularity: Modularity = "order-modular") -> float:
        """Return the steps or particles a second, what is done with kept states included."""
        key = (sampler, modularity)
        size = 1 if sampler.algorithm == "ais" else FEWEST_STEPS
        while key not in self._rates:
            _, seconds = self.run(sampler, size, _TRIAL_SEED, modularity)
            if seconds > self.trial:
                self._rates[key] = size / seconds
            size *= 4
        return self._rates[key]

    def steps_per_second(self, sampler: Sampler) -> float:
        """Return the steps a second of a chain that keeps next to nothing, as its speed is told."""
        size = FEWEST_STEPS
        while True:
            start = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                arcwise.mcmc(
                    self.model, sampler.space, modularity="order-modular", dags_per_state=0,
                    steps=size, thinning=size // 40, chains=1, burn_in=0.0, start="random",
                    seed=self.seed, sums=self.sums, threads=1,
                )  # fmt: skip
            spent = time.process_time() - start
            if spent > 3 * self.trial:
                return size / spent
            size *= 4

    def size(self, sampler: Sampler, seconds: float, modularity: Modularity) -> int:
        """Return the steps or particles that there is time for."""
        fewest = 1 if sampler.algorithm == "ais" else FEWEST_STEPS
        return max(fewest, int(seconds * self.rate(sampler, modularity)))

    def repeated(
        self,
        sampler: Sampler,
        seconds: float,
        modularity: Modularity = "order-modular",
        burn_in: float = 0.5,
    ) -> RepeatedRuns:
        """Run a sampler as often as the study has runs, each for so much processor time."""
        size = self.size(sampler, seconds, modularity)
        return self.repeated_by_size(sampler, size, modularity, burn_in)

    def repeated_by_size(
        self,
        sampler: Sampler,
        size: int,
        modularity: Modularity = "order-modular",
        burn_in: float = 0.5,
    ) -> RepeatedRuns:
        """Run a sampler as often as the study has runs, each of so many steps or particles."""
        found = [
            self.run(sampler, size, self.seed + number, modularity, burn_in)
            for number in range(self.runs)
        ]
        return RepeatedRuns(
            [each[0] for each in found], float(np.mean([each[1] for each in found]))
        )
