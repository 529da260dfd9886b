"""What exchanges tell about a ladder: rates of several chains, and how many levels it needs."""

from __future__ import annotations

from arcwise.statistics.convergence import exchange_rates, temperatures_needed


def test_rates_are_those_of_all_chains_together() -> None:
    chains = [[(10, 5), (20, 1), (0, 0)], [(30, 5), (20, 3), (0, 0)]]
    assert exchange_rates(chains) == (0.25, 0.1, None)


def test_of_chains_with_different_ladders_the_poorest_is_shown() -> None:
    chains = [[(10, 5), (10, 4)], [(10, 6), (10, 1), (10, 6)], [(10, 3)]]
    assert exchange_rates(chains) == (0.6, 0.1, 0.6)


def test_twice_as_many_temperatures_are_needed_as_exchanges_are_refused() -> None:
    assert temperatures_needed([0.5, 0.5, 0.5]) == 4
    assert temperatures_needed([0.0, 0.0, 0.0]) == 7
    assert temperatures_needed([0.9, None, 0.8]) == 2
