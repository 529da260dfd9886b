"""Files under their hash, as workers receive, keep and open them: nothing but what was sent."""

from __future__ import annotations

from pathlib import Path

import pytest

import arcwise
from arcwise import Model
from arcwise.cluster.host_files import (
    FileMissing,
    HostFile,
    find,
    finish,
    opened,
    publish,
    publish_payload,
    store,
)
from arcwise.cluster.work import Failed, Missing, Versions, Work, perform
from arcwise.errors import CapacityError, EngineError, FileFormatError
from arcwise.model import score_sums
from arcwise.model.score_sums import ScoreSums
from arcwise.support.files import Header


@pytest.fixture
def sent(cache: Path, tmp_path: Path) -> tuple[HostFile, bytes]:
    """Return a file of a driver that shares no folder with the worker, and what is in it."""
    folder = tmp_path / "driver"
    folder.mkdir()
    file, path = publish_payload(list(range(100)), folder, shared=False)
    return file, path.read_bytes()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.suffix != ".lock"}


def test_a_file_arrives_in_parts(sent: tuple[HostFile, bytes], cache: Path) -> None:
    file, content = sent
    store(file, 100, content[100:])
    assert not finish(file)  # its beginning is missing
    store(file, 0, content[:100])
    store(file, 100, content[100:])
    assert finish(file)
    assert opened(file) == list(range(100))
    # What comes again, as from a driver that asked twice, changes nothing.
    store(file, 0, b"something else")
    assert finish(file)
    assert names(cache) == {file.hash}
    assert (cache / file.hash).read_bytes() == content


def test_damage_on_the_way_is_found(sent: tuple[HostFile, bytes], cache: Path) -> None:
    file, content = sent
    store(file, 0, content[:-1] + bytes([content[-1] ^ 1]))
    assert not finish(file)
    assert names(cache) == set()
    assert find(file) is None


def test_another_whole_file_is_not_taken_for_it(
    sent: tuple[HostFile, bytes], cache: Path, tmp_path: Path
) -> None:
    file, _ = sent
    _, other = publish_payload("another", tmp_path / "driver", shared=False)
    store(file, 0, other.read_bytes())
    assert not finish(file)
    assert find(file) is None


def test_a_file_that_was_cut_off_is_asked_for_again(
    sent: tuple[HostFile, bytes], cache: Path
) -> None:
    file, content = sent
    cache.mkdir(mode=0o700)
    (cache / file.hash).write_bytes(content[:20])
    assert find(file) is None
    with pytest.raises(FileMissing):
        opened(file)


def test_damage_to_a_file_of_the_driver_is_told(cache: Path, tmp_path: Path) -> None:
    file, path = publish_payload([1, 2, 3], tmp_path, shared=True)
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    # It is not the worker's to remove, and would not be any better if sent.
    with pytest.raises(FileFormatError, match="is damaged"):
        opened(file)
    assert path.exists()


def test_what_could_not_be_written_leaves_nothing(cache: Path) -> None:
    def write(path: Path) -> Header:
        path.write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        publish(score_sums.KIND, write, None, shared=False)
    assert names(cache) == set()


def test_a_table_too_large_for_a_worker_names_the_machine(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sums = ScoreSums(Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2))
    file, _ = publish(score_sums.KIND, sums.write, None, shared=False)

    def refuse(path: Path) -> ScoreSums:
        raise CapacityError("the table takes 54 MiB, and 24 MiB are free; use more memory")

    monkeypatch.setattr(ScoreSums, "open", staticmethod(refuse))
    with pytest.raises(EngineError, match=r"^on a worker of .*, the table takes 54 MiB"):
        opened(file)


class Hungry(Work):
    def do(self) -> None:
        raise MemoryError


class Refused(Work):
    def do(self) -> None:
        raise CapacityError("too much; give less")


class WithoutFile(Work):
    def do(self) -> None:
        raise FileMissing("here")


def test_what_work_cannot_do_comes_back_as_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Versions.own()
    assert perform(Refused(), own) == Failed(CapacityError, "too much; give less")
    hungry = perform(Hungry(), own)
    assert isinstance(hungry, Failed)
    assert hungry.kind is EngineError
    assert "has not enough memory for its part of the run; give workers more" in hungry.sentence
    monkeypatch.setattr("arcwise.cluster.work._WAIT_FOR_FILE", 0.0)
    assert perform(WithoutFile(), own) == Missing("")  # outside of any worker
