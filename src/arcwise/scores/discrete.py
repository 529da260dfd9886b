"""Scores of discrete data: `BDeu` and `BDe`, with Dirichlet priors, and `BIC`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Column, Data
from arcwise.errors import ArgumentError, DataError, Wording
from arcwise.laws import DirichletPrior, Law, LinearGaussian, ProbabilityTables
from arcwise.networks import DiscreteNetwork
from arcwise.scores.base import IndependenceTest, LocalScore
from arcwise.support.checks import real_number
from arcwise.support.names import positions, quoted


def positive(value: Any, name: str) -> float:
    """Return the value as a float, or refuse it if it is not positive."""
    return real_number(value, name, lambda x: 0.0 < x < float("inf"), "a number greater than 0")


def intervention_mask(data: Data) -> NDArray[np.uint8] | None:
    """Return the matrix [row, variable] of interventions in the core's layout, or None."""
    if data.intervened is None:
        return None
    return np.asfortranarray(data.intervened, dtype=np.uint8)


def discrete_score(
    data: Data,
    score: str,
    pseudo_counts: _core.PseudoCounts,
    equivalent_sample_size: float = 1.0,
    marginals: Sequence[Sequence[float]] = (),
    joint: tuple[NDArray[np.uint16], NDArray[np.float64]] | None = None,
) -> _core.FamilyScore:
    """Return a score of contingency tables as an object of the core."""
    return _core.discrete_score(
        data.discrete_codes(score),
        [int(count) for count in data.level_counts()],
        data.weights,
        intervention_mask(data),
        pseudo_counts,
        equivalent_sample_size,
        [list(distribution) for distribution in marginals],
        None if joint is None else np.asfortranarray(joint[0]),
        None if joint is None else np.ascontiguousarray(joint[1]),
    )


@dataclass(frozen=True)
class BDeu(LocalScore, name="bdeu"):
    """The Bayesian Dirichlet equivalent uniform score of discrete data.

    The parameters of a node with r levels, whose parents have q configurations, have
    independent Dirichlet priors with all r pseudo-counts equal to
    ``equivalent_sample_size / (q r)``. Declared levels that do not occur in the data are
    included in r and q.

    Parameters
    ----------
    equivalent_sample_size
        The strength of the prior, as a number of rows.

    Examples
    --------
    >>> import arcwise
    >>> scores = arcwise.score({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}, BDeu())
    >>> round(scores.log_score("b", ["a"]), 6)
    -1.750937
    """

    equivalent_sample_size: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a sample size that is not positive."""
        positive(self.equivalent_sample_size, "equivalent_sample_size")

    def alternatives(self) -> tuple[LocalScore, ...]:
        """Return scores with equivalent sample sizes from 1 to 30."""
        return tuple(BDeu(size) for size in (1.0, 3.0, 10.0, 30.0))

    def law(self, data: Data) -> ProbabilityTables:
        """Return the conditional distribution of a node and the prior of its parameters."""
        return ProbabilityTables(DirichletPrior(float(self.equivalent_sample_size)))

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as an object of the core."""
        uniform = _core.PseudoCounts.uniform
        return discrete_score(data, "BDeu", uniform, self.equivalent_sample_size)


Distribution = Sequence[float] | Mapping[Hashable, float]

_SUM_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class BDe(LocalScore):
    """The Bayesian Dirichlet equivalent score of discrete data, for a prior distribution.

    Each cell of the contingency table of a node and its parents has a pseudo-count of
    ``equivalent_sample_size`` times its prior probability, so that Markov equivalent DAGs
    have the same score. With a uniform prior it is `BDeu`.

    Parameters
    ----------
    prior
        A prior network over the variables (a `DiscreteNetwork` small enough for its joint
        distribution to be tabulated); or an independent distribution for each variable: a
        mapping from names to probabilities, by level or in the order of the levels.
        Variables left out are uniform.
    equivalent_sample_size
        The strength of the prior, as a number of rows.

    Examples
    --------
    >>> import arcwise
    >>> score = BDe({"a": {"no": 0.9, "yes": 0.1}}, equivalent_sample_size=10)
    >>> data = {"a": ["no", "no", "yes"], "b": ["no", "yes", "yes"]}
    >>> round(arcwise.score(data, score).log_score("a", []), 6)  # log of 9/10 10/11 1/12
    -2.685577
    """

    prior: DiscreteNetwork | Mapping[str, Distribution]
    equivalent_sample_size: float = 1.0

    def __post_init__(self) -> None:
        """Refuse an invalid prior."""
        positive(self.equivalent_sample_size, "equivalent_sample_size")
        if not isinstance(self.prior, DiscreteNetwork | Mapping):
            raise ArgumentError(
                f"the prior of BDe is of type {type(self.prior).__name__}; give a DiscreteNetwork "
                "or a mapping from names to probabilities"
            )

    def law(self, data: Data) -> ProbabilityTables:
        """Return the conditional distribution of a node and the prior of its parameters."""
        size, joint = float(self.equivalent_sample_size), self.joint(data)
        marginals = self.marginals(data) if joint is None else None
        return ProbabilityTables(DirichletPrior(size, marginals, joint))

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as an object of the core."""
        data.discrete_codes("BDe")  # refuses continuous columns first
        ess = self.equivalent_sample_size
        joint = self.joint(data)
        if joint is not None:
            return discrete_score(data, "BDe", _core.PseudoCounts.joint, ess, joint=joint)
        kind = _core.PseudoCounts.marginals
        return discrete_score(data, "BDe", kind, ess, marginals=self.marginals(data))

    def joint(self, data: Data) -> tuple[NDArray[np.uint16], NDArray[np.float64]] | None:
        """Return the joint distribution of the prior network, or None for independent variables.

        It is in the level codes of the data.
        """
        if not isinstance(self.prior, DiscreteNetwork):
            return None
        return _joint(self.prior, _discrete_columns(data))

    def marginals(self, data: Data) -> list[list[float]]:
        """Return the prior distribution of each variable if they are independent."""
        assert isinstance(self.prior, Mapping)
        positions(self.prior, data.variables, "the prior of BDe")
        columns = _discrete_columns(data)
        return [_marginal(self.prior.get(column.name), column) for column in columns]


def _discrete_columns(data: Data) -> list[Column]:
    return [column for column in data.columns if column.size]


def _marginal(distribution: Distribution | None, column: Column) -> list[float]:
    levels = column.kind.levels
    if distribution is None:
        return [1.0 / len(levels)] * len(levels)
    if isinstance(distribution, Mapping):
        if set(distribution) != set(levels):
            raise DataError(
                f"the prior of BDe gives {column.name!r} the levels {quoted(distribution)}; "
                f"the data have {quoted(levels)}"
            )
        distribution = [distribution[level] for level in levels]
    probabilities = np.asarray(distribution, dtype=np.float64)
    if probabilities.shape != (len(levels),):
        raise DataError(
            f"the prior of BDe gives {column.name!r} {probabilities.size} probabilities; "
            f"give one for each of its levels {quoted(levels)}"
        )
    if not (probabilities > 0).all() or abs(probabilities.sum() - 1) > _SUM_TOLERANCE:
        raise ArgumentError(
            f"the prior of BDe gives {column.name!r} the probabilities "
            f"{probabilities.tolist()}; give positive numbers that sum to 1"
        )
    return list(probabilities)


def _joint(
    network: DiscreteNetwork, columns: Sequence[Column]
) -> tuple[NDArray[np.uint16], NDArray[np.float64]]:
    """Return the joint distribution in the variable order and level codes of the data."""
    names = [column.name for column in columns]
    if set(names) != set(network.dag.variables):
        raise DataError(
            f"the prior network of BDe has the variables {quoted(network.dag.variables)}; "
            f"the data have {quoted(names)}"
        )
    codes, probabilities = network.joint()
    translated = np.empty_like(codes, order="F")
    for position, column in enumerate(columns):
        levels = network.levels[column.name]
        if set(levels) != set(column.kind.levels):
            raise DataError(
                f"the prior network of BDe gives {column.name!r} the levels {quoted(levels)}; the "
                f"data have {quoted(column.kind.levels)}; declare levels that do not occur by "
                "levels={...} of arcwise.read"
            )
        code_of = np.array([column.kind.levels.index(level) for level in levels], dtype=np.uint16)
        source = network.dag.variables.index(column.name)
        translated[:, position] = code_of[codes[:, source]]
    return translated, probabilities


@dataclass(frozen=True)
class BIC(LocalScore, name="bic"):
    """The Bayesian information criterion, on the scale of a log marginal likelihood.

    The maximised log likelihood of a family minus half the logarithm of the number of
    rows for each of its parameters: ``q (r - 1)`` for a node with r levels whose parents
    have q configurations, and the number of parents plus 2 for a Gaussian node. With row
    weights, the number of rows is their sum.

    Examples
    --------
    >>> import arcwise
    >>> scores = arcwise.score({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}, BIC())
    >>> round(scores.log_score("b", ["a"]), 6)  # likelihood 1, two parameters
    -1.386294
    """

    def law(self, data: Data) -> Law:
        """Return the conditional distribution of a node, whose parameters have no prior."""
        return ProbabilityTables(None) if _all_discrete(data) else LinearGaussian(None)

    def independence_test(self, data: Data) -> IndependenceTest:
        """Return the test of the same likelihood."""
        return "g-squared" if _all_discrete(data) else "fisher-z"

    def visits_rows(self, data: Data) -> bool:
        """Return whether contingency tables are counted."""
        return _all_discrete(data)

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as an object of the core."""
        if _all_discrete(data):
            return discrete_score(data, "BIC", _core.PseudoCounts.none)
        if "discrete" in data.kinds.values() and not _numbers_only(data):
            raise DataError(
                "BIC needs columns of one kind, but the data have discrete and continuous ones; "
                "discretize the continuous ones with ",
                Wording("arcwise.discretize", "--discretize quantile:3"),
                ", or declare another kind with ",
                Wording("kinds=", "--discrete and --continuous"),
            )
        return _core.gaussian_bic_score(
            data.continuous_values("BIC"),
            list(data.variables),
            data.weights,
            intervention_mask(data),
        )


def _all_discrete(data: Data) -> bool:
    return "continuous" not in data.kinds.values()


def _numbers_only(data: Data) -> bool:
    try:
        data.continuous_values("BIC")
    except DataError:
        return False
    return True
