"""The connection to a cluster whose workers and scheduler go away at the worst moments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import distributed
import pytest
from distributed import Client

import arcwise
from arcwise import Model
from arcwise.cluster import DaskEngine, connection, host_files
from arcwise.cluster.connection import Cluster, connect
from arcwise.cluster.work import Done, Work
from arcwise.errors import EngineError
from support.local_clusters import wait_for_file, wait_until, within_this_process
from support.same_posteriors import assert_same_posterior


@dataclass(frozen=True)
class Sum(Work):
    """Work that takes no time."""

    terms: tuple[int, ...]

    def do(self) -> int:
        return sum(self.terms)


@pytest.fixture
def mortal() -> Iterator[Client]:
    """Give a client of two workers that a test may end."""
    with within_this_process() as made:
        yield made


def end_worker(client: Client, address: str) -> None:
    """Close a worker, and wait until the scheduler knows."""
    (worker,) = (each for each in client.cluster.workers.values() if each.address == address)
    client.cluster.sync(worker.close, nanny=False)
    wait_until(lambda: address not in client.nthreads())


def holder_of(client: Client, future: Any) -> str:
    """Return the address of the worker that has a result."""
    ((address,),) = client.who_has([future]).values()
    return str(address)


def test_a_result_lost_with_its_worker_is_a_loss(
    mortal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(mortal)
    first, second = cluster.slots()
    lost, kept = (
        future
        for worker, terms in ((first, (1, 2)), (second, (3, 4)))
        for future in cluster.submit([Sum(terms)], worker)
    )
    wait_until(lambda: lost.done() and kept.done())
    # Its task is done, but the worker that has the result and alone could do it again is gone.
    end_worker(mortal, first)
    with monkeypatch.context() as patch:
        patch.setattr(connection, "_GATHER", 0.2)
        ((_, error),) = cluster.results([lost])
    ((_, done),) = cluster.results([kept])
    assert isinstance(error, TimeoutError)
    assert cluster.is_loss(error)
    assert lost.cancelled()
    assert isinstance(done, Done)
    assert done.value == 7


def test_work_whose_result_was_lost_is_done_again(
    mortal: Client, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_GATHER", 1.0)
    submit, results = Cluster.submit, Cluster.results
    ended: list[str] = []
    lost: list[Any] = []

    bound: list[Any] = []

    def noting(self: Cluster, works: Sequence[Work], worker: str | None) -> list[Any]:
        futures = submit(self, works, worker)
        bound.extend([] if worker is None else futures)
        return futures

    def too_late(self: Cluster, futures: list[Any]) -> Iterator[tuple[Any, Any]]:
        # A chain goes on where it is: only that worker may do the work.
        for future in futures:
            if future in bound and not ended:
                ended.append(holder_of(mortal, future))
                end_worker(mortal, ended[0])
        for future, result in results(self, futures):
            lost.extend([result] if isinstance(result, TimeoutError) else [])
            yield future, result

    monkeypatch.setattr(Cluster, "submit", noting)
    monkeypatch.setattr(Cluster, "results", too_late)

    def sample(**more: Any) -> arcwise.Posterior:
        return arcwise.mcmc(model, steps=4000, chains=4, seed=5, **more)

    assert_same_posterior(sample(engine=mortal), sample())
    assert len(ended) == 1
    assert lost


def test_errors_are_losses_only_where_workers_are_gone(client: Client) -> None:
    cluster = Cluster(client)
    (future,) = cluster.submit([Sum(("a",))], None)  # type: ignore[arg-type]
    ((_, error),) = cluster.results([future])
    assert isinstance(error, TypeError)
    assert not cluster.is_loss(error)


def test_a_cluster_is_named_and_reached_until_it_is_gone() -> None:
    with within_this_process(1, protocol="tcp", host="127.0.0.1") as owner:
        address = owner.scheduler.address
        client = connect(f"dask://{address}")
        cluster = Cluster(client)
        assert str(cluster) == f"the cluster at {address}"
        assert cluster.is_reachable()
        client.close()
        assert not cluster.is_reachable()
        assert str(cluster) == f"the cluster at {address}"


def test_a_scheduler_that_fails_to_answer_is_not_reachable(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(client)

    def broken(*arguments: Any, **more: Any) -> Any:
        raise OSError("connection reset")

    monkeypatch.setattr(client, "sync", broken)
    assert not cluster.is_reachable()


def test_a_scheduler_file_leads_to_its_cluster(tmp_path: Path) -> None:
    with within_this_process(1, protocol="tcp", host="127.0.0.1") as owner:
        file = tmp_path / "scheduler.json"
        owner.write_scheduler_file(str(file))
        with connect(str(file)) as client:
            assert Cluster(client).slots() == owner.nthreads()


class Sent:
    """A payload sent in small pieces to workers with folders of their own."""

    def __init__(self, client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ARCWISE_CACHE", str(folder / "worker"))
        host_files.OPENED.clear()
        (folder / "driver").mkdir()
        self.thing = list(range(3000))
        self.file, self.path = host_files.publish_payload(
            self.thing, folder / "driver", shared=False
        )
        self.cluster = Cluster(client, chunk=1000)

    def is_stored(self) -> bool:
        """Return whether workers can read it."""
        return host_files.find(self.file) is not None


@pytest.fixture
def sent(mortal: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sent:
    return Sent(mortal, tmp_path, monkeypatch)


def test_files_are_sent_in_pieces_and_forgotten_with_their_last_user(sent: Sent) -> None:
    sent.cluster.share(sent.file, sent.path)
    sent.cluster.share(sent.file, sent.path)
    assert sent.file.size > 4 * 1000
    assert host_files.opened(sent.file) == sent.thing
    for left in (True, False):
        sent.cluster.forget(sent.file)
        assert (sent.file in sent.cluster._files) == left


def test_files_wait_for_workers_that_are_still_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with within_this_process(0) as client:
        sent = Sent(client, tmp_path, monkeypatch)
        sent.cluster.share(sent.file, sent.path)
        assert not sent.is_stored()
        client.cluster.scale(1)
        wait_until(client.nthreads)
        sent.cluster.send_files(list(client.nthreads()))
        assert sent.is_stored()


def test_nothing_is_sent_to_workers_that_are_gone(sent: Sent, mortal: Client) -> None:
    gone, left = mortal.nthreads()
    end_worker(mortal, gone)
    sent.cluster._files[sent.file] = sent.path
    sent.cluster.send_files([gone])
    assert not sent.is_stored()
    sent.cluster.send_files([gone, left])
    assert sent.is_stored()


def test_a_worker_that_goes_while_it_is_asked_is_left_out(
    sent: Sent, mortal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, left = mortal.nthreads()
    honest = mortal.run
    asked: list[list[str]] = []

    def interrupted(*arguments: Any, **more: Any) -> Any:
        asked.append(more["workers"])
        if len(asked) == 1:
            end_worker(mortal, gone)
            raise OSError("the connection was closed")
        return honest(*arguments, **more)

    monkeypatch.setattr(mortal, "run", interrupted)
    sent.cluster._files[sent.file] = sent.path
    sent.cluster.send_files([gone, left])
    assert asked[:2] == [[gone, left], [left]]
    assert sent.is_stored()


@pytest.mark.parametrize("pieces", [0, 2])
def test_a_worker_that_goes_while_it_is_sent_a_file_is_left_out(
    pieces: int, sent: Sent, mortal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest: Any = mortal.scatter
    ended: list[str] = []
    scattered = 0

    def interrupted(piece: bytes, **more: Any) -> Any:
        nonlocal scattered
        scattered += 1
        if scattered > pieces and not ended:
            ended.extend(more["workers"])
            end_worker(mortal, ended[0])
            raise OSError("the connection was closed")
        return honest(piece, **more)

    monkeypatch.setattr(mortal, "scatter", interrupted)
    sent.cluster._files[sent.file] = sent.path
    sent.cluster.send_files(list(mortal.nthreads()))
    assert len(ended) == 1
    assert host_files.opened(sent.file) == sent.thing


def test_the_last_worker_gone_in_the_middle_of_a_file(
    sent: Sent, mortal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest: Any = mortal.scatter

    def interrupted(piece: bytes, **more: Any) -> Any:
        held = honest(piece, **more)
        for address in list(mortal.nthreads()):
            end_worker(mortal, address)
        return held

    monkeypatch.setattr(mortal, "scatter", interrupted)
    sent.cluster._files[sent.file] = sent.path
    sent.cluster.send_files(list(mortal.nthreads()))
    assert not sent.is_stored()


def test_an_error_of_another_kind_while_sending_is_told(
    sent: Sent, mortal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: Any, **more: Any) -> Any:
        raise ValueError("no room for this")

    monkeypatch.setattr(mortal, "scatter", broken)
    with pytest.raises(ValueError, match="no room for this"):
        sent.cluster.share(sent.file, sent.path)


def test_a_machine_that_keeps_no_files_is_named(
    sent: Sent, mortal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "finish", lambda file: False)
    with pytest.raises(
        EngineError, match=r"could not be stored on the machine of .*; check whether its disk"
    ):
        sent.cluster.share(sent.file, sent.path)


def test_a_worker_without_arcwise_is_named(
    sent: Sent, mortal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = "ModuleNotFoundError: No module named 'arcwise'"
    answers = dict.fromkeys(mortal.nthreads(), RuntimeError(sentence))
    monkeypatch.setattr(mortal, "run", lambda *arguments, **more: answers)
    with pytest.raises(EngineError, match=r"the worker .* cannot import arcwise .*; install"):
        sent.cluster.share(sent.file, sent.path)


def test_another_error_of_a_worker_is_told_as_it_is(sent: Sent, tmp_path: Path) -> None:
    (tmp_path / "worker").mkdir()
    (tmp_path / "worker").chmod(0o777)
    with pytest.raises(EngineError, match="others can write to"):
        sent.cluster.share(sent.file, sent.path)


def test_a_worker_whose_disk_fails_is_sent_the_file_by_another(
    sent: Sent, mortal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = mortal.nthreads()
    honest = mortal.run

    def answers(*arguments: Any, **more: Any) -> dict[str, Any]:
        found: dict[str, Any] = honest(*arguments, **more)
        return found | {bad: OSError(28, "No space left on device")}

    monkeypatch.setattr(mortal, "run", answers)
    sent.cluster.share(sent.file, sent.path)
    assert sent.is_stored()
    assert good in mortal.nthreads()


def test_tasks_are_waited_for_until_they_are_done_or_cannot_be(
    mortal: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(mortal)
    gone, left = mortal.nthreads()
    wait: Any = distributed.wait
    waits: list[Any] = []
    first, second = tmp_path / "first", tmp_path / "second"

    def noting(*arguments: Any, **more: Any) -> Any:
        waits.append(arguments)
        try:
            return wait(*arguments, **more)
        except TimeoutError:
            first.touch()  # longer than is waited for at once
            raise

    monkeypatch.setattr("distributed.wait", noting)
    slow = cluster._on(left, wait_for_file, str(first))
    cluster._settle({slow: left})
    assert slow.status == "finished"
    assert len(waits) > 1
    end_worker(mortal, gone)
    bound = cluster._on(gone, abs, -1)
    cluster._settle({bound: gone})
    assert bound.status == "pending"
    endless = cluster._on(left, wait_for_file, str(second))
    mortal.cancel([endless])
    cluster._settle({endless: left})
    assert endless.cancelled()
    second.touch()  # otherwise its thread, which belongs to this process, would not end

    def broken(*arguments: Any, **more: Any) -> Any:
        raise RuntimeError("not a matter of workers")

    monkeypatch.setattr("distributed.wait", broken)
    with pytest.raises(RuntimeError, match="not a matter of workers"):
        cluster._settle({slow: left})


def test_an_engine_of_an_address_closes_its_own_connection(model: Model) -> None:
    with within_this_process(1, protocol="tcp", host="127.0.0.1") as owner:
        engine = DaskEngine(owner.scheduler.address)
        client = engine.cluster.client
        with engine:
            assert client.status == "running"
        assert client.status == "closed"
        with DaskEngine(owner):
            pass
        assert owner.status == "running"
