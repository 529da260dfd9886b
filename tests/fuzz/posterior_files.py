"""Saved posteriors with damaged bytes, lying headers and arrays of anything: loaded and used."""

from __future__ import annotations

import io
import json
import random
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import arcwise
from arcwise import Posterior
from fuzz import hostile
from fuzz.harness import Target


class SavedPosteriors(Target, name="npz"):
    share = 2.0

    def set_up(self) -> None:
        data = arcwise.simulate("asia", 200, seed=1)
        model = arcwise.Model(data, max_indegree=2)
        few: dict[str, Any] = {"threads": 1}
        posteriors = [
            arcwise.exact(model, dags=20, paths=True, **few),
            arcwise.mcmc(model, "partitions", steps=400, thinning=20, chains=2, seed=1, **few),
            arcwise.mc3(model, steps=400, thinning=20, chains=2, temperatures=3, seed=1, **few),
            arcwise.ais(model, particles=12, steps=50, seed=1, **few),
            arcwise.learn(data, max_indegree=2, progress=None, **few),
        ]
        other = arcwise.mcmc(model, "partitions", steps=400, thinning=20, chains=2, seed=2, **few)
        posteriors.append(posteriors[1] + other)
        self.files = []
        for number, posterior in enumerate(posteriors):
            path = self.folder / f"{number}.npz"
            posterior.save(path)
            with np.load(path) as archive:
                arrays = {name: archive[name] for name in archive.files}
            self.files.append((path.read_bytes(), arrays, posterior))

    def case(self, draw: random.Random) -> None:
        content, arrays, original = draw.choice(self.files)
        path = self.folder / "damaged.npz"
        plain_damage = draw.random() < 0.3
        if plain_damage:
            path.write_bytes(hostile.damaged(draw, content))
        else:
            path.write_bytes(changed_archive(draw, arrays))
        found = Posterior.load(path)
        if plain_damage and found.variables == original.variables:
            # Checksums find any change but to what says nothing about the posterior.
            assert (found.edges == original.edges).all()
        use(found, self.folder, draw)


def use(posterior: Posterior, folder: Path, draw: random.Random) -> None:
    """Ask a posterior for a few of all the things one may ask for."""
    names = posterior.variables
    asked: list[Callable[[], object]] = [
        lambda: repr(posterior),
        lambda: posterior.summary_dict(),
        lambda: posterior.evidence_dict(),
        lambda: posterior.edge_table(),
        lambda: arcwise.diagnose(posterior),
        lambda: posterior.save(folder / "again.npz"),
        lambda: posterior.matrix("edge"),
        lambda: posterior.matrix("ancestor"),
        lambda: posterior.estimate(f'"{names[0]}" -> "{names[-1]}"'),
        lambda: posterior.estimate("edges"),
        lambda: posterior + posterior,
        lambda: posterior.median_dag(),
        lambda: posterior.threshold_graph(0.5),
        lambda: posterior.parent_sets(names[0]),
        lambda: posterior.to_dot(),
        lambda: posterior.to_gml(),
        lambda: posterior.write_edges(folder / "edges.csv"),
        lambda: arcwise.compare(posterior, posterior),
        lambda: posterior.credible_set(0.5),
    ]
    for ask in draw.sample(asked, 4):
        try:
            ask()
        except arcwise.errors.ArcwiseError:
            continue
    if draw.random() < 0.05:
        arcwise.report(posterior, folder / "page.html")


def changed_archive(draw: random.Random, arrays: dict[str, np.ndarray]) -> bytes:
    """Return an archive in which one part says or holds something else."""
    kept: dict[str, Any] = dict(arrays)
    lies: dict[str, bytes] = {}
    for _ in range(draw.choice([1, 1, 1, 2])):
        name = draw.choice(list(kept))
        if name == "header" or draw.random() < 0.45:
            header = json.loads(arrays["header"].tobytes())
            text = json.dumps(hostile.edited(draw, header)).encode()
            kept["header"] = np.frombuffer(text, dtype=np.uint8)
            continue
        kind = draw.random()
        if kind < 0.1:
            del kept[name]
        elif kind < 0.25:
            kept[name] = hostile.array(draw)
        elif kind < 0.35:
            lies[name] = _lying(draw, kept[name])
        elif kind < 0.5 and kept[name].size:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with suppress(ValueError):  # not every text is a number
                    kept[name] = kept[name].astype(draw.choice("bBiqQfdD?OU"))
        else:
            kept[name] = _with_other_numbers(draw, kept[name])
    out = io.BytesIO()
    method = draw.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, values in kept.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asarray(values), allow_pickle=True)
            archive.writestr(f"{name}.npy", lies.get(name, member.getvalue()))
    return out.getvalue()


def _lying(draw: random.Random, values: np.ndarray) -> bytes:
    """Return an array whose header claims another shape or type."""
    member = io.BytesIO()
    shape = tuple(
        draw.choice([0, 1, 5, 10**6, 10**12, 2**62, 2**64, -1]) for _ in range(draw.randint(0, 3))
    )
    header = {"descr": draw.choice(["<f8", "<u8", "|O", "<U5", "|V7", "<f8"]), "shape": shape}
    np.lib.format.write_array_header_1_0(member, header | {"fortran_order": False})
    return member.getvalue() + values.tobytes()


def _with_other_numbers(draw: random.Random, values: np.ndarray) -> np.ndarray:
    changed = values.copy()
    if not changed.size:
        return changed
    for _ in range(draw.choice([1, 1, 3, 20])):
        place = draw.randrange(changed.size)
        if changed.dtype.kind == "f":
            with np.errstate(over="ignore"):  # in an array of 16 or 32 bits
                changed.flat[place] = draw.choice([*hostile.REAL, -1e300])
        else:
            width = 8 * changed.dtype.itemsize
            new = draw.choice(
                [0, 1, 2, 3, 2**width - 1, 2 ** (width - 1), 1 << draw.randrange(width)]
            )
            changed.flat[place] = np.array([new % 2**64], dtype=np.uint64).astype(changed.dtype)[0]
    return changed
