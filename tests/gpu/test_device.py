"""What is said where there is no device, or one that will not do; CuPy is played by a fake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.cli import main
from arcwise.errors import CapacityError, DeviceError, MissingDependencyError
from arcwise.gpu import device
from arcwise.gpu.device import CudaDevice, opened, refuse_beyond_device
from arcwise.support.devices import Choice, Gpu, as_device


class FakeError(RuntimeError):
    """What CUDA raises."""


class FakeOutOfMemoryError(RuntimeError):
    """What CuPy raises."""


class FakeDevice:
    def __init__(self, number: int) -> None:
        self.attributes = {"MultiProcessorCount": 4, "MaxSharedMemoryPerBlockOptin": 232448}

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


def fake_cupy(
    count: int = 1, capability: tuple[int, int] = (9, 0), free: int = 2**30, broken: str = ""
) -> Any:
    def device_count() -> int:
        if broken:
            raise FakeError(broken)
        return count

    def zeros(size: int, dtype: Any) -> Any:
        if size * np.dtype(dtype).itemsize > free:
            raise FakeOutOfMemoryError
        return np.zeros(size, dtype)

    about = {"name": b"Fake 9000", "major": capability[0], "minor": capability[1]}
    return SimpleNamespace(
        zeros=zeros,
        asarray=np.array,
        asnumpy=np.array,
        RawModule=lambda code, options: SimpleNamespace(code=code, options=options),
        get_default_memory_pool=lambda: SimpleNamespace(free_all_blocks=lambda: None),
        cuda=SimpleNamespace(
            Device=FakeDevice,
            memory=SimpleNamespace(OutOfMemoryError=FakeOutOfMemoryError),
            runtime=SimpleNamespace(
                CUDARuntimeError=FakeError,
                getDeviceCount=device_count,
                getDeviceProperties=lambda number: about,
                memGetInfo=lambda: (free, free),
            ),
        ),
    )


@pytest.fixture
def with_cupy(monkeypatch: pytest.MonkeyPatch) -> Any:
    def install(**about: Any) -> None:
        device._opened.cache_clear()
        monkeypatch.setitem(sys.modules, "cupy", fake_cupy(**about))

    yield install
    device._opened.cache_clear()


@pytest.fixture
def without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)


def test_without_cupy(without_cupy: None) -> None:
    with pytest.raises(MissingDependencyError, match=r"pip install 'arcwise\[gpu\]'"):
        opened(Gpu())


def test_without_a_device_or_with_an_old_driver(with_cupy: Any) -> None:
    with_cupy(broken="cudaErrorInsufficientDriver: CUDA driver version is insufficient\nmore")
    with pytest.raises(DeviceError, match=r"insufficient\); check that `nvidia-smi` lists") as told:
        opened(Gpu())
    assert "more" not in str(told.value)
    assert told.value.in_shell().startswith("--device gpu was asked for")
    with_cupy(count=1)
    with pytest.raises(DeviceError, match="device='gpu:2' was asked for, but there is one device"):
        opened(Gpu(2))


def test_too_old_a_device(with_cupy: Any) -> None:
    with_cupy(capability=(5, 2))
    with pytest.raises(DeviceError, match=r"compute capability 5.2, and the kernels need 6.0"):
        opened(Gpu())


def test_a_device_that_will_do(with_cupy: Any) -> None:
    with_cupy(free=1000)
    found = opened(Gpu())
    assert isinstance(found, CudaDevice)
    assert (found.name, found.multiprocessors, found.free_bytes()) == ("Fake 9000", 4, 1000)
    assert (found.download(found.upload(np.arange(5)), 1, 2) == [1, 2]).all()
    with pytest.raises(CapacityError, match="refused 8 KiB of memory, though"):
        found.zeros(1024, np.uint64)
    with pytest.raises(CapacityError, match="needs 2 KiB of the device's memory and Fake 9000 has"):
        refuse_beyond_device(found, 2048, "this")


def test_auto_stays_with_the_processors(without_cupy: None) -> None:
    model = arcwise.Model({"a": [0, 1, 1], "b": [0, 1, 0]})
    assert arcwise.exact(model, "order-modular", device="auto").edges.shape == (2, 2)


def test_too_little_memory_of_the_device_is_said(with_cupy: Any) -> None:
    with_cupy(free=100)
    model = arcwise.Model({"a": [0, 1, 1], "b": [0, 1, 0], "c": [1, 1, 0]})
    with pytest.raises(CapacityError, match=r"of 3 variables needs .* Fake 9000 has 100 bytes"):
        arcwise.exact(model, "order-modular", device="gpu")


def test_words_are_parsed_once() -> None:
    assert as_device(None) is Choice.PROCESSORS
    assert as_device("AUTO") is Choice.AUTO
    assert as_device(Gpu(1)) == as_device("gpu:1") == Gpu(1)
    for wrong in ("cuda", "gpu:", "gpu:-1", "gpu:x", 3, "auto:1", b"gpu"):
        with pytest.raises(arcwise.errors.ArgumentError, match="give 'gpu'"):
            as_device(wrong)


def test_the_shell_says_it_in_its_words(
    without_cupy: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("a,b\n0,1\n1,0\n1,1\n0,0\n")
    words = ["exact", str(table), "--modularity", "order-modular", "--device", "gpu"]
    assert main(words) == 2
    assert "--device gpu needs the package cupy" in capsys.readouterr().err
    for words in (["mc3", "--space", "canonical"], ["smc", "--space", "linear"]):
        assert main(["sample", str(table), "--device", "gpu", "--algorithm", *words]) == 2
        assert "--device gpu needs the package cupy" in capsys.readouterr().err
    assert main(["sample", str(table), "--algorithm", "mc3", "--device", "gpu"]) == 2
    assert "use the space 'linear' or 'canonical'" in capsys.readouterr().err


def test_cupy_is_not_imported_unless_asked_for() -> None:
    code = "import sys, arcwise; sys.exit('cupy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_sources_are_found_and_missing_ones_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = device.kernel_source()
    assert text.count("#pragma once") == 0
    device.kernel_source.cache_clear()
    monkeypatch.setattr(device, "_FOLDERS", (tmp_path,))
    with pytest.raises(MissingDependencyError, match="install arcwise again"):
        device.kernel_source()
    device.kernel_source.cache_clear()


def test_all_kernels_of_the_core_are_in_the_source() -> None:
    folder = Path(__file__).parents[2] / "core" / "arcwise" / "kernels"
    assert {path.name for path in folder.glob("*.hpp")} == set(device._FILES)
