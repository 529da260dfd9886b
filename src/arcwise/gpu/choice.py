"""Which device a computation runs on: what was asked for, what it can do, what there is."""

from __future__ import annotations

from arcwise.errors import ArgumentError, DeviceError, MissingDependencyError, option
from arcwise.gpu.device import KernelDevice, opened
from arcwise.support.devices import Choice, Gpu, as_device


def chosen_device(
    value: object, *, refusal: str | None, worthwhile: bool, needed: int
) -> KernelDevice | None:
    """Return the graphics processor to use, or None for the processors.

    Parameters
    ----------
    value
        What was asked for, see `as_device`.
    refusal
        Why a graphics processor cannot do it, as the end of a sentence; None if it can.
    worthwhile
        Whether ``"auto"`` should take one.
    needed
        The bytes of its memory that this takes; ``"auto"`` stays with the processors if there are
        fewer.

    Raises
    ------
    ArgumentError
        If one is asked for that cannot do it.
    MissingDependencyError, DeviceError
        If one is asked for and there is none.
    """
    wanted = as_device(value)
    if isinstance(wanted, Gpu) and not wanted.where_worthwhile:
        if refusal is not None:
            raise ArgumentError(option("device", str(wanted)), f" was asked for, but {refusal}")
        return opened(wanted)
    if wanted is Choice.PROCESSORS or refusal is not None or not worthwhile:
        return None
    try:
        device = opened(wanted if isinstance(wanted, Gpu) else Gpu())
    except (MissingDependencyError, DeviceError):
        return None
    return device if needed <= device.free_bytes() else None
