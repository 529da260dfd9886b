"""Whether draws follow a law: a chi-squared test with a stated rate of false alarms.

Seeds are fixed, so a test that passes once passes always; the rate says how
probable it was that a correct program needs another seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

from scipy.stats import chi2

Value = TypeVar("Value", bound=Hashable)

FALSE_ALARM_RATE = 1e-6
_SMALLEST_EXPECTATION = 5.0


def p_value(draws: Iterable[Value], law: Mapping[Value, float]) -> float:
    """Return how probable draws as unlike the law as these are, if they do follow it.

    Values expected fewer than five times are taken together; a value the law
    gives no probability makes it 0.
    """
    counts = Counter(draws)
    total = sum(counts.values())
    if any(law.get(value, 0.0) == 0.0 for value in counts):
        return 0.0
    statistic = 0.0
    cells = 0
    rare_count, rare_expected = 0, 0.0
    for value, probability in law.items():
        expected = total * probability
        if expected < _SMALLEST_EXPECTATION:
            rare_count += counts[value]
            rare_expected += expected
        else:
            statistic += (counts[value] - expected) ** 2 / expected
            cells += 1
    if rare_expected >= _SMALLEST_EXPECTATION:
        statistic += (rare_count - rare_expected) ** 2 / rare_expected
        cells += 1
    elif rare_count > 60:  # beyond any doubt where fewer than five are expected
        return 0.0
    return float(chi2.sf(statistic, cells - 1)) if cells > 1 else 1.0


def assert_follows(draws: Iterable[Value], law: Mapping[Value, float]) -> None:
    """Assert that the draws may come from the law; a correct program fails once in a million."""
    assert p_value(draws, law) > FALSE_ALARM_RATE
