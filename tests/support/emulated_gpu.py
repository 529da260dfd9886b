"""The device that tests of kernels run on: plain C++, or a graphics processor where asked for.

`make test-gpu` asks for one; else the kernels are compiled as plain C++ from the same source.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.gpu.device import opened
from arcwise.support.devices import Gpu

ROOT = Path(__file__).parents[2]
ON_DEVICE = os.environ.get("ARCWISE_TEST_DEVICE") == "gpu"
_OPTIONS = ("-std=c++20", "-O2", "-shared", "-fPIC", "-pthread", "-ffp-contract=off", "-Wall")


@dataclass(frozen=True)
class Fault:
    """A deliberate mistake in the kernels, which tests must find.

    Parameters
    ----------
    file
        The file of the kernels.
    text, instead
        What is there once, and what the mistake is.
    """

    file: str
    text: str
    instead: str


@cache
def compiled_kernels(*options: str, fault: Fault | None = None) -> ctypes.CDLL:
    """Compile the kernels once for as many test processes as there are."""
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if compiler is None:
        raise RuntimeError("the tests of kernels need a C++ compiler; set CXX to one")
    source = ROOT / "tests" / "gpu" / "emulation.cpp"
    headers = {
        path.name: path.read_text() for path in (ROOT / "core/arcwise/kernels").glob("*.hpp")
    }
    if fault is not None:
        assert headers[fault.file].count(fault.text) == 1
        headers[fault.file] = headers[fault.file].replace(fault.text, fault.instead)
    command = [compiler, *_OPTIONS, *options]
    version = subprocess.run([compiler, "--version"], check=True, capture_output=True).stdout
    digest = hashlib.sha256(" ".join(command).encode() + version + source.read_bytes())
    for name in sorted(headers):
        digest.update(headers[name].encode())
    folder = ROOT / "build" / "kernels"
    folder.mkdir(exist_ok=True, parents=True)
    library = folder / f"{digest.hexdigest()[:24]}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=folder) as made:
            included = Path(made) / "arcwise" / "kernels"
            included.mkdir(parents=True)
            for name, text in headers.items():
                (included / name).write_text(text)
            partial = Path(made) / "kernels.so"
            subprocess.run([*command, f"-I{made}", str(source), "-o", str(partial)], check=True)
            partial.replace(library)
    return ctypes.CDLL(str(library))


class EmulatedGpu:
    """A `KernelDevice` whose memory is that of NumPy.

    Parameters
    ----------
    threads
        The threads of a block, whatever is asked for; 1 is the fastest.
    memory
        The bytes it says are free.
    fault
        A mistake in the kernels.
    """

    name = "an emulated device"
    multiprocessors = 2
    shared_bytes = 227 * 1024

    def __init__(self, threads: int = 1, memory: int = 2**30, fault: Fault | None = None) -> None:
        self._library = compiled_kernels(fault=fault)
        self._threads = threads
        self._memory = memory
        self.launched: list[str] = []

    def free_bytes(self) -> int:
        return self._memory

    def upload(self, array: NDArray[Any]) -> NDArray[Any]:
        return np.array(array)

    def zeros(self, size: int, dtype: Any) -> NDArray[Any]:
        return np.zeros(size, dtype=dtype)

    def download(
        self, buffer: NDArray[Any], first: int = 0, count: int | None = None
    ) -> NDArray[Any]:
        return buffer[first : len(buffer) if count is None else first + count].copy()

    def address(self, buffer: NDArray[Any]) -> int:
        return int(buffer.ctypes.data)

    def blocks_at_once(self, kernel: str, threads: int, shared: int) -> int:
        assert shared <= self.shared_bytes
        return 2 * self.multiprocessors

    def launch(
        self, kernel: str, blocks: int, threads: int, arguments: Sequence[Any], shared: int = 0
    ) -> None:
        self.launched.append(kernel)
        passed = [
            ctypes.c_void_p(each.ctypes.data)
            if isinstance(each, np.ndarray)
            else ctypes.c_uint64(int(each))
            for each in arguments
        ]
        getattr(self._library, kernel)(
            ctypes.c_uint64(blocks),
            ctypes.c_int(self._threads),
            ctypes.c_uint64(shared),
            *passed,
        )

    def synchronize(self) -> None:
        pass


class RealGpu:
    """A graphics processor, with the memory it says is free.

    Parameters
    ----------
    threads
        Those of a block are as many as are asked for.
    memory
        The bytes it says are free.
    """

    def __init__(self, threads: int = 1, memory: int = 2**30) -> None:
        self._device = opened(Gpu())
        self._memory = memory
        self.name = self._device.name
        self.multiprocessors = self._device.multiprocessors
        self.shared_bytes = self._device.shared_bytes
        self.launched: list[str] = []

    def free_bytes(self) -> int:
        return self._memory

    def launch(
        self, kernel: str, blocks: int, threads: int, arguments: Sequence[Any], shared: int = 0
    ) -> None:
        self.launched.append(kernel)
        self._device.launch(kernel, blocks, threads, arguments, shared)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)


def kernel_device(threads: int = 1, memory: int = 2**30) -> EmulatedGpu | RealGpu:
    """Return the device that tests run on."""
    return (RealGpu if ON_DEVICE else EmulatedGpu)(threads, memory)
