"""The folder in which workers keep what the driver sends: nobody else may write to it."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from arcwise.cluster import host_files
from arcwise.cluster.host_files import FileMissing, cache_folder, opened, publish_payload
from arcwise.errors import EngineError, FileFormatError
from arcwise.support.files import contents, header_of


def test_it_is_made_for_the_user_alone(cache: Path) -> None:
    assert cache_folder() == cache
    assert cache.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o702, 0o1777])
def test_a_folder_others_can_write_to_is_refused(mode: int, cache: Path) -> None:
    cache.mkdir()
    cache.chmod(mode)
    with pytest.raises(EngineError, match=r"others can write to '.*'; set ARCWISE_CACHE to"):
        cache_folder()
    cache.chmod(0o755)
    assert cache_folder() == cache


def test_a_link_is_refused(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    cache.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EngineError, match=r"' is a link; set ARCWISE_CACHE"):
        cache_folder()


def test_what_cannot_be_made_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ARCWISE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(EngineError, match=r"cannot be made \(Not a directory\); set ARCWISE_CACHE"):
        cache_folder()


def test_the_folder_of_another_user_is_refused(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: cache.stat().st_uid + 1)
    with pytest.raises(EngineError, match=r"belongs to another user; set ARCWISE_CACHE"):
        cache_folder()


def test_only_what_the_driver_hashed_is_unpickled(cache: Path) -> None:
    file, path = publish_payload({"a": 1}, None, shared=False)
    assert opened(file) == {"a": 1}
    host_files.OPENED.clear()
    # A whole other file, right in itself, under the name of the first.
    _, other = publish_payload({"a": 2}, None, shared=False)
    path.write_bytes(other.read_bytes())
    with pytest.raises(FileMissing):
        opened(file)


def test_contents_are_those_that_were_hashed(cache: Path) -> None:
    file, path = publish_payload([1, 2], None, shared=False)
    header = header_of(path, file.kind, file.version)
    assert pickle.loads(contents(path, header, file.hash)) == [1, 2]
    whole = bytearray(path.read_bytes())
    whole[-1] ^= 1
    path.write_bytes(whole)
    with pytest.raises(FileFormatError, match="is damaged"):
        contents(path, header, file.hash)
