"""Findings about the data and the model: limitations of a posterior however it is computed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arcwise.data.profile import FEWEST_OTHERS, DataProfile
from arcwise.data.scales import Moments
from arcwise.posterior import DagSample, Posterior
from arcwise.posterior.matrices import OPEN_SHARE, adjacencies, relation_probabilities, unpacked
from arcwise.records.account import DataVerdict, Finding, by_gravity, data_verdict
from arcwise.scores import FamilyScores
from arcwise.support.names import listing, plural

_MOST_DAGS = 1000

FEWEST_ROWS_PER_PARAMETER = 5.0
"""Below this, estimates of parameters, and so scores, depend on the prior as much as on rows."""
HOPELESS_ROWS_PER_PARAMETER = 1.0

FEW_ROWS, VERY_FEW_ROWS = 200, 50
LARGEST_SHARE_DROPPED = 0.05
LARGEST_SHARE_MISSING = 0.2
LARGEST_SHARE_MISSING_OF_A_COLUMN = 0.5

# Deviations from normality that are both significant and large enough to matter; beyond the larger
# limits, methods for normal data break down (Curran, West and Finch 1996).
_P_VALUE = 1e-4
_SKEWED, _HEAVY = 0.5, 1.0
_VERY_SKEWED, _VERY_HEAVY = 2.0, 7.0

_LIKELY = 0.5
_MOST_NAMED = 4
_EQUIVALENT_SCORES = ("BDeu", "BGe", "BIC", "DegenerateGaussian")

_found = partial(Finding, "data and model")


def data_and_model(posterior: Posterior) -> tuple[DataVerdict, tuple[Finding, ...]]:
    """Return the verdict and the findings on the data and the model.

    They depend only on the posterior and its provenance, so they are the same for a saved
    posterior.
    """
    profile, rows = posterior.provenance.data, posterior.provenance.rows
    findings: list[Finding] = []
    if profile is not None and rows is not None:
        findings += _of_parameters(posterior, profile, rows)
        findings += _of_rows(profile, rows)
        findings += _of_weights(profile, rows)
        findings += _of_identifiers(profile)
        findings += _of_nearly_constant(profile)
        findings += _of_shapes(profile)
        findings += _of_preparation(profile, rows)
        findings += _of_interventions(profile, rows)
    verdict: DataVerdict = "unknown" if profile is None else data_verdict(findings)
    findings += _of_directions(posterior, profile)
    findings += _of_kinds(posterior, profile)
    findings += _assumptions(profile)
    return verdict, tuple(by_gravity(findings))


def _of_parameters(posterior: Posterior, profile: DataProfile, rows: int) -> Iterator[Finding]:
    """Return a finding if likely parent sets have too many parameters for the number of rows."""
    sizes = family_sizes(posterior, profile)
    if sizes is None:
        return
    available = np.array([profile.rows_for(name, rows) for name in posterior.variables])
    ratio = available / sizes
    few = np.flatnonzero(ratio < FEWEST_ROWS_PER_PARAMETER)
    if len(few) == 0:
        return
    worst = int(np.argmin(ratio))
    n, count = len(posterior.variables), len(few)
    them = "it" if count == 1 else "them"
    yield _found(
        "serious" if ratio[worst] < HOPELESS_ROWS_PER_PARAMETER else "caution",
        "rows per parameter",
        f"The likely parent sets of {count} of {plural(n, 'variable')} leave fewer than "
        f"{FEWEST_ROWS_PER_PARAMETER:.0f} rows for each free parameter, so that the edges into "
        f"{them} may reflect the prior, or chance (worst: {posterior.variables[worst]}, with "
        f"{sizes[worst]:,.0f} parameters and {available[worst]:,.0f} rows)",
        "bound the number of parents, use a prior that favours sparse graphs, merge levels, or "
        "collect more rows",
    )


def _of_rows(profile: DataProfile, rows: int) -> Iterator[Finding]:
    """Return a finding if there are so few rows that only strong dependence is detected."""
    # By the Bayesian information criterion, a dependence is worth its parameter if the squared
    # correlation exceeds 1 - N^(-1/N).
    number = rows if profile.total_weight is None else max(2.0, profile.total_weight)
    if number > FEW_ROWS:
        return
    weakest = math.sqrt(1.0 - number ** (-1.0 / number))
    fact = (
        f"With {'only ' if number < VERY_FEW_ROWS else ''}{number:,.0f} rows, dependence "
        f"weaker than a correlation of about {weakest:.2f} will usually be missed: a missing "
        "edge is no proof of independence"
    )
    yield _found("caution" if number < VERY_FEW_ROWS else "note", "rows", fact)


def _of_weights(profile: DataProfile, rows: int) -> Iterator[Finding]:
    total, effective = profile.total_weight, profile.effective_rows
    if total is None or effective is None:
        return
    over = total > 1.05 * min(rows, effective)
    yield _found(
        "caution" if over else "note",
        "weights",
        f"The weights of the {rows:,} rows count as {total:,.6g} rows"
        + (f", though as a sample they are worth only {effective:,.4g}" if over else ""),
        "unless a weight is the number of times a row was seen, scale the weights to the "
        "effective number of rows"
        if over
        else "",
    )


def _of_identifiers(profile: DataProfile) -> Iterator[Finding]:
    names = profile.identifiers
    if not names:
        return
    seems = "seems" if len(names) == 1 else "seem"
    fact = (
        f"{listing(names, _MOST_NAMED)} {seems} only to identify rows, with hardly any value "
        "that two rows share"
    )
    yield _found("caution", "identifiers", fact, "leave such columns out")


def _of_nearly_constant(profile: DataProfile) -> Iterator[Finding]:
    if profile.parametrization in (None, "gaussian") or not profile.nearly_constant:
        return
    # Sorted by rarity, because the mappings of a saved posterior have no defined order.
    few = sorted(profile.nearly_constant.items(), key=lambda each: (each[1], each[0]))
    named = listing([f"{name} in {plural(rows, 'row')}" for name, rows in few], _MOST_NAMED)
    differs = "variable differs" if len(few) == 1 else "variables differ"
    yield _found(
        "caution",
        "nearly constant",
        f"{len(few)} {differs} from the commonest level in fewer than {FEWEST_OTHERS} rows "
        f"({named}), on which all that is learned about {'it' if len(few) == 1 else 'them'} "
        "rests",
        "take such edges with care, or leave such columns out",
    )


def _of_shapes(profile: DataProfile) -> Iterator[Finding]:
    """Return a finding if columns that are assumed to be normal clearly are not."""
    # The test rejects too often at such small levels, up to twenty times too often with 60 rows;
    # even so, a table of normal columns has a finding with a probability below 0.01.
    limit = _P_VALUE / max(1, len(profile.moments))
    odd = {
        name: moments
        for name, moments in profile.moments.items()
        if moments.p_value < limit and _is_odd(moments, _SKEWED, _HEAVY)
    }
    if not odd:
        return
    worst = max(odd, key=lambda name: _oddity(odd[name]))
    grave = _is_odd(odd[worst], _VERY_SKEWED, _VERY_HEAVY)
    mixed = profile.parametrization == "conditional-gaussian"
    within = " within levels of the discrete ones" if mixed else ""
    yield _found(
        "serious" if grave else "caution",
        "normality",
        f"{plural(len(odd), 'column')} of {len(profile.levels)} "
        f"{'is' if len(odd) == 1 else 'are'} not normal{within}, as the score assumes (worst: "
        f"{worst} with skewness {odd[worst].skewness:.1f} and excess kurtosis "
        f"{odd[worst].excess_kurtosis:.1f})",
        "give the transform normal-scores for such columns, which keeps ranks only, "
        "log or asinh, or discretize them",
    )


def _is_odd(moments: Moments, skewness: float, kurtosis: float) -> bool:
    # Distributions with negative excess kurtosis do little harm.
    return abs(moments.skewness) > skewness or moments.excess_kurtosis > kurtosis


def _oddity(moments: Moments) -> float:
    return max(abs(moments.skewness) / _VERY_SKEWED, moments.excess_kurtosis / _VERY_HEAVY)


def _of_preparation(profile: DataProfile, rows: int) -> Iterator[Finding]:
    done = profile.preparation
    if done.dropped_rows:
        share = done.dropped_rows / (rows + done.dropped_rows)
        yield _found(
            "caution" if share > LARGEST_SHARE_DROPPED else "note",
            "dropped rows",
            f"{done.dropped_rows:,} of {rows + done.dropped_rows:,} rows ({share:.0%}) were "
            "dropped for missing values, which is right only if these are missing by chance",
            "compare the rows dropped with the others" if share > LARGEST_SHARE_DROPPED else "",
        )
    if done.imputed:
        yield _of_missing(profile, rows)
    if done.discretized:
        fact = (
            f"{plural(len(done.discretized), 'column')} "
            f"{'was' if len(done.discretized) == 1 else 'were'} cut into intervals: what "
            "happens within an interval is lost, and other cut points can give other edges"
        )
        yield _found("note", "discretized", fact, "try another number of intervals")
    if done.scales:
        one = len(done.scales) == 1
        labels = [scale.label(name) for name, scale in done.scales.items()]
        fact = (
            f"{listing(labels, _MOST_NAMED)} {'is' if one else 'are'} modelled in place of "
            f"{'the column' if one else 'these columns'}, as far closer to normal: effects "
            f"are of {'it' if one else 'them'}, predictions in the units of the table"
        )
        yield _found("note", "scales", fact, "give the transform none to model columns as they are")
    if done.missing_as_level:
        fact = (
            f"Missing values are a level of their own in "
            f"{listing(done.missing_as_level, _MOST_NAMED)}: edges may tell why values are "
            "missing rather than what they are"
        )
        yield _found("note", "missing values", fact)


def _of_missing(profile: DataProfile, rows: int) -> Finding:
    """Return the finding on the share of missing values, and the assumption of imputation."""
    counts = profile.preparation.imputed
    total = sum(counts.values())
    share = total / (rows * len(profile.levels))
    most = max(counts.values()) / rows
    many = share > LARGEST_SHARE_MISSING or most > LARGEST_SHARE_MISSING_OF_A_COLUMN
    by_share = sorted(counts.items(), key=lambda item: -item[1])
    named = listing([f"{name} {_share(count / rows)}" for name, count in by_share], _MOST_NAMED)
    return _found(
        "caution" if many else "note",
        "missing values",
        f"{total:,} of {rows * len(profile.levels):,} values ({_share(share)}) are missing "
        f"({named}) and were imputed, which is right if they are missing at random: by chance, or "
        "for reasons that other columns tell",
        "compare with the result from complete rows, and ask why values are missing"
        if many
        else "",
    )


def _share(share: float) -> str:
    return "< 1 %" if share < 0.01 else f"{100 * share:.0f} %"


def _of_interventions(profile: DataProfile, rows: int) -> Iterator[Finding]:
    if not profile.intervened:
        return
    named = listing([f"{name} in {n:,}" for name, n in profile.intervened.items()], _MOST_NAMED)
    fact = (
        f"In {profile.intervened_rows:,} of {rows:,} rows variables were intervened on "
        f"({named}): a variable is taken to be set there whatever its causes, and nothing "
        "else to be affected directly"
    )
    yield _found("note", "interventions", fact)


def _of_directions(posterior: Posterior, profile: DataProfile | None) -> Iterator[Finding]:
    """Return a finding on the likely adjacencies whose direction is not identified.

    In observational data, all DAGs of an equivalence class have the same likelihood. With
    interventions, or another score, only the posterior shows which directions are open.
    """
    # Edges of parent-only variables have the direction that was declared.
    given = set(posterior.parent_only)
    likely = [
        pair
        for pair in adjacencies(posterior, _LIKELY)
        if given.isdisjoint((pair.source, pair.target))
    ]
    if not likely:
        return
    score = posterior.provenance.score
    observational = (
        profile is not None
        and not profile.intervened
        and score is not None
        and score.name in _EQUIVALENT_SCORES
    )
    total = f"{plural(len(likely), 'likely adjacency', 'likely adjacencies')}"
    if observational and posterior.dags is not None:
        reversible = relation_probabilities(posterior.dags.thinned(_MOST_DAGS), "reversible")
        place = {name: number for number, name in enumerate(posterior.variables)}
        names = [
            f"{pair.source} – {pair.target}"
            for pair in likely
            if reversible[place[pair.source], place[pair.target]] > pair.probability / 2.0
        ]
        fact = (
            f"Observational data cannot tell the direction of {len(names)} of {total}, however "
            "many rows there are, since both directions imply the same independences "
            f"({listing(names, _MOST_NAMED)})"
        )
    else:
        names = [f"{pair.source} – {pair.target}" for pair in likely if pair.is_open]
        fact = (
            f"The direction of {len(names)} of {total} is open: either way has at least "
            f"{OPEN_SHARE:.0%} of the probability ({listing(names, _MOST_NAMED)})"
        )
    if not names:
        return
    advice = "interventions, an order in time or other knowledge can tell"
    yield _found("note", "directions", fact, advice)


def _of_kinds(posterior: Posterior, profile: DataProfile | None) -> Iterator[Finding]:
    """Return a finding on likely edges whose direction is due to the score, not to the data."""
    if profile is None or profile.parametrization != "conditional-gaussian":
        return
    discrete = np.array(profile.levels) > 0
    between = np.logical_and.outer(discrete, ~discrete) & (posterior.edges > _LIKELY)
    if not between.any():
        return
    names = posterior.variables
    shown = [f"{names[u]} → {names[v]}" for u, v in np.argwhere(between).tolist()]
    yield _found(
        "note",
        "kinds",
        "The score allows no edge from a continuous to a discrete variable, so that the "
        f"direction of {plural(len(shown), 'likely edge')} from a discrete to a continuous one "
        f"was not learned from the data ({listing(shown, _MOST_NAMED)})",
        "where a continuous cause of a discrete variable is possible, compare with the score "
        "DegenerateGaussian, or cut the continuous variable into intervals",
    )


def _assumptions(profile: DataProfile | None) -> Iterator[Finding]:
    kind = None if profile is None else profile.parametrization
    taken = ["Rows are taken to be independent of each other and alike"]
    if profile is not None and profile.slices is not None and profile.slices.lags:
        taken = [
            "Rows are taken to be independent given the slices before them",
            "the network to be the same at all times",
        ]
    if kind == "gaussian":
        taken.append("dependence to be linear")
    if kind == "conditional-gaussian":
        taken.append(
            "dependence between continuous variables to be linear, with normal deviations, for "
            "each configuration of the discrete ones"
        )
    yield _found(
        "note",
        "hidden causes",
        "Hidden common causes are not part of the model: two variables with a cause in common "
        "that is not in the table appear adjacent, in either direction",
        "read an edge as a cause only where such causes can be ruled out",
    )
    fact = ", and ".join([", ".join(taken[:-1]), taken[-1]] if taken[1:] else taken)
    yield _found("note", "assumptions", fact)


_MOST_FAMILIES = 2_000_000
_GAUSSIAN = 2.0  # an intercept and a variance, besides a coefficient for each parent
_LARGEST_LOG = 600.0


def family_sizes(posterior: Posterior, profile: DataProfile) -> NDArray[np.float64] | None:
    """Return the posterior median of the number of free parameters of each variable's family.

    With r levels and q configurations of the parents it is q (r - 1); for a Gaussian variable the
    number of parents plus 2, and in mixed data q times the number of continuous parents plus 2.
    None if the parametrization is unknown.

    Families are those of sampled DAGs; without DAGs, those with exact probabilities; and otherwise
    those of the parents that are more probable than not.
    """
    if profile.parametrization is None:
        return None
    levels = np.array(profile.levels, dtype=np.float64)
    # Integers are continuous if the score treats them as continuous.
    discrete = (levels > 0) & (profile.parametrization != "gaussian")
    sizes = _Sizes(np.log(np.where(discrete, levels, 1.0)), (~discrete).astype(np.float64))
    families = posterior.family_probabilities
    if posterior.dags is not None:
        return _sizes_in_dags(posterior.dags, sizes, levels)
    if families is not None and len(families) <= _MOST_FAMILIES:
        return _sizes_of_families(families, sizes, levels)
    likely = (posterior.edges > 0.5).astype(np.float64).T
    return np.concatenate(
        [sizes.of(node, levels[node], likely[[node]]) for node in range(len(levels))]
    )


@dataclass(frozen=True, eq=False)
class _Sizes:
    """The contribution of each parent to the size: the log of its levels, or a coefficient."""

    logs: NDArray[np.float64]
    numbers: NDArray[np.float64]

    def of(self, node: int, levels: float, members: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the number of parameters of a node with each parent set, given as 0 and 1."""
        return self.from_sums(node, levels, members @ self.logs, members @ self.numbers)

    def from_sums(
        self, node: int, levels: float, logs: NDArray[np.float64], numbers: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the number of parameters from the sums of the contributions of the parents."""
        own = numbers + _GAUSSIAN if self.numbers[node] else max(levels - 1.0, 1.0)
        return np.asarray(np.exp(np.minimum(logs, _LARGEST_LOG)) * own)


def _sizes_in_dags(
    dags: DagSample, sizes: _Sizes, levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    few, n = dags.thinned(_MOST_DAGS), len(dags.variables)
    return np.array(
        [
            _median(
                sizes.of(node, levels[node], unpacked(few.parents[:, node], n).astype(np.float64)),
                few.shares,
            )
            for node in range(n)
        ]
    )


def _sizes_of_families(
    families: FamilyScores, sizes: _Sizes, levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    result = []
    for node in range(len(families.variables)):
        flat, offsets = families.table.parent_sets(node)
        members, ends = np.asarray(flat, dtype=np.int64), np.asarray(offsets, dtype=np.int64)
        logs, numbers = (
            np.diff(np.concatenate([[0.0], np.cumsum(each[members])])[ends])
            for each in (sizes.logs, sizes.numbers)
        )
        found = sizes.from_sums(node, levels[node], logs, np.rint(numbers).astype(np.float64))
        result.append(_median(found, np.asarray(families.table.values(node))))
    return np.array(result)


def _median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    order = np.argsort(values, kind="stable")
    summed = np.cumsum(weights[order])
    return float(values[order[int(np.searchsorted(summed, summed[-1] / 2.0))]])
