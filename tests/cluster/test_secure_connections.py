"""Connections by TLS, to a cluster within this process: with the right certificates, or none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Security

import arcwise
from arcwise import Model
from arcwise.cli import main
from arcwise.cluster import DaskEngine, SecureAddress
from arcwise.errors import EngineError
from support.local_clusters import within_this_process
from support.same_posteriors import assert_same_posterior

_CERTIFICATES = Path(__file__).parent / "certificates"
_FILES = ("authority.pem", "certificate.pem", "key.pem")


@pytest.fixture(scope="module")
def secured() -> Iterator[str]:
    """Give the address of a scheduler that speaks TLS and nothing else."""
    authority, certificate, key = (str(_CERTIFICATES / name) for name in _FILES)
    security = Security(
        require_encryption=True,
        tls_ca_file=authority,
        **{
            f"tls_{role}_{what}": path
            for role in ("scheduler", "worker", "client")
            for what, path in (("cert", certificate), ("key", key))
        },
    )
    with within_this_process(1, protocol="tls", security=security) as client:
        yield client.scheduler.address


@pytest.fixture
def _not_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let connections that cannot be made be given up after a second."""
    monkeypatch.setattr("arcwise.cluster.connection._CONNECT", 1.0)


def anneal(model: Model, **more: Any) -> arcwise.Posterior:
    return arcwise.ais(model, "partitions", particles=20, steps=100, seed=2, **more)


def secure_address(address: str, *names: str) -> SecureAddress:
    authority, certificate, key = (_CERTIFICATES / name for name in names or _FILES)
    return SecureAddress(address, authority, certificate, key)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    arcwise.simulate("asia", 300, seed=1).write_csv(path)
    return path


def test_a_connection_by_tls(secured: str, model: Model) -> None:
    assert secured.startswith("tls://")
    expected = anneal(model)
    # An address without a scheme is one of TLS where certificates are given.
    address = secure_address(secured.removeprefix("tls://"))
    assert_same_posterior(anneal(model, engine=address), expected)
    with DaskEngine(secured, security=address.security()) as engine:
        assert_same_posterior(anneal(model, engine=engine), expected)


def test_a_connection_by_tls_from_the_shell(secured: str, table: Path, tmp_path: Path) -> None:
    asked = ["sample", str(table), "--max-indegree", "2", "--algorithm", "ais"]
    asked += ["--particles", "20", "--steps", "100", "--out"]
    secure = ["--cluster", secured]
    for flag, name in zip(("--tls-ca-file", "--tls-certificate", "--tls-key"), _FILES, strict=True):
        secure += [flag, str(_CERTIFICATES / name)]
    assert main([*asked, str(tmp_path / "here")]) == 0
    assert main([*asked, str(tmp_path / "there"), *secure]) == 0
    here, there = (tmp_path / place / "edges.csv" for place in ("here", "there"))
    assert here.read_bytes() == there.read_bytes()


@pytest.mark.usefixtures("_not_patient")
def test_tls_is_all_or_nothing(secured: str, model: Model) -> None:
    with pytest.raises(EngineError, match="no Dask scheduler responds"):
        anneal(model, engine=secured)
    wrong = secure_address(secured, "other_authority.pem", "certificate.pem", "key.pem")
    with pytest.raises(EngineError, match="its certificates and these are of one authority"):
        anneal(model, engine=wrong)


@pytest.mark.usefixtures("_not_patient")
def test_a_scheduler_without_tls_is_refused_where_certificates_are_given(model: Model) -> None:
    with (
        within_this_process(1, protocol="tcp", host="127.0.0.1") as client,
        pytest.raises(EngineError, match="no Dask scheduler responds"),
    ):
        anneal(model, engine=secure_address(client.scheduler.address))


@pytest.mark.parametrize(
    ("position", "name"), [(0, "tls_ca_file"), (1, "tls_certificate"), (2, "tls_key")]
)
def test_files_that_cannot_be_read_are_named(position: int, name: str, model: Model) -> None:
    files = list(_FILES)
    files[position] = "none.pem"
    with pytest.raises(
        EngineError, match=rf"{name} is '.*none.pem', which cannot be read \(No such file"
    ):
        anneal(model, engine=secure_address("127.0.0.1:1", *files))


def test_the_shell_wants_all_of_it(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", str(table), "--tls-key", "key.pem"]) == 2
    assert "give all four" in capsys.readouterr().err
