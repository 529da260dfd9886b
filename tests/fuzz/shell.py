"""The command line in this process: every option of every sub-command, with values of anything."""

from __future__ import annotations

import contextlib
import io
import random
import shutil
from collections.abc import Mapping
from typing import Any

import arcwise
from arcwise.cli import main
from arcwise.cli.app import application
from arcwise.cli.composition import save_data
from fuzz import hostile
from fuzz.harness import Ending, Target

_NUMBERS = [
    *("0", "1", "2", "-1", "3.5", "nan", "inf", "-inf", "1e3", "1e400", "abc", "", " ", "1_000"),
    *("2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808"),
    *("18446744073709551615", "18446744073709551616", "1000000000000", "1" + "0" * 18, "٣"),
    *("1" + "0" * 30, "9" * 5000, "-" + "9" * 30, "0x10", "true", "None"),
]
_TABLE, _POSTERIOR, _RUN, _EVIDENCE = "TABLE", "POSTERIOR", "RUN", "EVIDENCE"
_SERIES, _PANEL, _GAPS = "SERIES", "PANEL", "GAPS"
_SHORT = ["--threads=1", "--max-indegree=1"]
_COMMANDS = {
    "sample": [
        [_TABLE, *_SHORT, "--steps=60", "--chains=1"],
        [_TABLE, *_SHORT, "--steps=40", "--algorithm=mc3", "--temperatures=3", "--chains=1"],
        [_TABLE, *_SHORT, "--steps=9", "--algorithm=ais", "--particles=5"],
        [_TABLE, *_SHORT, "--algorithm=smc", "--particles=5", "--runs=2"],
    ],
    "learn": [
        [_TABLE, *_SHORT],
        [_TABLE, *_SHORT, "--steps=60", "--chains=2", "--algorithm=mcmc"],
        [_PANEL, *_SHORT, "--time=t", "--subject=who"],
        [_PANEL, *_SHORT, "--time=t", "--subject=who", "--each-step"],
        [_GAPS, *_SHORT, "--completions=4"],
    ],
    "exact": [[_TABLE, *_SHORT]],
    "evidence": [
        [_TABLE, *_SHORT],
        [_TABLE, *_SHORT, "--method=ais", "--steps=9", "--particles=5"],
    ],
    "compare-models": [[_EVIDENCE, _EVIDENCE]],
    "map": [[_TABLE, *_SHORT], [_TABLE, "--threads=1", "--grow", "--restarts=1"]],
    "score": [[_TABLE, *_SHORT]],
    "describe": [[_TABLE]],
    "simulate": [["asia", "--rows=5"]],
    "report": [[_POSTERIOR]],
    "draw": [[_POSTERIOR, "network.svg"]],
    "estimate": [[_POSTERIOR, "a -> b"]],
    "effects": [[_POSTERIOR, "a", "d"]],
    "predict": [[_POSTERIOR, _TABLE, "--target=d"]],
    "impulse-response": [[_SERIES, "x", "y"], [_SERIES, "x", "y", "--steps=2"]],
    "forecast": [[_SERIES, _PANEL, "--time=t", "--subject=who"]],
    "cross-validate": [[_TABLE, *_SHORT, "--target=a", "--folds=2"]],
    "summary-graph": [[_POSTERIOR], [_POSTERIOR, "cpdag"], [_POSTERIOR, "threshold"]],
    "compare": [[_POSTERIOR, _POSTERIOR]],
    "resume": [[_RUN, "--threads=1"]],
    "status": [[_RUN]],
}
# Values that mean something, where numbers do not. Files are in the current folder, whatever they
# are called.
_WORDS: dict[str, list[str]] = {
    "--discretize": ["quantile", "interval:3", "quantile:2", "d=quantile:2", "e=uniform"],
    "--format": ["csv", "tsv", "parquet", "csv.gz"],
    "--missing": ["error", "drop", "level", "impute"],
    "--missing-codes": ["-999", "a=0", "e=x", "="],
    "--lags": ["1", "2", "1,3"],
    "--gaps": ["error", "split"],
    "--ordinal": ["a", "d=0,1,2"],
    "--constant": ["error", "drop", "keep"],
    "--identifiers": ["warn", "drop", "keep", "error"],
    "--tiers": ["a < b", "a, b < c < d", "edges.csv", "d"],
    "--knowledge": ["edges.csv", "nothing.txt"],
    "--edge-probabilities": ["edges.csv", "probabilities.csv"],
    "--score": ["auto", "bdeu", "bge", "bic", "conditional-gaussian", "degenerate-gaussian"],
    "--prior": ["uniform", "fair", "sparse:0.5"],
    "--candidates": ["pc", "greedy:2", "gains", "edges.csv"],
    "--required-edges": ["edges.csv", "table.csv"],
    "--forbidden-edges": ["edges.csv", "nothing.csv"],
    "--modularity": ["modular", "order-modular"],
    "--algorithm": ["exact", "mcmc", "mc3", "ais", "smc"],
    "--space": ["buckets:2", "canonical", "dags", "layerings:3", "linear", "partitions"],
    "--until": ["auto", "none", "rhat<1.5", "ess>5, difference<1"],
    "--ladder": ["linear", "harmonic", "adapted", "bridge"],
    "--start": ["orders", "random"],
    "--method": ["auto", "exact", "search", "ais", "mc3", "bridge", "bennett", "combined"],
    "--given": ["b -> c", "edges"],
    "--target": ["a", "d"],
    "--reference": ["0", "1"],
    "--truth": ["edges.csv", "nothing.csv"],
    "--device": ["auto", "gpu", "gpu:1", "cpu"],
}
_COLUMNS = (
    *("--drop", "--discrete", "--continuous", "--weights", "--interventions"),
    *("--parent-only", "--time", "--subject", "--static"),
)
_FILES = (
    *("--out", "--run", "--required-edges", "--forbidden-edges", "--candidates"),
    *("--tiers", "--knowledge", "--edge-probabilities", "--truth"),
)
_REMARKS = ("arcwise: warning: ", "arcwise: report.html was not written: ")
# What these would reach is not in this process.
_ELSEWHERE = ("--cluster", "--tls-ca-file", "--tls-certificate", "--tls-key")


class Shell(Target, name="shell"):
    share = 3.0
    most_seconds = 0.5

    def set_up(self) -> None:
        columns = {"a": [0, 1, 1, 0] * 5, "b": [0, 1, 0, 1] * 5, "c": [1, 1, 0, 0] * 5}
        data = arcwise.read(columns | {"d": [place % 3 for place in range(20)]})
        data.write_csv(self.folder / "table.csv")
        (self.folder / "edges.csv").write_text("source,target\na,b\nb,c\n")
        (self.folder / "probabilities.csv").write_text("from,to,probability\na,b,0.9\n")
        (self.folder / "gaps.csv").write_text("a,x\n" + "0,1.5\n1,\n,2.5\n1,0.25\n" * 4)
        model = arcwise.Model(data, max_indegree=1, threads=1)
        (self.folder / "posterior").mkdir()
        exact = arcwise.exact(model, dags=20, threads=1)
        exact.save(self.folder / "posterior" / "posterior.npz")
        save_data(data, self.folder / "posterior")
        exact.write_evidence(self.folder / "evidence.json")
        arcwise.mcmc(model, steps=60, chains=2, directory=self.folder / "run", threads=1)
        self.places = {
            _TABLE: "table.csv",
            _POSTERIOR: "posterior",
            _RUN: "run",
            _EVIDENCE: "evidence.json",
            _SERIES: "series",
            _PANEL: "panel.csv",
            _GAPS: "gaps.csv",
        }
        self._set_up_series()
        commands: Mapping[str, Any] = application().commands
        self.options = {
            name: [
                (each.opts[-1], bool(each.is_flag)) for each in command.params if _is_tried(each)
            ]
            for name, command in commands.items()
        }
        assert self.options.keys() == _COMMANDS.keys()

    def _set_up_series(self) -> None:
        times = list(range(12))
        panel = arcwise.read(
            {
                "who": ["u"] * 12 + ["v"] * 12,
                "t": times * 2,
                "x": [0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0] * 2,
                "y": [1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0] * 2,
            },
            identifiers="keep",
        )
        panel.write_csv(self.folder / "panel.csv")
        series = arcwise.time_series(self.folder / "panel.csv", time="t", subject="who")
        folder = self.folder / "series"
        folder.mkdir()
        arcwise.exact(arcwise.Model(series, threads=1), dags=20, threads=1).save(
            folder / "posterior.npz"
        )
        save_data(series, folder)

    def case(self, draw: random.Random) -> Ending:
        command = draw.choice(list(_COMMANDS))
        words = [command, *draw.choice(_COMMANDS[command])]
        words = [self.places.get(word, word) for word in words]
        for _ in range(draw.choice([1, 1, 2, 3])):
            if not self.options[command]:
                place = draw.randrange(1, len(words))
                words[place] = hostile.text(draw).replace("/", "_")
                continue
            option, is_flag = draw.choice(self.options[command])
            words.append(option if is_flag else f"{option}={_value(draw, option)}")
        for made in ("made", "other"):
            shutil.rmtree(self.folder / made, ignore_errors=True)
        said, told = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
            status = main(words)
        assert status in (0, 2), (words, status, told.getvalue())
        lines = told.getvalue().splitlines()
        assert all(len(line) < 4_000 for line in lines), (words, max(map(len, lines)))
        errors = [line for line in lines if not line.startswith(_REMARKS)]
        # What is about to be done, if that takes long, is said there too.
        refusals = [line for line in errors if line.startswith("arcwise: ")]
        assert len(refusals) == (status == 2), (words, lines)
        assert all(line.endswith(".") for line in errors if line not in refusals), (words, lines)
        return Ending.REFUSED if status else Ending.ANSWERED


def _is_tried(parameter: Any) -> bool:
    return parameter.opts[-1].startswith("--") and parameter.opts[-1] not in _ELSEWHERE


def _value(draw: random.Random, option: str) -> str:
    kind = draw.random()
    known = _WORDS.get(option, [])
    if option in _COLUMNS:
        known = ["a", "b", "d", "a,b"]
    if option in ("--out", "--run"):
        known = ["made", "other", "made.csv", "other.jkl", "made.json", "table.csv/x"]
    if known and kind < 0.6:
        return draw.choice(known)
    value = draw.choice(_NUMBERS) if kind < 0.9 else hostile.text(draw)
    return value.replace("/", "_") if option in _FILES else value
