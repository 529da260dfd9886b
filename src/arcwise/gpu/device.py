"""A graphics processor on which kernels run, through CuPy, which is imported on demand.

Computations use it only through `KernelDevice`, so that tests can run the same kernels as plain
C++. The sources of the kernels are in `core/arcwise/kernels`, are installed beside this file, and
are compiled at run time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError, CapacityError, DeviceError, MissingDependencyError, option
from arcwise.support.devices import Choice, Gpu, as_device
from arcwise.support.names import byte_size
from arcwise.support.optional import optional

OLDEST_CAPABILITY = (6, 0)  # the first with atomic sums of 64 bits
# Without fused multiply-add, products and sums are rounded separately, as in plain C++.
_COMPILER_OPTIONS = ("-std=c++17", "--fmad=false")


class KernelDevice(Protocol):
    """The interface of a device: its memory, and launches of kernels by name."""

    name: str
    multiprocessors: int
    shared_bytes: int  # the most shared memory of one block

    def free_bytes(self) -> int:
        """Return the bytes of memory that are free."""
        ...

    def upload(self, array: NDArray[Any]) -> Any:
        """Return a copy of an array in the memory of the device."""
        ...

    def zeros(self, size: int, dtype: Any) -> Any:
        """Return an array of zeros in the memory of the device."""
        ...

    def download(self, buffer: Any, first: int = 0, count: int | None = None) -> NDArray[Any]:
        """Return a copy of an array of the device, or of a part of it."""
        ...

    def address(self, buffer: Any) -> int:
        """Return the address of an array of the device."""
        ...

    def blocks_at_once(self, kernel: str, threads: int, shared: int) -> int:
        """Return the number of blocks that the device runs concurrently."""
        ...

    def launch(
        self, kernel: str, blocks: int, threads: int, arguments: Sequence[Any], shared: int = 0
    ) -> None:
        """Launch a kernel, which runs after those launched before it."""
        ...

    def synchronize(self) -> None:
        """Wait until all kernels have ended."""
        ...


class CudaDevice:
    """An NVIDIA device, through CuPy."""

    def __init__(self, cupy: Any, number: int) -> None:
        self._cupy = cupy
        self._number = number
        with self._current():
            about = cupy.cuda.runtime.getDeviceProperties(number)
            self.name = about["name"].decode()
            attributes = cupy.cuda.Device(number).attributes
            self.multiprocessors = int(attributes["MultiProcessorCount"])
            self.shared_bytes = int(attributes["MaxSharedMemoryPerBlockOptin"])
            self._module = cupy.RawModule(code=kernel_source(), options=_COMPILER_OPTIONS)
        self._kernels: dict[str, Any] = {}

    def _current(self) -> Any:
        return self._cupy.cuda.Device(self._number)

    def free_bytes(self) -> int:
        """Return the bytes of memory that are free, including those CuPy reserves."""
        with self._current():
            self._cupy.get_default_memory_pool().free_all_blocks()
            free, _ = self._cupy.cuda.runtime.memGetInfo()
            return int(free)

    def upload(self, array: NDArray[Any]) -> Any:
        """Return a copy of an array in the memory of the device."""
        with self._current():
            return self._cupy.asarray(array)

    def zeros(self, size: int, dtype: Any) -> Any:
        """Return an array of zeros in the memory of the device."""
        with self._current():
            try:
                return self._cupy.zeros(size, dtype=dtype)
            except self._cupy.cuda.memory.OutOfMemoryError:
                wanted = byte_size(size * np.dtype(dtype).itemsize)
                raise CapacityError(
                    f"the device refused {wanted} of memory, though as much was free; end what "
                    "else runs on it, or use fewer variables"
                ) from None

    def download(self, buffer: Any, first: int = 0, count: int | None = None) -> NDArray[Any]:
        """Return a copy of an array of the device, or of a part of it."""
        last = len(buffer) if count is None else first + count
        with self._current():
            copied: NDArray[Any] = self._cupy.asnumpy(buffer[first:last])
            return copied

    def address(self, buffer: Any) -> int:
        """Return the address of an array of the device."""
        return int(buffer.data.ptr)

    def _kernel(self, name: str, shared: int) -> Any:
        if name not in self._kernels:
            self._kernels[name] = self._module.get_function(name)
        found = self._kernels[name]
        if shared > 48 * 1024 and found.max_dynamic_shared_size_bytes < shared:
            found.max_dynamic_shared_size_bytes = shared
        return found

    def blocks_at_once(self, kernel: str, threads: int, shared: int) -> int:
        """Return the number of blocks that the device runs concurrently."""
        with self._current():
            found = self._kernel(kernel, shared)
            each = self._cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
                found.kernel.ptr, threads, shared
            )
        return max(1, int(each)) * self.multiprocessors

    def launch(
        self, kernel: str, blocks: int, threads: int, arguments: Sequence[Any], shared: int = 0
    ) -> None:
        """Launch a kernel, which runs after those launched before it."""
        with self._current():
            self._kernel(kernel, shared)((blocks,), (threads,), tuple(arguments), shared_mem=shared)

    def synchronize(self) -> None:
        """Wait until all kernels have ended."""
        with self._current():
            self._cupy.cuda.Stream.null.synchronize()


def chosen_device(
    value: object, *, refusal: str | None, worthwhile: bool, needed: int
) -> KernelDevice | None:
    """Return the graphics processor to use, or None to use the processors."""
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


def opened(gpu: Gpu) -> KernelDevice:
    """Return the device with a number, or raise an error that explains why it is not available."""
    cupy = _cupy()
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise DeviceError(
            option("device", "gpu"),
            f" was asked for, but CUDA found none that it can use ({_first_line(error)}); check "
            "that `nvidia-smi` lists a device and that its driver is as new as CuPy's CUDA",
        ) from None
    if gpu.number >= count:
        raise DeviceError(
            option("device", str(gpu)),
            f" was asked for, but there {'is one device' if count == 1 else f'are {count} devices'}"
            ", counted from gpu:0",
        )
    return _opened(gpu.number)


@cache
def _opened(number: int) -> CudaDevice:
    cupy = _cupy()
    about = cupy.cuda.runtime.getDeviceProperties(number)
    capability = (int(about["major"]), int(about["minor"]))
    if capability < OLDEST_CAPABILITY:
        raise DeviceError(
            f"the device {about['name'].decode()} has compute capability "
            f"{capability[0]}.{capability[1]}, and the kernels need "
            f"{OLDEST_CAPABILITY[0]}.{OLDEST_CAPABILITY[1]} or newer; use a newer one"
        )
    return CudaDevice(cupy, number)


def _cupy() -> Any:
    try:
        return optional("cupy", "device='gpu'")
    except MissingDependencyError:
        raise MissingDependencyError(
            option("device", "gpu"),
            " needs the package cupy, which is not installed; install it with "
            "`pip install 'arcwise[gpu]'`, for a driver of CUDA 12 or newer",
        ) from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def refuse_beyond_device(
    device: KernelDevice, needed: int, what: str, instead: str = "fewer variables or a sampler"
) -> None:
    """Refuse a computation that needs more memory than the device has free."""
    free = device.free_bytes()
    if needed > free:
        raise CapacityError(
            f"{what} needs {byte_size(needed)} of the device's memory and {device.name} has "
            f"{byte_size(free)} free; use a larger device, {instead}"
        )


class KernelStruct:
    """The argument of a kernel: a structure of eight-byte fields, and the arrays it points to."""

    def __init__(self, device: KernelDevice, fields: Mapping[str, Any]) -> None:
        self._device = device
        self._fields = dict(fields)
        self.write()

    def write(self, **changed: Any) -> None:
        """Upload the structure, with these fields changed."""
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


_HERE = Path(__file__).resolve().parent
# The location in a wheel, and in a source tree.
_FOLDERS = (_HERE / "kernels", _HERE.parents[2] / "core" / "arcwise" / "kernels")
# Each file follows those it includes.
_FILES = (
    "platform.hpp",
    "wide.hpp",
    "family_sums.hpp",
    "order_modular.hpp",
    "scaled.hpp",
    "modular_tables.hpp",
    "modular_sets.hpp",
    "modular_tiles.hpp",
    "modular.hpp",
    "random.hpp",
    "order_draws.hpp",
    "elementary.hpp",
    "canonical_weights.hpp",
    "canonical_states.hpp",
    "canonical_orders.hpp",
    "canonical_draws.hpp",
    "relocation.hpp",
    "replicas.hpp",
    "set_walks.hpp",
    "discrete_scores.hpp",
    "gaussian_scores.hpp",
)


@cache
def kernel_source() -> str:
    """Return the kernels as one text without includes of each other.

    Examples
    --------
    >>> "__global__ void forward_sums" in kernel_source()
    True
    >>> '#include "arcwise' in kernel_source()
    False
    """
    folder = next((each for each in _FOLDERS if (each / _FILES[0]).is_file()), None)
    if folder is None:
        raise MissingDependencyError(
            f"the sources of the kernels are missing from '{_FOLDERS[0]}'; install arcwise again"
        )
    lines: list[str] = []
    for name in _FILES:
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            if not line.startswith(('#include "arcwise', "#pragma once")):
                lines.append(line)
    return "\n".join(lines) + "\n"
