"""Whether a commit is slower than an earlier one: short cases on both in turns, as ratios.

    python benchmarks/speed_gate.py --base REVISION [--of REVISION] [CASE...]

Both commits are taken out of git and built under build/gate, once each. A round of a case starts a
process for each commit, lets both set the case up, and measures processor time in the order A B B
A; its ratio is that of the shorter times. The table has the median ratio over rounds and an
interval of 95 % or more for it, from the order of the ratios. A case is slower if even the low end
of its interval is above 1.03, and undecided, for which more rounds are made, if only its median is.
"""

from __future__ import annotations

import argparse
import io
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
GATE = ROOT / "build" / "gate"
LIMIT = 1.03
CONFIDENCE = 0.95

Work = Callable[[], object]

# --- The cases ------------------------------------------------------------------------------------
# Public calls alone, which both commits have; each sets up what is not measured.

CASES: dict[str, Callable[[], Work]] = {}


def case(name: str) -> Callable[[Callable[[], Work]], Callable[[], Work]]:
    def enter(set_up: Callable[[], Work]) -> Callable[[], Work]:
        CASES[name] = set_up
        return set_up

    return enter


def _discrete(variables: int, rows: int) -> Any:
    import arcwise

    dag = arcwise.networks.random_dag(variables, expected_degree=2.5, max_indegree=3, seed=5)
    network = arcwise.networks.discrete_network(dag, levels=(2, 3), concentration=0.5, seed=5)
    return network.sample(rows, seed=5)


def _gaussian(variables: int, rows: int) -> Any:
    import arcwise

    dag = arcwise.networks.random_dag(variables, expected_degree=3, seed=1)
    return arcwise.networks.gaussian_network(dag, seed=1).sample(rows, seed=1)


def _mixed(variables: int, rows: int) -> dict[str, Any]:
    import numpy as np

    random = np.random.default_rng(1)
    values = random.standard_normal((rows, variables)).cumsum(axis=1)
    values /= np.sqrt(np.arange(1, variables + 1))
    return {
        f"x{i}": [f"v{int(value > 0)}" for value in values[:, i]] if i % 2 else values[:, i]
        for i in range(variables)
    }


def _with_holes(table: Any, every: int) -> dict[str, list[Any]]:
    columns = table.to_dict()
    return {
        name: [None if (i + 7 * k) % every == 0 else value for i, value in enumerate(column)]
        for k, (name, column) in enumerate(columns.items())
    }


def _in_time(rows: int, variables: int) -> dict[str, Any]:
    import numpy as np

    random = np.random.default_rng(2)
    values = random.standard_normal((rows, variables))
    for t in range(1, rows):
        values[t] += 0.5 * values[t - 1] + 0.3 * np.roll(values[t - 1], 1)
    return {f"x{i}": values[:, i] for i in range(variables)}


_ONE: dict[str, Any] = {"threads": 1}
_SEEDED: dict[str, Any] = {"threads": 1, "seed": 1, "progress": None}


def _score(table: Any, score: str, most: int) -> Work:
    import arcwise

    return lambda: arcwise.score(table, score, max_indegree=most, **_ONE)


case("score: BDeu, 32 variables")(lambda: _score(_discrete(32, 1000), "bdeu", 4))
case("score: BGe, 50 variables")(lambda: _score(_gaussian(50, 500), "bge", 4))
case("score: mixed, 24 variables")(lambda: _score(_mixed(24, 500), "conditional-gaussian", 4))


def _exact(variables: int, modularity: Any) -> Work:
    import arcwise

    model = arcwise.Model(_discrete(variables, 500), max_indegree=3, prior="fair")
    return lambda: arcwise.exact(model, modularity, **_ONE)


case("exact: modular, 16 variables")(lambda: _exact(16, "modular"))
case("exact: order-modular, 20 variables")(lambda: _exact(20, "order-modular"))


@case("exact: 20,000 DAGs of 12 variables")
def _() -> Work:
    import arcwise

    model = arcwise.Model(_discrete(12, 500), max_indegree=3, prior="fair")
    return lambda: arcwise.exact(model, dags=20_000, seed=1, **_ONE)


def _sampled(algorithm: str, space: str, **settings: Any) -> Work:
    import arcwise

    model = arcwise.Model(_discrete(20, 500), max_indegree=3, prior="fair")
    sampler = getattr(arcwise, algorithm)
    return lambda: sampler(model, space, **_SEEDED, **settings)


for _algorithm, _space, _settings in (
    ("mcmc", "linear", {"steps": 20_000, "chains": 1}),
    ("mcmc", "buckets:4", {"steps": 10_000, "chains": 1}),
    ("mcmc", "canonical", {"steps": 20_000, "chains": 1}),
    ("mcmc", "partitions", {"steps": 20_000, "chains": 1}),
    ("mcmc", "layerings:4", {"steps": 2_000, "chains": 1}),
    ("mcmc", "dags", {"steps": 60_000, "chains": 2}),
    ("mc3", "dags", {"steps": 5_000, "chains": 1, "temperatures": 8}),
    ("ais", "linear", {"particles": 10, "steps": 1_500}),
    ("smc", "dags", {"particles": 8, "runs": 1}),
):
    case(f"{_algorithm}: {_space}, 20 variables")(
        lambda algorithm=_algorithm, space=_space, settings=_settings: _sampled(  # type: ignore[misc]
            algorithm, space, **settings
        )
    )


@case("map: 40 variables")
def _() -> Work:
    import arcwise

    table = _gaussian(40, 300)
    few = arcwise.candidates(table, "greedy:8", prior="fair")
    model = arcwise.Model(table, candidates=few, prior="fair")
    return lambda: arcwise.map(model, seed=1, **_ONE)


@case("grow: 40 variables")
def _() -> Work:
    import arcwise

    table = _gaussian(40, 300)
    return lambda: arcwise.grow(table, score="bge", prior="fair", max_size=8, seed=1, **_ONE)


@case("candidates: pc and greedy, 50 variables")
def _() -> Work:
    import arcwise

    table = _discrete(50, 500)
    return lambda: arcwise.candidates(table, "pc+greedy:6", prior="fair")


def _learned(make: Callable[[], Any], **settings: Any) -> Work:
    import arcwise

    table = make()
    return lambda: arcwise.learn(table, **_SEEDED, **settings)


case("learn: discrete, 14 variables, exact")(lambda: _learned(lambda: _discrete(14, 500)))
case("learn: gaussian, 30 variables")(
    lambda: _learned(lambda: _gaussian(30, 300), steps=3_000, chains=2)
)
case("learn: mixed, 24 variables, grown")(
    lambda: _learned(
        lambda: _mixed(24, 200), steps=1_000, chains=2, candidates="grow", max_candidates=5
    )
)
case("learn: discrete, missing values")(
    lambda: _learned(lambda: _with_holes(_discrete(8, 150), 40), completions=6, steps=500, chains=2)
)
case("learn: gaussian, missing values")(
    lambda: _learned(lambda: _with_holes(_gaussian(6, 80), 40), completions=4, steps=500, chains=2)
)


@case("learn: 8 variables in time")
def _() -> Work:
    import arcwise

    table = _in_time(300, 8)
    return lambda: [
        arcwise.learn(arcwise.time_series(table), **_SEEDED, dags=2_000) for _ in range(3)
    ]


def _posterior(table: Any, **settings: Any) -> Any:
    import arcwise

    return arcwise.learn(table, **_SEEDED, **settings)


@case("effects: discrete")
def _() -> Work:
    import arcwise

    posterior = _posterior(_discrete(12, 500), dags=1_000)
    first, *_, last = posterior.variables
    return lambda: arcwise.effects(posterior, first, last, seed=1)


@case("effects: all pairs, gaussian")
def _() -> Work:
    import arcwise

    posterior = _posterior(_gaussian(14, 300), dags=20_000)
    return lambda: arcwise.effects(posterior, seed=1)


@case("predict: discrete")
def _() -> Work:
    import arcwise

    table = _discrete(12, 500)
    posterior = _posterior(table, dags=1_000)
    return lambda: arcwise.predict(posterior, table, posterior.variables[-1])


@case("predict: gaussian")
def _() -> Work:
    import arcwise

    table = _gaussian(12, 300)
    posterior = _posterior(table, dags=2_000)
    return lambda: arcwise.predict(posterior, table, posterior.variables[-1])


@case("log_predictive: mixed")
def _() -> Work:
    import arcwise

    table = _mixed(10, 300)
    posterior = _posterior(table, dags=2_000)
    return lambda: arcwise.log_predictive(posterior, table)


@case("cross_validate: discrete")
def _() -> Work:
    import arcwise

    table = _discrete(8, 300)
    return lambda: arcwise.cross_validate(table, table.variables[0], folds=5, seed=1, **_ONE)


@case("forecast and impulse response")
def _() -> Work:
    import arcwise

    table = _in_time(300, 6)
    posterior = arcwise.learn(arcwise.time_series(table), **_SEEDED, dags=2_000)

    def work() -> None:
        arcwise.forecast(posterior, table, seed=1)
        arcwise.impulse_response(posterior, "x0", "x1", 10, seed=1)

    return work


@case("features of 50,000 DAGs")
def _() -> Work:
    posterior = _posterior(_discrete(14, 500), dags=50_000)
    a, b, c, *_ = posterior.variables

    def work() -> None:
        for feature in (f"{a} ~> {b}", f"{a} -> {b} given {b} -- {c}"):
            posterior.dags.estimate(feature)
        posterior.dags.matrix("ancestor")
        posterior.dags.matrix("cpdag")

    return work


@case("report page")
def _() -> Work:
    posterior = _posterior(_discrete(14, 500), dags=2_000)

    def work() -> None:
        with tempfile.TemporaryDirectory() as folder:
            posterior.report(Path(folder) / "report.html")

    return work


def _started(*arguments: str) -> Work:
    return lambda: [
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        for _ in range(3)
    ]


case("import arcwise, three times")(lambda: _started("-c", "import arcwise"))
case("arcwise learn --help, three times")(
    lambda: _started("-c", "from arcwise.cli import main; main(['learn', '--help'])")
)


# --- A process of a commit ------------------------------------------------------------------------


def _processor_seconds() -> float:
    """Return the processor time of this process and of those it started."""
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


def serve(name: str) -> None:
    """Set a case up, and measure it as many times as each line of the standard input says."""
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, io.StringIO()
    work = CASES[name]()
    print("ready", file=answers, flush=True)
    for times in sys.stdin:
        began = _processor_seconds()
        for _ in range(int(times)):
            work()
        print(_processor_seconds() - began, file=answers, flush=True)


class Server:
    """A process that measures one case with the code of one commit."""

    def __init__(self, tree: Path, name: str) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": str(tree / "src"),
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "",
        }
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), "--serve", name],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ready(self) -> None:
        """Wait until the case is set up."""
        self._answer()

    def seconds(self, times: int = 1) -> float:
        """Measure the case, done so many times."""
        assert self._process.stdin is not None
        print(times, file=self._process.stdin, flush=True)
        return float(self._answer())

    def end(self) -> None:
        """End the process."""
        self._process.communicate()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit("a case failed; see above")
        return answer.strip()


# --- The commits ----------------------------------------------------------------------------------


def built(revision: str) -> Path:
    """Take a commit out of git and build its extension, unless that was done before."""
    commit = _git("rev-parse", "--short=12", f"{revision}^{{commit}}").decode().strip()
    tree = GATE / commit
    if not (tree / "built").exists():
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir(parents=True)
        with tarfile.open(fileobj=io.BytesIO(_git("archive", commit))) as archive:
            archive.extractall(tree, filter="data")
        extension = _extension(commit, tree)
        shutil.copy(extension, tree / "src" / "arcwise" / extension.name)
        (tree / "built").touch()
    return tree


def _extension(commit: str, tree: Path) -> Path:
    """Return the extension of a commit; those whose core is the same share it."""
    sources = _git("ls-tree", commit, "core", "bindings", "CMakeLists.txt").decode()
    folder = GATE / "-".join(["extension", *(line.split()[2][:8] for line in sources.splitlines())])
    if not list(folder.glob("_core*.so")):
        _build(tree, tree / "build" / "ext")
        (module,) = (tree / "build" / "ext").glob("_core*.so")
        folder.mkdir(exist_ok=True)
        shutil.copy(module, folder / module.name)
    (module,) = folder.glob("_core*.so")
    return module


def _build(tree: Path, objects: Path) -> None:
    tools = {name: shutil.which(name, path=_path()) or name for name in ("cmake", "ninja")}
    ccache = shutil.which("ccache")
    configure = [
        *(tools["cmake"], "-S", str(tree), "-B", str(objects), "-G", "Ninja"),
        *("-DSKBUILD=1", "-DSKBUILD_PROJECT_VERSION=0", "-DCMAKE_BUILD_TYPE=Release"),
        "-DARCWISE_WARNINGS_AS_ERRORS=ON",
        f"-DCMAKE_MAKE_PROGRAM={tools['ninja']}",
        f"-DPython_EXECUTABLE={sys.executable}",
        *([f"-DCMAKE_CXX_COMPILER_LAUNCHER={ccache}"] if ccache else []),
    ]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    # Objects of another folder with the same sources are the same to ccache.
    cached = {**os.environ, "CCACHE_BASEDIR": str(tree), "CCACHE_NOHASHDIR": "1"}
    build = [tools["cmake"], "--build", str(objects), "--target", "_core", "--", "--quiet"]
    subprocess.run(build, check=True, env=cached)


def _path() -> str:
    """Return where programs are: first those installed beside this Python."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


def _git(*arguments: str) -> bytes:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


# --- Ratios ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ratios:
    """What the rounds of a case gave: seconds of both commits, the later one second."""

    seconds: Sequence[tuple[float, float]]

    @property
    def each(self) -> list[float]:
        return sorted(after / before for before, after in self.seconds)

    @property
    def median(self) -> float:
        return statistics.median(self.each)

    @property
    def interval(self) -> tuple[float, float]:
        """An interval that has the median of the law of ratios with 95 % or more."""
        each, count = self.each, len(self.seconds)
        left_out, tail = 0, 2.0 ** (1 - count)
        while tail + 2 * math.comb(count, left_out + 1) / 2**count <= 1 - CONFIDENCE:
            left_out += 1
            tail += 2 * math.comb(count, left_out) / 2**count
        return each[left_out], each[count - 1 - left_out]

    @property
    def slower(self) -> bool:
        return self.interval[0] > LIMIT

    @property
    def undecided(self) -> bool:
        return self.median > LIMIT and not self.slower

    def __str__(self) -> str:
        low, high = self.interval
        before = statistics.median(before for before, _ in self.seconds)
        said = "slower" if self.slower else "undecided" if self.undecided else ""
        return (
            f"{before:7.3f} s{self.median:8.3f}   {low:.3f} to {high:.3f}"
            f"{len(self.seconds):5}  {said}"
        ).rstrip()


# Short work is done so many times that a measurement takes about as long.
_LEAST_SECONDS = 0.4


def measured(trees: tuple[Path, Path], name: str, rounds: int, most: int) -> Ratios:
    """Measure a case in rounds, and in more of them while it is undecided."""
    seconds: list[tuple[float, float]] = []
    while len(seconds) < rounds or (len(seconds) < most and Ratios(seconds).undecided):
        servers = [Server(tree, name) for tree in trees]
        for server in servers:
            server.ready()
        # The first time in a process pays for what is made once.
        first = min([server.seconds() for server in servers])
        repeated = max(1, round(_LEAST_SECONDS / max(first, 0.001)))
        turns = (0, 1, 1, 0) if len(seconds) % 2 == 0 else (1, 0, 0, 1)
        times: list[list[float]] = [[], []]
        for turn in turns:
            times[turn].append(servers[turn].seconds(repeated) / repeated)
        for server in servers:
            server.end()
        seconds.append((min(times[0]), min(times[1])))
    return Ratios(seconds)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help="beginnings of names of cases")
    parser.add_argument("--base", default="HEAD~1", metavar="REVISION", help="the earlier commit")
    parser.add_argument("--of", default="HEAD", metavar="REVISION", help="the later commit")
    parser.add_argument("--rounds", type=int, default=6, help="of each case")
    parser.add_argument("--most-rounds", type=int, default=21, help="of undecided cases")
    parser.add_argument("--serve", metavar="CASE", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help="list the cases")
    asked = parser.parse_args()
    if asked.serve:
        serve(asked.serve)
        return 0
    names = [name for name in CASES if not asked.cases or name.startswith(tuple(asked.cases))]
    if asked.list:
        print(*names, sep="\n")
        return 0
    trees = built(asked.base), built(asked.of)
    print(
        f"{trees[1].name} against {trees[0].name}: processor time, one thread, "
        f"load of the machine {os.getloadavg()[0]:.1f}"
    )
    print(f"{'':42}{'before':>9}{'ratio':>8}   {'interval':14}{'rounds':>7}", flush=True)
    slow = []
    for name in names:
        ratios = measured(trees, name, asked.rounds, asked.most_rounds)
        print(f"{name:42}{ratios}", flush=True)
        slow += [name] if ratios.slower else []
    print(f"{len(slow)} of {len(names)} cases are slower by more than {LIMIT - 1:.0%}")
    return int(bool(slow))


if __name__ == "__main__":
    sys.exit(main())
