"""Values of any kind, and what files of other hands hold, where they come into the package."""

from __future__ import annotations

import io
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import arcwise
from arcwise import Model
from arcwise.errors import ArgumentError, CapacityError, FileFormatError
from arcwise.model.score_sums import ScoreSums
from arcwise.records.chain_record import DRAW_ARRAYS, refuse_other_draws
from arcwise.records.run_files import ForeignSpace, read_settings, read_space
from arcwise.spaces import BucketOrders, Partitions
from arcwise.support.checks import file_path, instance, true_or_false
from arcwise.support.files import read_archive
from arcwise.support.names import Description, as_list, positions, shown
from arcwise.support.plain import PlainDataclasses
from arcwise.support.running import process_began
from support.recorded_dags import recorded


class Silent:
    """An object that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_an_object_that_cannot_be_shown_is_named_by_its_type() -> None:
    assert shown(Silent()) == "an object of the type Silent"


@pytest.mark.parametrize("value", [np.array(3), 5, "names", None])
def test_what_is_no_list_is_refused(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"^columns is .*; give a list of names$"):
        as_list(value, "columns", "a list of names")


def test_names_that_are_none_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"^nodes is 5; give names of variables$"):
        positions(5, ["a", "b"], "nodes")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1, "yes", None, np.array(True)])
def test_true_and_false_are_nothing_else(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"^plus_one is .*; give True or False$"):
        true_or_false(value, "plus_one")


def test_values_of_another_type_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"^name is 3; give a string$"):
        instance(3, str, "name", "a string")


def test_paths_that_no_file_can_have_are_refused() -> None:
    class Nowhere:
        def __fspath__(self) -> Any:
            return 3

    with pytest.raises(ArgumentError, match=r"^file is .*; give the path of a file$"):
        file_path(Nowhere(), "file")


def test_a_process_of_unknown_age_begins_now(monkeypatch: pytest.MonkeyPatch) -> None:
    assert process_began() < time.perf_counter()

    def closed(*arguments: Any, **more: Any) -> Any:
        raise PermissionError

    monkeypatch.setattr("arcwise.support.running.open", closed, raising=False)
    before = time.perf_counter()
    assert before <= process_began() <= time.perf_counter()


@dataclass(frozen=True)
class Square:
    side: float


@dataclass(frozen=True)
class Circle:
    radius: float


@dataclass(frozen=True)
class Drawing:
    shape: Square | Circle
    colour: Literal["red", "blue"] = "red"


FORM = PlainDataclasses(kinds={"square": Square, "circle": Circle, "drawing": Drawing})


def test_dataclasses_come_back_as_they_were() -> None:
    for drawing in (Drawing(Square(2.0)), Drawing(Circle(float("inf")), "blue")):
        assert FORM.read(Drawing, FORM.write(drawing)) == drawing


def test_a_field_that_is_missing_is_refused_even_if_it_has_a_default() -> None:
    values = FORM.write(Drawing(Square(2.0)))
    del values["colour"]
    with pytest.raises(KeyError, match="colour"):
        FORM.read(Drawing, values)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"colour": "green"}, ValueError),
        ({"shape": {"kind": "drawing"}}, ValueError),  # a class, but none of the union's
        ({"shape": {"kind": "triangle"}}, KeyError),
        ({"shape": "square"}, TypeError),
        ({"shape": {"kind": "square", "side": "long"}}, TypeError),
    ],
)
def test_plain_values_of_other_types_are_refused(
    change: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        FORM.read(Drawing, FORM.write(Drawing(Square(2.0))) | change)


@pytest.mark.parametrize("text", ["print('a')", "a + b", "BDeu(", "f(x=y)"])
def test_texts_that_construct_nothing_stay_texts(text: str) -> None:
    described = Description.parse(text)
    assert described == Description(text)
    assert described.call() is None


def test_settings_within_settings_are_kept() -> None:
    @dataclass(frozen=True)
    class Prior:
        weights: Any

    nested = Prior({"a": [1.0, (2.0, 3.0)]})
    assert Description.of(nested).complete
    assert Description.of(nested).settings == {"weights": {"a": [1.0, [2.0, 3.0]]}}
    assert not Description.of(Prior([object()])).complete
    assert not Description.of(Prior({"a": object()})).complete


def archive_of(path: Path, member: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("numbers.npy", member)
    return path


def test_arrays_of_the_second_version_are_read(tmp_path: Path) -> None:
    content = io.BytesIO()
    np.lib.format.write_array(content, np.arange(5.0), version=(2, 0))
    found = read_archive(archive_of(tmp_path / "a.npz", content.getvalue()))
    assert np.array_equal(found["numbers"], np.arange(5.0))


def test_arrays_of_a_later_version_are_refused(tmp_path: Path) -> None:
    content = io.BytesIO()
    np.lib.format.write_array(content, np.arange(5.0), version=(3, 0))
    with pytest.raises(ValueError, match="the version of an array is not known"):
        read_archive(archive_of(tmp_path / "a.npz", content.getvalue()))


def test_arrays_beyond_the_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez(tmp_path / "a.npz", numbers=np.zeros(1000))
    monkeypatch.setattr("arcwise.support.files.available_memory", lambda: 4096)
    with pytest.raises(CapacityError, match=r"takes 8 KiB of memory, and 4 KiB are free"):
        read_archive(tmp_path / "a.npz")


def small_model() -> Model:
    return Model({"a": [0, 1, 1, 0], "b": [0, 1, 0, 1], "c": [1, 1, 0, 0]})


def test_draws_of_another_chain_are_refused() -> None:
    draws = recorded(Partitions(), small_model(), draws=6, dags=2)
    refuse_other_draws(draws, draws)
    other = recorded(Partitions(), Model(arcwise.simulate("asia", 50, seed=1)), draws=6, dags=2)
    wrong: dict[str, dict[str, np.ndarray]] = {
        "codes": {"codes": draws["codes"].astype(np.int64)},
        "of different lengths": {"codes": draws["codes"][:-1]},
        "parents": {"parents": np.repeat(draws["parents"], 2, axis=1)},
        "dag_counts": {"dag_counts": draws["dag_counts"] + 1},
    }
    for words, change in wrong.items():
        with pytest.raises(ValueError, match=words):
            refuse_other_draws(draws | change, draws)
    cycle = draws["parents"].copy()
    cycle[0] = [[2], [1], [0]]  # a has the parent b, and b has a
    with pytest.raises(ValueError, match="parents"):
        refuse_other_draws(draws | {"parents": cycle}, draws)
    with pytest.raises(ValueError, match="parents"):
        refuse_other_draws(other, draws)
    assert set(DRAW_ARRAYS) <= set(draws)


def test_spaces_of_files() -> None:
    assert read_space({"kind": "BucketOrders", "size": 3}) == BucketOrders(3)
    found = read_space({"kind": "other", "text": "<mine>"})
    assert isinstance(found, ForeignSpace)
    assert repr(found) == "<mine>"
    with pytest.raises(ArgumentError, match="cannot be restored from a file; give the space"):
        found.build(ScoreSums(small_model()))
    with pytest.raises(FileFormatError, match="uses the space 'Tori', which this version"):
        read_space({"kind": "Tori"})


@pytest.mark.parametrize("values", [{}, {"algorithm": "guess"}, {"algorithm": "mcmc", "seed": []}])
def test_settings_that_are_none_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(FileFormatError, match="the settings of the run are damaged"):
        read_settings(values)
