"""Where chains over DAGs and cells stand, in a file: so that a killed run goes on to the last bit.

A file has the tables kept so far, the DAGs by which moves were chosen and will be, and of every
chain the cells, the DAG, the score and the prior, and the state of its random numbers.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.imputation.chain import CompletedTable, ImputationChain
from arcwise.imputation.structure import TableStructure
from arcwise.posterior import DagSample
from arcwise.support.archives import read_archive, write_archive
from arcwise.support.files import UNREADABLE

FILE = "completions.npz"
"""The name of the file in a run directory, until there is a result."""

_SECONDS = 10.0
_SHARE = 0.05  # of the time that writing may take
_STATE = ("counter", "key")


@dataclass(frozen=True, eq=False)
class Position:
    """Where all chains stand between two rounds of tables."""

    # The sweeps before the first table and between two, and the number of tables wanted now.
    burn_in: int
    thinning: int
    target: int
    seen: NDArray[np.float64]  # the DAGs that moves were chosen by, as [DAG, source, target]
    # The DAGs of all chains in each sweep since, as [chain, source, target].
    met: list[NDArray[np.uint8]]
    # The tables so far, and the number of the chain that each is from.
    kept: list[CompletedTable]
    chains: list[int]
    stages: list[int]  # how many tables there were when moves were chosen, each time


class Checkpoint:
    """The file of a run, written from time to time."""

    def __init__(self, path: Path, about: str) -> None:
        self._path, self._about = path, about
        self._written = time.monotonic()
        self._cost = 0.0

    def write_if_due(self, position: Position, chains: list[ImputationChain]) -> None:
        """Write the file, unless it was written a short time ago."""
        start = time.monotonic()
        if start - self._written < max(_SECONDS, self._cost / _SHARE):
            return
        self.write(position, chains)
        self._written = time.monotonic()
        self._cost = self._written - start

    def write(self, position: Position, chains: list[ImputationChain]) -> None:
        """Write the file in place of the one before."""
        header = {
            "about": self._about,
            "burn_in": position.burn_in,
            "thinning": position.thinning,
            "target": position.target,
            "from": position.chains,
            "stages": position.stages,
            "dags": [len(each.structure.dags) for each in position.kept],
            "asked": [chain.asked_for for chain in chains],
        }
        arrays: dict[str, NDArray[Any]] = {
            "header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
            "seen": position.seen.astype(np.uint8),
            "chain_values": np.stack([chain.values for chain in chains]),
            "chain_dags": np.stack([chain.dag for chain in chains if chain.dag is not None]),
            "chain_random": np.stack([_random_out(chain.random) for chain in chains]),
        }
        if position.met:
            arrays["met"] = np.stack(position.met)
        if position.kept:
            tables = [each.structure for each in position.kept]
            arrays |= {
                "values": np.stack([each.values for each in position.kept]),
                "edges": np.stack([each.edges for each in tables]),
                "parents": np.concatenate([each.dags.parents for each in tables]),
            }
            paths = [each.paths for each in tables if each.paths is not None]
            if len(paths) == len(tables):
                arrays["paths"] = np.stack(paths)
        write_archive(self._path, arrays)

    def read(self, variables: tuple[str, ...], chains: list[ImputationChain]) -> Position | None:
        """Lead chains to where they stood; None if there is no file, or not of this run."""
        try:
            arrays = read_archive(self._path)
            header = json.loads(arrays["header"].tobytes().decode())
            if header["about"] != self._about or len(header["asked"]) != len(chains):
                return None
            position = Position(
                header["burn_in"],
                header["thinning"],
                header["target"],
                arrays["seen"].astype(np.float64),
                list(arrays["met"]) if "met" in arrays else [],
                _tables(arrays, header["dags"], variables),
                header["from"],
                header["stages"],
            )
            for number, chain in enumerate(chains):
                chain.go_to(arrays["chain_values"][number], arrays["chain_dags"][number])
                chain.ask_again(header["asked"][number])
                _random_in(chain.random, arrays["chain_random"][number])
        except (FileNotFoundError, *UNREADABLE):
            # What cannot be read was not there: the run begins anew.
            return None
        return position

    def remove(self) -> None:
        """Remove the file, as there is a result."""
        self._path.unlink(missing_ok=True)


def _tables(
    arrays: dict[str, NDArray[Any]], counts: list[int], variables: tuple[str, ...]
) -> list[CompletedTable]:
    ends = np.cumsum([0, *counts]).tolist()
    return [
        CompletedTable(
            arrays["values"][place],
            TableStructure(
                arrays["edges"][place],
                arrays["paths"][place] if "paths" in arrays else None,
                DagSample(variables, arrays["parents"][ends[place] : ends[place + 1]]),
            ),
        )
        for place in range(len(counts))
    ]


def _random_out(random: np.random.Generator) -> NDArray[np.uint64]:
    state: Any = random.bit_generator.state
    inner = [state["state"][name] for name in _STATE]
    rest = [state["buffer_pos"], state["has_uint32"], state["uinteger"]]
    return np.concatenate([*inner, state["buffer"], np.array(rest, dtype=np.uint64)])


def _random_in(random: np.random.Generator, numbers: NDArray[np.uint64]) -> None:
    position, has_half, half = (int(number) for number in numbers[10:])
    random.bit_generator.state = {
        "bit_generator": "Philox",
        "state": {"counter": numbers[:4], "key": numbers[4:6]},
        "buffer": numbers[6:10],
        "buffer_pos": position,
        "has_uint32": has_half,
        "uinteger": half,
    }
