"""Refusal of unknown keyword arguments, with a suggestion."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from arcwise.errors import UnknownArgumentError, Wording, option
from arcwise.support.names import near_miss, quoted


def refuse_unknown(
    given: Iterable[str],
    known: Collection[str],
    function: str,
    other_words: Mapping[str, str] | None = None,
) -> None:
    """Refuse names that are not known."""
    meant = other_words or {}
    unknown = [
        f"{name!r} (did you mean {meant[name]!r}?)"
        if meant.get(name) in known
        else f"{name!r}{near_miss(name, known)}"
        for name in given
        if name not in known
    ]
    if unknown:
        raise UnknownArgumentError(
            f"{function} has no argument {', '.join(unknown)}; its arguments are "
            f"{quoted(sorted(known), None)}"
        )


# --- Settings -------------------------------------------------------------------------------------

# Settings: what can be specified of a computation, each option spelled and described once.
#
# A group of options is a frozen dataclass that inherits `Settings`; each of its fields is made by
# `setting` from its default, its description and the check of its values. A public function takes
# such groups, and `keywords_of` gives it the keywords, the signature and the documentation that
# follow from them. The shell, run directories and the core read the same fields.


Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

Check = Callable[[Any, Wording], Any]
"""Returns a value in its own type, or refuses it by the name it was given as."""


@dataclass(frozen=True)
class Setting:
    """What is known of an option besides its name, type and default."""

    description: str  # the description, in the words of docstrings
    check: Check | None = None  # the check of its values, where None is not one of them
    # The help text of the shell; None for the first sentence of the description.
    help: str | None = None
    flag: str | None = None  # the option in the shell, if it is not the name with dashes
    metavar: str | None = None  # what the shell shows in place of a value
    kind: Any = None  # the type of the option in the shell, if it is not that of the field
    in_shell: bool = True  # whether the shell has the option wherever it has those of the group
    # The default in the shell, which its help shows as such; None for no value.
    shell_default: Any = None
    stored: Any = None  # the type of the value in files, where that is not a plain one

    def in_words(self, name: str) -> Wording:
        """Return the name of the option, in Python and in the shell."""
        return option(name) if self.flag is None else Wording(name, self.flag)

    def flag_of(self, name: str) -> str:
        """Return the option in the shell."""
        return self.in_words(name).shell

    @property
    def shell_help(self) -> str:
        """The help text of the shell."""
        if self.help is not None:
            return self.help
        sentence, stop, _ = " ".join(self.description.split()).partition(". ")
        return (sentence + "." * bool(stop)).replace("``", "").replace("`", "")


def setting(default: Value, description: str, **further: Any) -> Value:
    """Return a field of `Settings` with its default; see `Setting`."""
    metadata = {"setting": Setting(description, **further)}
    made: Value = field(default=default, metadata=metadata)
    return made


def setting_like(
    group: type[Settings], name: str, default: Value, description: str | None = None, **further: Any
) -> Value:
    """Return a field for the option of another group with a default of its own.

    The description, the check, the help and the like are those of the option there, unless given.
    """
    found = next(found for each, _, _, found in settings_of(group) if each == name)
    if description is not None:
        further["description"] = description
    metadata = {"setting": replace(found, **further)}
    made: Value = field(default=default, metadata=metadata)
    return made


@dataclass(frozen=True)
class Settings:
    """A group of options, whose values are checked when it is made.

    Examples
    --------
    >>> from functools import partial
    >>> from arcwise.support.checks import whole_number
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Waiting(Settings):
    ...     rounds: int | None = setting(None, "How long.", check=partial(whole_number, at_least=1))
    >>> Waiting(rounds=3)
    Waiting(rounds=3)
    >>> Waiting(rounds=0)
    Traceback (most recent call last):
    ...
    arcwise.errors.ArgumentError: rounds is 0; give a whole number, 1 or more
    """

    def __post_init__(self) -> None:
        """Refuse invalid values, and keep the others in their own types."""
        group: Any = type(self)
        for name, check, may_be_none, wording in _checks(group):
            value = getattr(self, name)
            if value is not None or not may_be_none:
                self._set(name, check(value, wording))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def specified(self) -> dict[str, Any]:
        """The values that are not the defaults, by name."""
        values = ((each, getattr(self, each.name)) for each in fields(self))
        return {each.name: value for each, value in values if not _same(value, each.default)}


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


def settings_of(group: type[Any]) -> Iterator[tuple[str, str, Any, Setting]]:
    """Return the name, the type as text, the default and the `Setting` of each option."""
    for each in fields(group):
        if "setting" in each.metadata:
            yield each.name, str(each.type), each.default, each.metadata["setting"]


@cache
def _checks(group: Any) -> list[tuple[str, Check, bool, Wording]]:
    return [
        (name, found.check, default is None or "None" in kind, found.in_words(name))
        for name, kind, default, found in settings_of(group)
        if found.check is not None
    ]


def keywords_of(
    arguments: Callable[Arguments, Any],
    *,
    other_words: Mapping[str, str] | None = None,
    described_by: Collection[type[Settings]] = (),
) -> Callable[[Callable[..., Result]], Callable[Arguments, Result]]:
    """Give a function that takes groups of settings the keywords of a dataclass of all of them.

    The function gets each group that is the type of one of its parameters; other parameters get
    the argument of their name, and ``**further`` what was given besides. A group that has more
    options than the dataclass gets those that both have.
    """
    assert isinstance(arguments, type)
    groups = {base.__name__: base for base in arguments.__mro__ if base is not object}
    own = {each.name: each.metadata.get("setting") for each in fields(arguments)}
    elsewhere = {
        each.name
        for group in described_by
        for each in fields(group)
        if own[each.name] is each.metadata.get("setting")
    }
    described = {
        name: found for name, _, _, found in settings_of(arguments) if name not in elsewhere
    }
    public = inspect.signature(arguments)
    in_order = sorted(public.parameters.values(), key=lambda each: each.name in elsewhere)
    public = public.replace(parameters=in_order)

    def decorate(function: Callable[..., Result]) -> Any:
        private = inspect.signature(function)
        split = _splitting(private, public, {**_groups_known_to(function), **groups})
        name = function.__qualname__.removesuffix(".__init__").rpartition("<locals>.")[2]
        bound = [each for each in private.parameters.values() if each.name == "self"]
        # `inspect.Signature.bind` takes longer than a short call, so that it only words errors.
        positional = [
            each.name
            for each in public.parameters.values()
            if each.kind is each.POSITIONAL_OR_KEYWORD
        ]
        needed = {each.name for each in public.parameters.values() if each.default is each.empty}

        @wraps(function)
        def called(*places: Arguments.args, **keywords: Arguments.kwargs) -> Result:
            refuse_unknown(keywords, public.parameters, name, other_words)
            own = dict(zip(positional, places[len(bound) :], strict=False))
            given = own | keywords
            if len(given) < len(places) - len(bound) + len(keywords) or not needed <= given.keys():
                public.bind(*places[len(bound) :], **keywords)  # which says what is wrong
            return function(*places[: len(bound)], **split(given))

        parameters = [*bound, *public.parameters.values()]
        signature = public.replace(
            parameters=parameters, return_annotation=private.return_annotation
        )
        called.__signature__ = signature  # type: ignore[attr-defined]
        if bound:
            return _Constructor(called, described)
        called.__doc__ = _documented(function.__doc__ or "", described)
        return called

    return decorate


def made_of(
    arguments: Callable[Arguments, Any], **further: Any
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, Arguments], None]]:
    """Give ``__init__`` the keywords of a dataclass, as `keywords_of`; the class describes them."""
    return keywords_of(arguments, **further)


@dataclass(frozen=True)
class _Constructor:
    """Puts a constructor in its place, once the class is there whose docstring describes it."""

    function: Callable[..., Any]
    described: Mapping[str, Setting]

    def __set_name__(self, owner: type[Any], name: str) -> None:
        setattr(owner, name, self.function)
        owner.__doc__ = _documented(owner.__doc__ or "", self.described)


def _groups_known_to(function: Callable[..., Any]) -> dict[str, type[Any]]:
    """Return the groups of settings that the module of a function has, by name."""
    known = getattr(function, "__globals__", {}).items()
    return {
        name: each for name, each in known if isinstance(each, type) and issubclass(each, Settings)
    }


def _splitting(
    private: inspect.Signature, public: inspect.Signature, groups: Mapping[str, type[Any]]
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return what makes the arguments of a function from those it was called with."""
    kinds = {
        name: groups[str(parameter.annotation)]
        for name, parameter in private.parameters.items()
        if str(parameter.annotation) in groups
    }
    taken = {
        name: (kind, [each for each in fields(kind) if each.name in public.parameters])
        for name, kind in kinds.items()
    }
    names = {each.name for _, own in taken.values() for each in own} | {*private.parameters}
    defaults = {
        each.name: public.parameters[each.name].default
        for _, own in taken.values()
        for each in own
        if each.default is not MISSING
        and not _same(public.parameters[each.name].default, each.default)
    }
    further = any(
        each.kind is inspect.Parameter.VAR_KEYWORD for each in private.parameters.values()
    )

    alone = {
        name: each.default
        for name, each in public.parameters.items()
        if name in private.parameters and each.default is not inspect.Parameter.empty
    }

    def split(given: Mapping[str, Any]) -> dict[str, Any]:
        values = alone | {name: given[name] for name in private.parameters if name in given}
        for name, (kind, own) in taken.items():
            of_group = {**defaults, **given}
            known = (each.name for each in own if each.name in of_group)
            values[name] = kind(**{each: of_group[each] for each in known})
        if further:
            values |= {name: value for name, value in given.items() if name not in names}
        return values

    return split


def _documented(text: str, described: Mapping[str, Setting]) -> str:
    """Return a docstring with the options described after the parameters it describes itself."""
    lines = inspect.cleandoc(text).split("\n")
    own = {name for line in lines for name in line.split(", ")}
    more = [
        line
        for name, found in described.items()
        if name not in own and found.description
        for line in (name, *(f"    {each}" for each in _wrapped(found.description)))
    ]
    sections = [number for number, line in enumerate(lines) if set(line) == {"-"}]
    first = next((n for n in sections if lines[n - 1] == "Parameters"), None)
    assert first is not None, "a function with options describes its parameters"
    after = next((number - 1 for number in sections if number > first), len(lines))
    while not lines[after - 1]:
        after -= 1
    return "\n".join([*lines[:after], *more, *lines[after:]])


def _wrapped(text: str) -> Iterator[str]:
    """Return a description in lines; much faster than `textwrap`, as this runs at each import."""
    line = ""
    for word in text.split():
        if len(line) + len(word) > 90:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line
