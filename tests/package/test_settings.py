"""Settings: their checks, and the functions that get keywords, signatures and texts from them."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from functools import partial

import pytest

from arcwise.errors import ArgumentError, UnknownArgumentError
from arcwise.support.checks import positive_number, whole_number
from arcwise.support.running import Run
from arcwise.support.settings import Settings, keywords_of, made_of, setting


@dataclass(frozen=True, kw_only=True)
class Boiling(Settings):
    minutes: int | None = setting(
        None, "How long. None to taste it.", check=partial(whole_number, at_least=1)
    )
    heat: float = setting(1.0, "The heat.", check=positive_number, flag="--flame")


@dataclass(frozen=True)
class OfEgg(Settings):
    egg: str


@dataclass(frozen=True, kw_only=True)
class _Arguments(Run, Boiling, OfEgg):
    """The arguments of `boiled`."""


@keywords_of(_Arguments)
def boiled(egg: str, settings: Boiling, run: Run) -> tuple[str, Boiling, Run]:
    """Boil an egg.

    Parameters
    ----------
    egg
        The egg.

    Returns
    -------
    tuple
        Everything.
    """
    return egg, settings, run


def test_a_function_gets_each_group_of_its_settings() -> None:
    egg, settings, run = boiled("large", minutes=4, seed=3)
    assert (egg, settings, run.seed) == ("large", Boiling(minutes=4), 3)
    assert boiled(egg="small", heat=2.0)[1].specified == {"heat": 2.0}


def test_signature_and_docstring_have_every_option_once() -> None:
    parameters = inspect.signature(boiled).parameters
    assert [*parameters][:3] == ["egg", "minutes", "heat"]
    assert parameters["minutes"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["heat"].default == 1.0
    lines = (inspect.getdoc(boiled) or "").split("\n")
    assert [lines.count(name) for name in parameters] == [1] * len(parameters)
    assert lines.index("checkpoint_seconds") < lines.index("Returns")


@dataclass(frozen=True, kw_only=True)
class _ArgumentsOfPot(Boiling):
    """The arguments of `Pot`: fewer than a run has."""

    litres: float = 2.0
    seed: int = 5


class Pot:
    """A pot.

    Parameters
    ----------
    litres
        Its size.
    """

    @made_of(_ArgumentsOfPot)
    def __init__(self, litres: float, settings: Boiling, run: Run) -> None:
        self.litres, self.settings, self.run = litres, settings, run


def test_a_constructor_gets_its_settings_and_what_a_larger_group_shares_with_it() -> None:
    pot = Pot(minutes=4)
    assert (pot.litres, pot.settings, pot.run.seed) == (2.0, Boiling(minutes=4), 5)
    assert [*inspect.signature(Pot).parameters] == ["minutes", "heat", "litres", "seed"]
    lines = (inspect.getdoc(Pot) or "").split("\n")
    assert lines[-4:] == ["minutes", "    How long. None to taste it.", "heat", "    The heat."]
    with pytest.raises(UnknownArgumentError, match=r"^Pot has no argument 'threads'"):
        Pot(threads=1)  # type: ignore[call-arg]


def test_errors_name_the_option_in_both_languages() -> None:
    with pytest.raises(ArgumentError, match=r"^minutes is 0; give a whole number, 1 or more$"):
        boiled("large", minutes=0)
    with pytest.raises(ArgumentError) as found:
        boiled("large", heat=-1)
    assert found.value.in_shell().startswith("--flame is -1;")
    with pytest.raises(UnknownArgumentError, match="did you mean 'minutes'"):
        boiled("large", minuts=4)  # type: ignore[call-arg]


def test_values_are_kept_in_their_own_types() -> None:
    assert type(Boiling(heat=3).heat) is float


def test_the_clock_of_a_run_is_shared_by_all_that_is_made_of_it() -> None:
    run = Run(seconds=50.0)
    assert replace(run, seed=4).deadline is run.deadline
    part = run.within(0.5)
    assert part.deadline.whole is run.deadline
    assert 20.0 < part.deadline.left <= 25.0


def test_a_stage_ends_in_time_unless_it_is_not_timed() -> None:
    run = Run(seconds=50.0, threads=2)
    with run.stage() as stage:
        assert (stage.threads, stage.deadline) == (2, run.deadline)
        assert stage.progress is not None
    with run.stage(timed=False) as stage:
        assert stage.progress is None
