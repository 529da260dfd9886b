"""What exchanges between adjacent temperatures tell about a ladder of temperatures."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

# States travel fastest, for the work of moving all of them, where half of the exchanges are
# refused (Syed, Bouchard-Côté, Deligiannidis and Doucet 2022).
_PAIRS_PER_REFUSAL = 2.0

Rates = tuple[float | None, ...]
"""The acceptance rate of each pair of adjacent temperatures; None if nothing was proposed."""


def exchange_rates(chains: Sequence[Sequence[tuple[int, int]]]) -> Rates:
    """Return the acceptance rate of exchanges of each pair of adjacent temperatures.

    Parameters
    ----------
    chains
        For each chain and each pair, the numbers of proposed and accepted exchanges.

    Returns
    -------
    tuple
        The rates of all chains together; where chains have different numbers of temperatures,
        those of the chain with the lowest of all.
    """
    if len({len(pairs) for pairs in chains}) > 1:
        each = [exchange_rates([pairs]) for pairs in chains]
        return min(each, key=lambda rates: min((r for r in rates if r is not None), default=1.0))
    totals = [
        (sum(proposed for proposed, _ in pair), sum(accepted for _, accepted in pair))
        for pair in zip(*chains, strict=True)
    ]
    return tuple(accepted / proposed if proposed else None for proposed, accepted in totals)


def temperatures_needed(rates: Sequence[float | None]) -> int:
    """Return the number of temperatures at which half of all exchanges would be accepted.

    The sum of the rates of refusal hardly depends on the number of temperatures, unless nearly
    all exchanges are refused; then more may be needed than this.

    Parameters
    ----------
    rates
        The acceptance rate of each pair of adjacent temperatures.

    Examples
    --------
    >>> temperatures_needed([0.2, 0.3, 0.1])
    6
    """
    refused = sum(1.0 - rate for rate in rates if rate is not None)
    return 1 + ceil(_PAIRS_PER_REFUSAL * refused - 1e-9)
