"""`KernelStruct`: what a kernel is told, as a structure in the memory of a device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from arcwise.gpu.device import KernelDevice


class KernelStruct:
    """A structure of eight-byte fields in the memory of a device, and the arrays it points to.

    Parameters
    ----------
    device
        The device.
    fields
        The fields in the order in which the kernels declare them: numbers, arrays of the device,
        which are kept as long as this is, or None for a null pointer.
    """

    def __init__(self, device: KernelDevice, fields: Mapping[str, Any]) -> None:
        self._device = device
        self._fields = dict(fields)
        self.write()

    def write(self, **changed: Any) -> None:
        """Write it down, with these fields changed."""
        assert changed.keys() <= self._fields.keys()
        self._fields |= changed
        words = [self._word(value) for value in self._fields.values()]
        self.buffer = self._device.upload(np.array(words, dtype=np.uint64))

    def _word(self, value: Any) -> int:
        if isinstance(value, float):
            return int(np.float64(value).view(np.uint64))
        if value is None or isinstance(value, int | np.integer | np.bool_):
            return int(value or 0)
        return self._device.address(value)
