"""DAGs as structural equations, ``y ~ x + z``: the language of lavaan, pathmc and pgmpy."""

from __future__ import annotations

import re
from collections.abc import Iterable

from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.support.checks import instance
from arcwise.support.names import as_list
from arcwise.support.words import quoted, shown

# What all of them take for a name.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TERM = re.compile(rf"(?:{_NAME.pattern}\s*\*\s*)?({_NAME.pattern})")


def to_equations(dag: Dag) -> str:
    """Return a DAG as structural equations, one line for each variable that has parents.

    ``lavaan::sem`` (R), ``pathmc.model`` and ``pgmpy.base.DAG.from_lavaan`` read them.

    Parameters
    ----------
    dag
        The DAG, such as ``posterior.map_dag``. Variables without edges are in no equation.

    Raises
    ------
    ArgumentError
        If a variable's name has other characters than letters, digits and ``_``.

    Examples
    --------
    >>> print(to_equations(Dag(["x", "m", "y"], {"m": ["x"], "y": ["x", "m"]})))
    m ~ x
    y ~ x + m
    """
    instance(dag, Dag, "dag", "an arcwise.Dag")
    wrong = [name for name in dag.variables if not _NAME.fullmatch(name)]
    if wrong:
        raise ArgumentError(
            f"dag has variables that equations cannot name, {quoted(wrong)}; rename them with "
            "letters, digits and '_'"
        )
    parents = {name: dag.parents(name) for name in dag.variables}
    return "\n".join(f"{name} ~ {' + '.join(each)}" for name, each in parents.items() if each)


def from_equations(equations: str, variables: Iterable[str] | None = None) -> Dag:
    """Return the DAG of structural equations.

    Parameters
    ----------
    equations
        Lines (or parts separated by ``;``) such as ``y ~ x + b*z``. Labels of coefficients,
        intercepts, comments and definitions (``:=``) are left out.
    variables
        The names of the nodes in their order; None for those in the equations, in the order of
        their first occurrence.

    Raises
    ------
    ArgumentError
        If there are other parts, as of latent variables and covariances, or a cycle.

    Examples
    --------
    >>> from_equations("m ~ a*x; y ~ b*m + c*x; indirect := a*b")
    Dag(3 variables, 3 edges: x -> m, x -> y, m -> y)
    """
    if not isinstance(equations, str):
        raise ArgumentError(f"equations is {shown(equations)}; give a text such as 'y ~ x + z'")
    edges: list[tuple[str, str]] = []
    # A line that begins with + goes on with the one before.
    text = re.sub(r"\n\s*\+", " +", re.sub(r"#[^\n]*", "", equations))
    for part in filter(None, map(str.strip, re.split(r"[;\n]", text))):
        if ":=" in part:
            continue
        target, sign, rest = (each.strip() for each in part.partition("~"))
        terms = [term.strip() for term in rest.split("+")]
        matches = [_TERM.fullmatch(term) for term in terms if term not in ("0", "1")]
        if not sign or not _NAME.fullmatch(target) or not all(matches):
            raise ArgumentError(
                f"equations holds {shown(part)}; give equations such as 'y ~ x + z', without "
                "latent variables, covariances and functions"
            )
        edges += [(match[1], target) for match in matches if match]
    names = (
        dict.fromkeys(name for edge in edges for name in edge)
        if variables is None
        else as_list(variables, "variables", "a list of names")
    )
    return Dag.from_edges(names, edges)
