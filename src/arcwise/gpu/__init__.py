"""Computations on a graphics processor; `support.devices.Gpu` asks for one."""

from arcwise.gpu.device import KernelDevice, opened
from arcwise.gpu.order_modular import OrderModularComputation
from arcwise.gpu.scoring import GpuScoring

__all__ = ["GpuScoring", "KernelDevice", "OrderModularComputation", "opened"]
