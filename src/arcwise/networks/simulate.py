"""`simulate`: draws data from a bundled or a user-defined network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.networks.asia import asia
from arcwise.networks.network import Network
from arcwise.support.words import quoted

BUNDLED: dict[str, Callable[[], Network]] = {"asia": asia}


def simulate(
    network: str | Network,
    rows: int = 1000,
    *,
    seed: int = 0,
    interventions: Mapping[str, Any] | None = None,
) -> Data:
    """Draw data from a network.

    Parameters
    ----------
    network
        The name of a bundled network, ``"asia"``, or one of `arcwise.networks`.
    rows
        The number of rows.
    seed
        The same arguments and seed give the same data.
    interventions
        For each variable that is intervened on, the value it is set to in every row.

    Examples
    --------
    >>> import arcwise
    >>> arcwise.simulate("asia", 500, seed=1)
    <Data: 500 rows, 8 discrete variables>
    """
    if isinstance(network, str):
        if network not in BUNDLED:
            raise ArgumentError(
                f"there is no bundled network {network!r}; choose from: {', '.join(BUNDLED)}"
            )
        network = BUNDLED[network]()
    if not isinstance(network, Network):
        raise ArgumentError(
            f"network is of type {type(network).__name__}; give one of arcwise.networks, or one of "
            f"{quoted(BUNDLED)}"
        )
    return network.sample(rows, seed, interventions)
