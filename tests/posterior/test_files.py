"""Saved posteriors: everything comes back, and no damage passes unnoticed."""

from __future__ import annotations

import csv
import json
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Dag, Model, Posterior
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.model.model import Modularity, Provenance
from arcwise.priors import EdgePenalty
from support.exact_models import MODULARITIES, flat_model, random_model
from support.saved_archives import array_in, bytes_of, members_of, with_header, write_members

ONE_SENTENCE = r"^'[^']*' [^.;]*; [a-z ]+$"


def posterior_of(modularity: Any = "modular", **rule: Any) -> Posterior:
    data = arcwise.simulate("asia", 300, seed=1)
    return arcwise.exact(Model(data, max_indegree=2, **rule), modularity)


def assert_same(first: Posterior, second: Posterior) -> None:
    for field in fields(first):
        if field.name not in ("edges", "family_probabilities", "model"):
            assert getattr(first, field.name) == getattr(second, field.name), field.name
    assert (first.edges == second.edges).all()
    for node in first.variables:
        families = first.family_probabilities.families(node)
        assert dict(families) == dict(second.family_probabilities.families(node))
        assert first.parent_sets(node) == second.parent_sets(node)


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_everything_comes_back(modularity: Modularity, tmp_path: Path) -> None:
    for number, posterior in enumerate(
        (
            posterior_of(modularity),
            posterior_of(modularity, prior=EdgePenalty(2.0), required_edges=[("smoke", "lung")]),
            arcwise.exact(flat_model(1), modularity),
            arcwise.exact(random_model(4, 10_000.0, impossible=0.5), modularity),
        )
    ):
        path = tmp_path / f"posterior {number}.npz"
        posterior.save(path)
        assert_same(Posterior.load(path), posterior)
        assert_same(Posterior.load(str(path)), posterior)
        assert [file.name for file in tmp_path.iterdir() if "partial" in file.name] == []


def test_the_name_is_taken_as_it_is(tmp_path: Path) -> None:
    posterior_of().save(tmp_path / "no ending")
    assert [file.name for file in tmp_path.iterdir()] == ["no ending"]
    assert Posterior.load(tmp_path / "no ending").modularity == "modular"


def test_names_from_all_the_world(tmp_path: Path) -> None:
    names = ["ä b", "変数", 'quote"d', "comma,d"]
    posterior = arcwise.exact(Model(names, lambda node, parents: -0.5 * len(parents)))
    posterior.save(tmp_path / "p.npz")
    assert_same(Posterior.load(tmp_path / "p.npz"), posterior)
    posterior.write_edges(tmp_path / "edges.csv")
    with open(tmp_path / "edges.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row[end] for row in rows for end in ("source", "target")} == set(names)


def test_the_archive_is_what_its_description_says(tmp_path: Path) -> None:
    posterior = posterior_of()
    posterior.save(tmp_path / "p.npz")
    with np.load(tmp_path / "p.npz", allow_pickle=False) as archive:
        header = json.loads(archive["header"].tobytes().decode())
        assert header["format"] == "arcwise posterior"
        assert header["format_version"] == 1
        assert header["variables"] == list(posterior.variables)
        assert header["provenance"]["rows"] == 300
        assert (archive["edges"] == posterior.edges).all()
        for node, name in enumerate(posterior.variables):
            offsets = archive[f"offsets_{node}"].tolist()
            sets = [
                tuple(posterior.variables[u] for u in archive[f"parents_{node}"][first:last])
                for first, last in pairwise(offsets)
            ]
            values = archive[f"probabilities_{node}"].tolist()
            expected = dict(posterior.family_probabilities.families(name))
            assert dict(zip(sets, values, strict=True)) == expected


def test_saving_again_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    posterior_of().save(path)
    before = path.read_bytes()
    odd = Provenance(constraints={"not plain": {1, 2}})
    broken = replace(posterior_of(), provenance=odd)
    with pytest.raises(TypeError):
        broken.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"there is no folder .*; create it first"):
        posterior_of().save(tmp_path / "missing" / "p.npz")
    with pytest.raises(ArgumentError, match=r"there is no folder .*; create it first"):
        posterior_of().write_edges(tmp_path / "missing" / "edges.csv")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"^there is no file '.*'; check the path$"):
        Posterior.load(tmp_path / "missing.npz")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("saved") / "p.npz"
    posterior_of().save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory, saved: bytes) -> dict[str, bytes]:
    path = tmp_path_factory.mktemp("members") / "p.npz"
    path.write_bytes(saved)
    return members_of(path)


def refused(path: Path) -> None:
    with pytest.raises(FileFormatError, match=ONE_SENTENCE):
        Posterior.load(path)


def test_a_file_cut_off_anywhere(saved: bytes, tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    for length in [*range(0, 60, 7), *np.linspace(60, len(saved) - 1, 60).astype(int).tolist()]:
        path.write_bytes(saved[:length])
        refused(path)


def test_a_bit_that_flipped_is_noticed_or_does_not_matter(saved: bytes, tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    path.write_bytes(saved)
    whole = Posterior.load(path)
    random = np.random.default_rng(1)
    noticed = 0
    for _ in range(250):
        damaged = bytearray(saved)
        damaged[random.integers(len(saved))] ^= 1 << random.integers(8)
        path.write_bytes(damaged)
        try:
            loaded = Posterior.load(path)
        except FileFormatError:
            noticed += 1
        else:
            # Dates and the like are in the file too.
            assert_same(loaded, whole)
    assert noticed > 125


def test_other_files(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    for content in (b"", b"PK", b"source,target\n", b"\x80\x04N.", b"\x00" * 1000):
        path.write_bytes(content)
        refused(path)
    np.savez(path, edges=np.zeros((2, 2)))
    refused(path)
    write_members(path, {"readme.txt": b"hello"})
    refused(path)
    with open(path, "wb") as file:
        np.save(file, np.zeros(3))
    refused(path)
    with open(path, "wb") as file:
        np.save(file, np.array([{"a": 1}]), allow_pickle=True)
    refused(path)
    refused(tmp_path)


def test_a_member_that_is_missing(members: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    for missing in members:
        write_members(path, {name: of for name, of in members.items() if name != missing})
        if missing == "allow_pickle.npy":  # older versions of NumPy write it by mistake
            continue
        refused(path)


def test_a_member_of_another_shape(members: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    for changed, other in (
        ("probabilities_3.npy", "probabilities_0.npy"),
        ("offsets_2.npy", "parents_2.npy"),
        ("edges.npy", "parents_1.npy"),
    ):
        shortened = bytes_of(array_in(members[other])[:-1])
        write_members(path, members | {changed: shortened})
        refused(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "another"},
        {"format_version": "one"},
        {"variables": ["a"] * 8},
        {"variables": ["a", "b"]},
        {"variables": 3},
        {"map_edges": [["smoke", "nobody"]]},
        {"map_edges": [["smoke", "lung"], ["lung", "smoke"]]},
        {"map_edges": None},
    ],
)
def test_a_header_that_makes_no_sense(
    changes: dict[str, Any], members: dict[str, bytes], tmp_path: Path
) -> None:
    write_members(tmp_path / "p.npz", with_header(members, **changes))
    refused(tmp_path / "p.npz")


def test_a_newer_format(members: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    write_members(path, with_header(members, format_version=2, variables="unknown"))
    with pytest.raises(
        FileFormatError,
        match=r"format 2, written by a newer version of arcwise, .* 1; update arcwise$",
    ):
        Posterior.load(path)
    write_members(path, with_header(members))
    assert Posterior.load(path).modularity == "modular"


def test_edges_in_csv(tmp_path: Path) -> None:
    posterior = posterior_of()
    posterior.write_edges(tmp_path / "edges.csv")
    text = (tmp_path / "edges.csv").read_text(encoding="utf-8")
    assert text.splitlines()[0] == "source,target,adjacency,forward,backward"
    with open(tmp_path / "edges.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8 * 7 // 2
    probabilities = [float(row["adjacency"]) for row in rows]
    assert probabilities == sorted(probabilities, reverse=True)
    for row, probability in zip(rows, probabilities, strict=True):
        # Every digit is there.
        forward = posterior.edge_probability(row["source"], row["target"])
        backward = posterior.edge_probability(row["target"], row["source"])
        assert (float(row["forward"]), float(row["backward"])) == (forward, backward)
        assert forward >= backward
        assert probability == min(1.0, forward + backward)


def test_evidence_is_plain_values() -> None:
    posterior = posterior_of("order-modular")
    said = json.loads(json.dumps(posterior.evidence_dict()))
    assert said["log_evidence"] == posterior.log_evidence
    assert said["log_prior_constant"] == posterior.log_prior_constant
    assert said["modularity"] == "order-modular"


def test_the_best_dag_comes_back_as_a_dag(tmp_path: Path) -> None:
    posterior = posterior_of()
    posterior.save(tmp_path / "p.npz")
    loaded = Posterior.load(tmp_path / "p.npz").map_dag
    assert isinstance(loaded, Dag)
    assert loaded == posterior.map_dag
    assert loaded.edges
