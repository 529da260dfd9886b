"""`learn_steps`: transitions that change in time, a posterior for each step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arcwise.dynamics.lagged_edges import LaggedEdge, lagged_edges
from arcwise.errors import ArgumentError, UnknownNameError
from arcwise.learning.learn import learn
from arcwise.posterior import Posterior
from arcwise.series import IncompleteTimeSeries, TimeSeries
from arcwise.support.checks import is_hashable
from arcwise.support.names import quoted, shown


class StepPosteriors(Mapping[object, Posterior]):
    """A posterior for each step of a time series, by the time of its present slice.

    Returned by `learn_steps`.

    Parameters
    ----------
    posteriors
        The posteriors, in order of time.

    Examples
    --------
    >>> import arcwise, numpy as np
    >>> random = np.random.default_rng(1)
    >>> table = {"id": np.repeat(np.arange(50), 3), "x": random.integers(0, 2, 150)}
    >>> learn_steps(arcwise.time_series(table, subject="id"), progress=None)
    <StepPosteriors: 2 steps, from 2 to 3>
    """

    def __init__(self, posteriors: Mapping[object, Posterior]) -> None:
        self._posteriors = dict(posteriors)

    def __getitem__(self, time: object) -> Posterior:
        """Return the posterior of the transition to a time."""
        if not is_hashable(time) or time not in self._posteriors:
            raise UnknownNameError(
                f"there is no step to the time {shown(time)}; the times are "
                f"{quoted(self._posteriors)}"
            )
        return self._posteriors[time]

    def __iter__(self) -> Iterator[object]:
        """Iterate over the times."""
        return iter(self._posteriors)

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self._posteriors)

    def __repr__(self) -> str:
        """Show the number of steps."""
        times = list(self)
        return f"<StepPosteriors: {len(self)} steps, from {times[0]!r} to {times[-1]!r}>"

    @property
    def log_evidence(self) -> float | None:
        """The sum of the log evidences of the steps; None if one is not known.

        Compared with the evidence of one network for all steps, from the same rows, it gives the
        Bayes factor of a change in time.
        """
        known = [posterior.log_evidence for posterior in self.values()]
        return None if None in known else sum(known)  # type: ignore[arg-type]

    def edges(self, threshold: float = 0.0) -> list[tuple[object, LaggedEdge]]:
        """Return each time with its edges, the most probable of a step first."""
        return [
            (time, edge)
            for time, posterior in self.items()
            for edge in lagged_edges(posterior, threshold)
        ]


def learn_steps(series: TimeSeries | IncompleteTimeSeries, **arguments: Any) -> StepPosteriors:
    """Learn a transition network for each step, instead of one for all of them.

    The posteriors are independent of each other, each from the rows of one time: many subjects
    are needed.

    Parameters
    ----------
    series
        A table of several subjects, as `time_series` returns it, without missing values.
    **arguments
        Further arguments of `learn`, for every step; `directory` is not among them.

    Examples
    --------
    >>> import arcwise, numpy as np
    >>> random = np.random.default_rng(1)
    >>> table = {"id": np.repeat(np.arange(50), 3), "x": random.integers(0, 2, 150)}
    >>> steps = learn_steps(arcwise.time_series(table, subject="id"), progress=None)
    >>> list(steps)
    [2, 3]
    """
    if not isinstance(series, TimeSeries | IncompleteTimeSeries):
        raise ArgumentError(
            f"series is of type {type(series).__name__}; give what arcwise.time_series returns"
        )
    if arguments.get("directory") is not None:
        raise ArgumentError(
            "directory is for one run, but each step is one of its own; leave it out"
        )
    return StepPosteriors(
        {time: learn(table, **arguments) for time, table in series.steps().items()}
    )
