"""Computations on a graphics processor, which `support.devices.Gpu` requests."""

from arcwise.gpu.device import KernelDevice, opened
from arcwise.gpu.order_modular import OrderModularComputation
from arcwise.gpu.scoring import GpuScoring

__all__ = ["GpuScoring", "KernelDevice", "OrderModularComputation", "opened"]
