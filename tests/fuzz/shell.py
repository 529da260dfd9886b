"""The command line with options of any value, in this process."""

from __future__ import annotations

import contextlib
import io
import random

import arcwise
from arcwise.cli import main
from fuzz import hostile
from fuzz.harness import Ending, Target

_NUMBERS = [
    *(
        "0",
        "1",
        "2",
        "-1",
        "3.5",
        "nan",
        "inf",
        "-inf",
        "1e3",
        "1e400",
        "abc",
        "",
        " ",
        "1_000",
        "٣",
    ),
    *("2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808"),
    *("18446744073709551615", "18446744073709551616", "1000000000000", "1" + "0" * 18),
    *("1" + "0" * 30, "9" * 5000, "-" + "9" * 30, "0x10", "true", "None"),
]
_COMMANDS = {
    "sample": ["--steps 60 --chains 1", "--algorithm mc3 --steps 40", "--algorithm ais --steps 9"],
    "learn": [""],
    "exact": [""],
    "evidence": ["--steps 9 --particles 5"],
    "map": [""],
    "score": [""],
    "describe": [""],
}
_OPTIONS = {
    "sample": "steps seconds chains particles temperatures seed threads checkpoint max-indegree "
    "equivalent-sample-size until space ladder candidates max-candidates discretize thinning",
    "learn": "steps seconds chains particles dags seed threads checkpoint max-indegree until space "
    "equivalent-sample-size alpha-mu max-candidates candidates temperatures algorithm",
    "exact": "dags seed threads max-indegree equivalent-sample-size candidates modularity",
    "evidence": "steps particles seconds chains temperatures seed threads max-indegree method bins",
    "map": "restarts seconds seed threads max-indegree method candidates max-candidates",
    "score": "max-indegree threads equivalent-sample-size alpha-mu alpha-w candidates score prior",
    "describe": "discretize missing constant weights interventions discrete continuous",
}


class Shell(Target, name="shell"):
    share = 3.0
    most_seconds = 0.5

    def set_up(self) -> None:
        self.table = self.folder / "asia.csv"
        arcwise.simulate("asia", 60, seed=1).write_csv(self.table)

    def case(self, draw: random.Random) -> Ending:
        command = draw.choice(list(_COMMANDS))
        words = [
            command,
            str(self.table),
            "--threads",
            "1",
            *draw.choice(_COMMANDS[command]).split(),
        ]
        if command == "describe":
            words = [command, str(self.table)]
        elif draw.random() < 0.7:
            words += ["--max-indegree", "1"]
        if draw.random() < 0.1:
            words = ["simulate", "asia", "--rows", "5"]
            options = ["rows", "seed", "out"]
        else:
            options = _OPTIONS[command].split()
        for _ in range(draw.choice([1, 1, 2])):
            value = draw.choice(_NUMBERS) if draw.random() < 0.85 else hostile.text(draw)
            words.append(f"--{draw.choice(options)}={value}")
        said, told = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
            status = main(words)
        assert status in (0, 2), (words, status, told.getvalue())
        lines = told.getvalue().splitlines()
        assert all(line.startswith("arcwise: ") for line in lines), (words, lines)
        assert all(len(line) < 4_000 for line in lines), (words, max(map(len, lines)))
        assert (status == 2) == any(not line.startswith("arcwise: warning: ") for line in lines)
        return Ending.REFUSED if status else Ending.ANSWERED
