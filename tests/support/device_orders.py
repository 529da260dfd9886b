"""Chains over orders on a device, as tests make them and put them where they want them."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcwise.gpu.device import KernelDevice
from arcwise.gpu.order_chains import DeviceTables, OrderChains, OrderTables, SampledOrders


def order_chains(
    device: KernelDevice,
    tables: OrderTables,
    count: int,
    seed: int,
    *,
    neighbours: float | None = None,
    numbers: tuple[int, ...] | None = None,
    **more: Any,
) -> OrderChains:
    kind = SampledOrders(neighbours=neighbours, numbers=numbers)
    return OrderChains(DeviceTables(device, tables), kind, count, seed, **more)


def set_orders(chains: OrderChains, orders: np.ndarray) -> None:
    """Let chains go on from orders that are given, as [chain, place]."""
    chains._state["orders"] = chains.device.upload(orders.T.astype(np.uint8).ravel())
    chains._launch("start_canonical_orders", chains.as_struct(), np.uint64(False))
