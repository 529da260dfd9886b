"""Files are written beside their place and put there whole; no link is followed."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import arcwise
from arcwise.cli.options import read_edge_file
from arcwise.errors import ArgumentError, DataError
from arcwise.support.files import read_archive, replacing, write_archive, write_table


def test_links_are_replaced_and_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    target = tmp_path / "edges.csv"
    target.symlink_to(victim)
    (tmp_path / "edges.csv.partial").symlink_to(victim)
    write_table(["a"], [("1",)], target)
    assert victim.read_text() == "precious"
    assert not target.is_symlink()
    assert target.read_text() == "a\n1\n"


@pytest.mark.parametrize("compressed", [False, True])
def test_archives_hold_numbers_under_any_name(tmp_path: Path, *, compressed: bool) -> None:
    path = tmp_path / "a.npz"
    # Names of arguments of `numpy.savez`, some versions of which take them for something else.
    arrays = {name: np.arange(3.0) for name in ("file", "allow_pickle", "args")}
    write_archive(path, arrays, compressed=compressed)
    for found in (read_archive(path), dict(np.load(path))):
        assert list(found) == list(arrays)
        assert all(np.array_equal(found[name], arrays[name]) for name in arrays)
    with pytest.raises(ValueError, match="allow_pickle"):
        write_archive(path, {"objects": np.array([{}])})
    assert list(read_archive(path)) == list(arrays)


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("before")

    def fail() -> None:
        with replacing(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_a_written_file_has_the_usual_rights(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from arcwise.support.files import write_table\n"
        "write_table(['a'], [('1',)], Path(sys.argv[1]))"
    )
    # The umask is one of a whole process.
    command = [sys.executable, "-c", code, str(tmp_path / "t.csv")]
    subprocess.run(command, umask=0o027, check=True, timeout=600)
    assert (tmp_path / "t.csv").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["a\nb", "a\r\nb", " a", "a ", "a,b", 'a"b', "\ta", "\u2028x"])
def test_names_come_back_from_our_own_edges(name: str, tmp_path: Path) -> None:
    data = arcwise.read({name: [0, 1, 1, 0], "other": [0, 1, 0, 1]})
    posterior = arcwise.exact(arcwise.Model(data))
    posterior.write_edges(tmp_path / "edges.csv")
    found = read_edge_file(tmp_path / "edges.csv")
    assert found in ([(name, "other")], [("other", name)])


@pytest.mark.parametrize("name", ["\ud800", "a\0b"])
def test_names_that_no_file_can_hold_are_refused(name: str) -> None:
    with pytest.raises(DataError, match="a character that no file can hold"):
        arcwise.read({name: [0, 1], "b": [1, 0]})
    with pytest.raises(ArgumentError, match="a character that no file can hold"):
        arcwise.Dag([name, "b"], {})
    with pytest.raises(DataError, match="a character that no file can hold"):
        arcwise.read({"a": [name, "x"], "b": [1, 0]})


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_arrays_larger_than_their_file_are_refused_before_memory_is_taken(
    method: int, tmp_path: Path
) -> None:
    member = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    np.lib.format.write_array_header_1_0(member, header)
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("numbers.npy", member.getvalue() + bytes(80))
    with pytest.raises(ValueError, match="not as large as its header says"):
        read_archive(path)
