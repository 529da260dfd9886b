"""Tables of data, of scores and of edges in files that may hold anything."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import struct
from typing import Any, Literal

import numpy as np

import arcwise
from arcwise import _core_testing
from arcwise.cli.options import read_edge_file
from arcwise.data import ContinuousColumn, Data
from arcwise.errors import ArcwiseError
from arcwise.model.score_sums import Method, ScoreSums
from arcwise.scores import FamilyScores
from arcwise.scores.family_scores import read_scores
from fuzz import hostile
from fuzz.harness import Target

_FIELDS = [
    *("0", "1", "2", "yes", "no", "1.5", "-3", "1e400", "nan", "NA", "", " ", "?", "inf", "0,5"),
    *('"a"', '"a""b"', '"a', 'a"b', "a\rb", "True", "false", "1_000", "٣", "1,234", "x" * 300),
]


def _table(draw: random.Random) -> bytes:
    separator = draw.choice([",", ",", ",", ";", "\t", "|", ", "])
    width = draw.choice([1, 2, 3, 3, 5])
    choices = ["a", "b", "c", "1", "0", "", "a b", '"q"', "é", "1.5", hostile.word(draw)]
    names = [draw.choice(choices) for _ in range(width)]
    if draw.random() < 0.6:
        names = [f"{name}{place}" for place, name in enumerate(names)]
    fields = draw.sample(_FIELDS, draw.choice([2, 2, 3, 6]))
    rows = [[draw.choice(fields) for _ in names] for _ in range(draw.choice([0, 1, 2, 5, 20, 60]))]
    if rows and draw.random() < 0.2:
        rows[draw.randrange(len(rows))].append("1")
    end = draw.choice(["\n", "\n", "\r\n", "\r"])
    text = end.join(separator.join(row) for row in [names, *rows]) + draw.choice(["", end])
    content = text.encode(
        draw.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"]), "replace"
    )
    return hostile.damaged(draw, content) if draw.random() < 0.3 else content


def _look_at(data: Data, draw: random.Random) -> None:
    assert data.rows >= 2
    assert len(set(data.variables)) == len(data.variables)
    repr(data), data.to_dict()
    for column in data.columns:
        if isinstance(column, ContinuousColumn):
            assert np.isfinite(column.values).all()
    if draw.random() < 0.05 and len(data.variables) < 7:
        arcwise.Model(data, max_indegree=2, threads=1)


class DelimitedText(Target, name="csv"):
    share = 2.0

    def case(self, draw: random.Random) -> None:
        path = self.folder / draw.choice(["t.csv", "t.csv", "t.tsv", "t.csv.gz", "t.tab"])
        content = _table(draw)
        if path.suffix == ".gz" and draw.random() < 0.8:
            content = gzip.compress(content, 1)
            content = hostile.damaged(draw, content) if draw.random() < 0.3 else content
        path.write_bytes(content)
        options: dict[str, Any] = {
            "missing": draw.choice(["error", "drop", "level"]),
            "constant": draw.choice(["error", "drop", "keep", "keep"]),
            "identifiers": draw.choice(["warn", "drop", "keep", "error"]),
            "kinds": draw.choice([None, None, "discrete", "continuous"]),
            "discretize": draw.choice([None, None, "quantile:2", "uniform"]),
            "transform": draw.choice([None, None, None, "normal-scores"]),
            "missing_codes": draw.choice([None, None, 0, "a", ["1", -1.5]]),
        }
        said = arcwise.describe(path, **options)
        assert said.splitlines()
        data = arcwise.read(path, **options)
        _look_at(data, draw)


class ParquetFiles(Target, name="parquet"):
    share = 2.0

    def set_up(self) -> None:
        import polars  # takes long, and each of the other targets is a process without it

        frames = [
            polars.DataFrame({"a": [0, 1, 0, 1], "b": [0.5, 1.5, 2.5, 3.5], "c": list("xyxy")}),
            polars.DataFrame({"t": [True, False, None], "n": [None, 1, 2]}),
            polars.DataFrame({"e": polars.Series(["u", "v", "u"], dtype=polars.Enum(["u", "v"]))}),
            polars.DataFrame({"l": [[1], [2, 3]], "s": [{"x": 1}, {"x": 2}]}),
            polars.DataFrame(
                {"p": [place % 3 for place in range(60)], "q": [None, "u", "vw"] * 20}
            ),
        ]
        self.files = []
        for frame in frames:
            for method in ("uncompressed", "zstd", "snappy"):
                out = io.BytesIO()
                frame.write_parquet(out, compression=method, data_page_size=200, row_group_size=40)
                self.files.append(out.getvalue())

    def case(self, draw: random.Random) -> None:
        path = self.folder / "t.parquet"
        path.write_bytes(hostile.damaged(draw, draw.choice(self.files)))
        _look_at(arcwise.read(path, missing="level", constant="keep"), draw)


class ScoreFiles(Target, name="jkl"):
    def set_up(self) -> None:
        model = arcwise.Model(arcwise.simulate("asia", 100, seed=1), max_indegree=2, threads=1)
        path = self.folder / "base.jkl"
        model.scores.write_jkl(path)
        self.base = path.read_bytes()

    def case(self, draw: random.Random) -> None:
        path = self.folder / "scores.jkl"
        path.write_bytes(hostile.damaged(draw, self.base) if draw.random() < 0.6 else _jkl(draw))
        scores = read_scores(path)
        assert isinstance(scores, FamilyScores)
        for name in scores.variables[:3]:
            scores.best(name), scores.families(name)
        if len(scores.variables) < 8 and draw.random() < 0.3:
            arcwise.Model(scores, threads=1)


def _jkl(draw: random.Random) -> bytes:
    names = ["a", "b", "c", "d", "e"][: draw.randint(1, 5)]
    lines = [str(draw.choice([len(names), len(names), len(names), 0, 2, -1, 10**12, 2**64]))]
    for name in names:
        count = draw.randint(1, 3)
        lines.append(f"{name} {draw.choice([count, count, count, 0, -1, 10**12, 2**40])}")
        for place in range(count):
            parents = draw.sample(names, min(place, len(names)))
            size = draw.choice([len(parents), len(parents), len(parents), 3, -1, 10**12])
            score = draw.choice(["-1.5", "0", "nan", "inf", "1e400", "-1e308", "x", "0x1p3"])
            lines.append(f"{score} {size} {' '.join(parents)}")
    return "\n".join(lines).encode()


class EdgeFiles(Target, name="edge-file"):
    def case(self, draw: random.Random) -> None:
        path = self.folder / draw.choice(["e.csv", "e.csv", "e.json"])
        kind = draw.random()
        if path.suffix == ".json":
            tree = draw.choice([[["a", "b"], ["b", "c"]], {"a": ["b"], "c": []}])
            content = json.dumps(hostile.edited(draw, tree)).encode()
            if draw.random() < 0.1:
                content = b"[" * draw.choice([10, 1_000, 100_000])
        elif kind < 0.4:
            rows = [["source", "target"], *([hostile.text(draw), "b"] for _ in range(3))]
            content = "\n".join(",".join(row) for row in rows).encode(errors="replace")
        elif kind < 0.6:
            content = b"a,b,c\n0,1,0\n0,0,1\n0,0,0\n"
        else:
            content = _table(draw)
        path.write_bytes(hostile.damaged(draw, content) if draw.random() < 0.5 else content)
        edges = read_edge_file(path)
        arcwise.Constraints(required_edges=edges)
        assert all(isinstance(end, str) for edge in edges for end in edge)


class KnowledgeFiles(Target, name="knowledge-file"):
    """Files of tiers, knowledge and edge probabilities."""

    _GOOD = (
        ("t.csv", "variable,tier\na,1\nb,1\nc,2\n"),
        ("t.txt", "a, b\nc\n"),
        ("t.txt", 'a, "b < b" < c\n'),
        ("t.json", '[["a", "b"], ["c"]]'),
        ("t.json", '{"a": 1, "b": 2.5}'),
        ("k.txt", "/knowledge\naddtemporal\n1* a b\n2- c\n\nforbiddirect\na* c\n\nrequiredirect\n"),
        ("k.json", '{"tiers": [["a"], ["b"]], "max_indegree": 2, "forbidden_edges": [["a", "b"]]}'),
        ("p.csv", "from,to,probability\na,b,0.9\nb,c,0.25\n"),
        ("p.csv", "source,target,probability,edge\na,b,0.9,--\nb,c,1e-9,->\n"),
    )

    def case(self, draw: random.Random) -> None:
        name, text = draw.choice(self._GOOD)
        path = self.folder / name
        content = text.encode()
        if draw.random() < 0.3:
            place = draw.randrange(len(text) + 1)
            changed = text[:place] + hostile.text(draw) + text[place + draw.choice([0, 1, 4]) :]
            content = changed.encode(errors="replace")
        elif draw.random() < 0.5:
            content = hostile.damaged(draw, content)
        path.write_bytes(content)
        names = ("a", "b", "c", "d")
        if name[0] == "t":
            arcwise.Constraints(tiers=path).resolve(names)
        elif name[0] == "k":
            rules = arcwise.Constraints.read(path)
            rules.resolve(names)
            rules.write(self.folder / "written.txt")
            assert arcwise.Constraints.read(self.folder / "written.txt") == rules
        else:
            prior = arcwise.priors.EdgeProbabilities(path, draw.choice([None, "fair"]))
            assert np.isfinite(prior.terms(names).edge).all()


class ScoreTables(Target, name="score-table"):
    share = 2.0

    def set_up(self) -> None:
        data = arcwise.simulate("asia", 100, seed=1)
        weights = arcwise.Model(data, max_indegree=2, threads=1)
        outside = arcwise.candidates(data, "greedy:3", threads=1)
        plus_one = arcwise.Model(data, candidates=outside, plus_one=True, threads=1)
        listed = arcwise.Model(weights.scores, threads=1)
        self.files = []
        made: list[tuple[arcwise.Model, tuple[Method, ...]]] = [
            (weights, ("table", "walk", "scan")),
            (plus_one, ("rows",)),
            (listed, ("scan", "table")),
        ]
        tabulated: tuple[Literal["sums", "both"], ...] = ("sums", "both")
        for model, methods in made:
            for method in methods:
                for tabulate in tabulated:
                    path = self.folder / "base"
                    ScoreSums(model, method=method, tabulate=tabulate, threads=1).save(path)
                    self.files.append(path.read_bytes())

    def case(self, draw: random.Random) -> None:
        path = self.folder / "scores"
        path.write_bytes(_sealed(_with_other_words(draw, draw.choice(self.files))))
        sums = ScoreSums.open(path)
        names = sums.variables
        for _ in range(6):
            node = draw.choice(names)
            allowed = draw.sample(names, draw.randint(0, len(names)))
            required = draw.choice([None, None, draw.sample(names, 2)])
            for ask in (
                lambda a, b, c: sums.log_sum(a, b, c),
                lambda a, b, c: sums.max(a, b),
                lambda a, b, c: sums.best(a, b, c),
                lambda a, b, c: sums.sample(a, b, c, size=3, seed=1),
            ):
                try:
                    ask(node, allowed, required)
                except ArcwiseError:
                    continue
            out = np.empty(8)
            places = [place for place in range(len(names)) if names[place] != node][:3]
            base = [place for place in range(len(names)) if place not in places]
            index = names.index(node)
            try:
                _core_testing.log_sums_over(sums.core, index, base, places, out)
                _core_testing.parent_probabilities(sums.core, index, base, places, [0.0] * 8)
            except ArcwiseError:
                continue


def _with_other_words(draw: random.Random, content: bytes) -> bytes:
    """Return a file with other numbers in it: most are words of eight bytes."""
    changed = bytearray(content)
    start = 64 + struct.unpack_from("<I", content, 20)[0]
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        if draw.random() < 0.1:
            return hostile.damaged(draw, bytes(changed))
        # Small parts come at the beginning of each node's, between long rows of numbers.
        place = start + 8 * draw.randrange((len(changed) - start) // 8)
        old = struct.unpack_from("<Q", changed, place)[0]
        nearby = [(old + step) % 2**64 for step in (-1, 1, 2, 8, 64)]
        any_word = [
            0,
            1,
            2,
            63,
            64,
            2**16,
            2**31,
            2**32,
            2**62,
            2**63,
            2**64 - 1,
            draw.getrandbits(64),
        ]
        flipped = [old ^ 1 << draw.randrange(64)]
        numbers = [struct.unpack("<Q", struct.pack("<d", each))[0] for each in hostile.REAL]
        new = draw.choice(draw.choice([nearby, any_word, flipped, numbers]))
        struct.pack_into("<Q", changed, place, new)
    return bytes(changed)


def _sealed(content: bytes) -> bytes:
    """Return the file with the length and the hash that belong to it."""
    if len(content) < 64:
        return content
    front = content[:24] + struct.pack("<Q", len(content))
    rest = content[64:]
    return front + hashlib.sha256(front + rest).digest() + rest
