"""`Model`: a local score and a structure prior, and their weights over the ordinary variables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data.profile import DataProfile
from arcwise.errors import ArgumentError, ConstraintError, option
from arcwise.families import Families
from arcwise.families.edges import as_dag
from arcwise.families.families import SYNONYMS, ConstraintArguments, parent_names
from arcwise.graphs.dag import Dag
from arcwise.model.question import Definition, Question
from arcwise.model.scoring import ScoringRun, score_families
from arcwise.priors import PriorTerms, Uniform
from arcwise.scores import FamilyScores
from arcwise.support.checks import file_path, one_of
from arcwise.support.html import card, facts
from arcwise.support.names import Description, plural, quoted, shown, words_of
from arcwise.support.plain import PlainDataclasses
from arcwise.support.running import Progress, Run, running
from arcwise.support.settings import Settings, made_of

Modularity = Literal["modular", "order-modular"]
"""The prior of a DAG: the product of its family weights, or that times its number of orders."""


def as_modularity(value: Any) -> Modularity:
    """Return the modularity, or refuse any other value."""
    found: Modularity = one_of(Modularity)(value, option("modularity"))
    return found


@dataclass(frozen=True)
class _OfData(Settings):
    data: Any


@dataclass(frozen=True)
class _Arguments(ScoringRun, Definition, _OfData):
    """The arguments of `Model`."""

    _: KW_ONLY
    file: str | os.PathLike[str] | None = None


class Model:
    """A local score and a structure prior: the log weight of every family.

    The unnormalised posterior probability of a DAG is the product of the weights of its
    families, prior times marginal likelihood; all algorithms read only these weights.

    Besides the arguments described here, it takes constraints, such as `max_indegree` and
    `required_edges`, which say which families are allowed; see `ConstraintArguments`. Precomputed
    scores of families that violate a constraint are left out.

    Parameters
    ----------
    data
        Anything `arcwise.read` takes, a list of names if the score is a
        function, or precomputed `FamilyScores` (also as a path to a .jkl file).
    score
        See `arcwise.score`; leave it out with precomputed scores.
    prior
        A `Prior`, a product of priors, a name such as ``"fair"``, or a function
        of a node and its parents that returns a log weight. None for `Sparse`, with
        one expected parent, or with precomputed scores and functions for the uniform
        one. ``"by-evidence"``: `Sparse` with the expected number of parents that maximises the
        evidence, together with the equivalent sample size unless a score is given, as `learn`
        and the shell choose them.
    edge_probabilities
        Prior probabilities of edges, as in ``{("smoke", "lung"): 0.9}``; for all other edges
        the prior is unchanged. See `arcwise.priors.EdgeProbabilities` for other forms, and for
        the effect of acyclicity on them.
    candidates, plus_one
        See `Families.of`.
    engine
        Where families are scored: None for threads of this process, or a cluster; see `mcmc`.
    device
        ``"gpu"`` to score on a graphics processor; see `arcwise.score`.
    seconds
        The time limit: a number, or a `Deadline` that this call shares with others. If it does
        not suffice to score all families, a `TimeIsUpError` is raised.
    threads
        The number of threads; None for all cores.
    progress
        True for a progress bar, or a function of the fraction done.
    file
        A file in which scores are saved as they are computed, if that takes more than a few
        seconds: after an interruption, the same call resumes from it, with the same result.

    Raises
    ------
    ConstraintError
        If the constraints contradict each other, or a node has no family left.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 500, seed=1)
    >>> model = Model(data, prior="fair", max_indegree=2, forbidden_edges=[("dysp", "smoke")])
    >>> model.log_weight("smoke", ["dysp"])
    -inf
    """

    stored: ClassVar[bool] = False
    """Whether only weights from a run directory are available, without data and score."""

    @made_of(_Arguments, other_words=SYNONYMS, described_by=(ConstraintArguments,))
    def __init__(
        self,
        data: Any,
        definition: Definition,
        run: Run,
        file: str | os.PathLike[str] | None = None,
    ) -> None:
        path = None if file is None else file_path(file, "file")
        self._score(Question.of(data, definition), run, path)

    def _score(self, question: Question, run: Run, file: Path | None) -> None:
        self.question = question
        self.constraints, self.prior = question.constraints, question.prior
        self.data, self.score = question.table, question.score
        self.scores = score_families(question, run, file)
        self.variables = self.scores.variables
        self.prior_terms: PriorTerms = self.prior.terms(self.variables)
        self.weights = self._weigh()
        _refuse_empty(self.weights)

    def __repr__(self) -> str:
        """Show the number of variables and families, the score and the prior."""
        return (
            f"<Model: {len(self.variables)} variables, {len(self.scores)} families, "
            f"score {self.score!r}, prior {self.prior!r}>"
        )

    def _repr_html_(self) -> str:
        """Return the parts of the model as a table, for notebooks."""
        constraints = self.constraints.resolve(self.variables).as_dict(self.variables)
        return card(
            f"Model of {plural(len(self.variables), 'variable')}",
            facts(
                {
                    "rows": None if self.data is None else self.data.rows,
                    "score": "given, not computed" if self.score is None else words_of(self.score),
                    "prior": words_of(self.prior),
                    **{name.replace("_", " "): shown(given) for name, given in constraints.items()},
                    "families scored": len(self.scores),
                }
            ),
        )

    def _weigh(self) -> FamilyScores:
        """Return scores plus log prior weights; the scores themselves if the prior is uniform."""
        if isinstance(self.prior, Uniform):
            return self.scores
        table = self.scores.table.copy()
        self._add_prior(table)
        return FamilyScores(self.variables, table)

    def _add_prior(self, table: _core.FamilyTable) -> None:
        terms = self.prior_terms
        table.add_prior(terms.constant, terms.size, terms.edge)
        if terms.functions:
            for node, name in enumerate(self.variables):
                values = table.values(node)
                for family, parents in enumerate(parent_names(table, node, self.variables)):
                    values[family] += terms.log_weight_by_functions(name, parents)
        self.question.condition(table)

    def prior_weights(self) -> FamilyScores:
        """Return the log prior weight of every family: the model without data."""
        table = self.scores.table.copy()
        for node in range(len(self.variables)):
            table.values(node)[:] = 0.0
        self._add_prior(table)
        return FamilyScores(self.variables, table)

    def with_candidates(
        self,
        candidates: Any,
        *,
        plus_one: bool = False,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Model:
        """Return a model with the same data, score, prior and constraints but other candidates.

        Parameters
        ----------
        candidates, plus_one
            See `Families.of`.
        threads, progress
            As for the model.

        Examples
        --------
        >>> model = Model(["a", "b", "c"], lambda node, parents: 0.0)
        >>> len(model.with_candidates({"c": ["a"]}).scores)
        4
        """
        other = replace(self.question, candidates=candidates, plus_one=plus_one)
        return model_of(other, Run(threads=threads, progress=progress))

    @property
    def parent_only(self) -> tuple[str, ...]:
        """The variables that have children only; see `Constraints`."""
        return self.question.parent_only

    @property
    def ordinary(self) -> tuple[str, ...]:
        """The variables that are not parent-only: those that have a position in the order."""
        return self.question.ordinary

    @cached_property
    def folded(self) -> FoldedWeights:
        """The weights over the ordinary variables, which the algorithms run on."""
        return FoldedWeights.of(self.variables, self.parent_only, self.weights.table)

    def log_weight(self, node: str, parents: Iterable[str]) -> float:
        """Return the log weight of one family; minus infinity if it is not allowed."""
        return self.weights.log_score(node, parents)

    def log_weight_of(self, dag: Any) -> float:
        """Return the unnormalised log posterior of a DAG under the modular prior.

        Parameters
        ----------
        dag
            A `Dag`, or edges in any form `Constraints` takes, such as a networkx DiGraph.
        """
        dag = as_dag(dag, self.variables, "dag")
        if set(dag.variables) != set(self.variables):
            raise ArgumentError(
                f"the DAG has the variables {quoted(dag.variables)}; "
                f"the model has {quoted(self.variables)}"
            )
        return sum(self.log_weight(node, dag.parents(node)) for node in self.variables)

    def provenance(self) -> Provenance:
        """Return a description of the model and the data, for results."""
        return Provenance(
            version=_core.version,
            score=None if self.score is None else Description.of(self.score),
            prior=Description.of(self.prior),
            constraints=self.constraints.resolve(self.variables).as_dict(self.variables),
            candidates=self._candidate_names(),
            plus_one=self.families is not None and any(self.families.outside),
            families=len(self.scores),
            rows=None if self.data is None else self.data.rows,
            data_fingerprint=None if self.data is None else self.data.fingerprint,
            data=self._data_profile,
            data_name=None if self.data is None else self.data.name,
            modelled_fingerprint=self._modelled_fingerprint,
        )

    @cached_property
    def _modelled_fingerprint(self) -> str | None:
        """The fingerprint of the ordinary variables; None if all variables are ordinary."""
        if self.data is None or not self.parent_only:
            return None
        return self.data.select(self.ordinary).fingerprint

    @cached_property
    def _data_profile(self) -> DataProfile | None:
        if self.data is None or self.score is None:
            return None
        found = self.score.law(self.data)
        return DataProfile.of(self.data, None if found is None else found.kind)

    def _candidate_names(self) -> dict[str, tuple[str, ...]] | None:
        """Return the candidates of each variable; None if they exclude no parent."""
        rule = self.families
        if rule is None:
            return None
        names = self.variables
        resolved = self.constraints.resolve(names)
        chosen = {
            name: tuple(names[parent] for parent in rule.candidates[node])
            for node, name in enumerate(names)
        }
        free = (resolved.allowed & ~resolved.required).sum(axis=0).tolist()
        return None if [len(parents) for parents in chosen.values()] == free else chosen

    @cached_property
    def families(self) -> Families | None:
        """The families as a rule, or None if they are listed explicitly, as in a file."""
        return Families.of_table(self.variables, self.scores.table)


def model_of(question: Question, run: Run, file: Path | None = None) -> Model:
    """Return the model of a question, and save its scores in a file if one is given."""
    made = Model.__new__(Model)
    made._score(question, run, file)
    return made


def ask(data: Any, definition: Definition) -> Model | Question:
    """Return the given model, or else the question that data and definition state."""
    if not isinstance(data, Model):
        return Question.of(data, definition)
    definition.refuse_beside("a model")
    return data


def _refuse_empty(weights: FamilyScores) -> None:
    empty = [
        name
        for node, name in enumerate(weights.variables)
        if not np.isfinite(weights.table.values(node)).any()
    ]
    if empty:
        raise ConstraintError(
            f"the constraints and the prior leave no parent set for {quoted(empty)}; "
            "relax those that concern them"
        )


def checked_model(value: object) -> Model:
    """Return a model, or refuse anything else, such as the data themselves."""
    if not isinstance(value, Model):
        raise ArgumentError(
            f"model is of type {type(value).__name__}; give an arcwise.Model, as "
            "arcwise.Model(table, prior='by-evidence') makes it, or use arcwise.learn, which takes "
            "data"
        )
    return value


@dataclass(frozen=True)
class Provenance:
    """The model and the data behind a result; None where unknown.

    Examples
    --------
    >>> import arcwise
    >>> provenance = arcwise.Model({"a": [0, 1, 1], "b": [1, 0, 1]}).provenance()
    >>> provenance.rows, provenance.score.name
    (3, 'BDeu')
    """

    version: str | None = None  # the version of arcwise
    score: Description | None = None
    prior: Description | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)  # as `Model` takes them
    # The candidate parents of each variable; None if they exclude no parent.
    candidates: Mapping[str, tuple[str, ...]] | None = None
    plus_one: bool = False  # whether a parent set may have one parent that is not a candidate
    families: int | None = None  # the number of parent sets that were scored
    rows: int | None = None  # the number of rows of the data
    data_fingerprint: str | None = None
    data: DataProfile | None = None  # properties of the data that bear on the reliability
    data_name: str | None = None  # the name of the file of the data, without its folder
    # The fingerprint of the ordinary variables, whose evidence is conditional on the parent-only
    # ones. None if there are no parent-only variables.
    modelled_fingerprint: str | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that only a damaged file can contain."""
        if (self.rows is not None and self.rows < 1) or (self.families or 0) < 0:
            raise ValueError(f"{self.rows} rows and {self.families} families")

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, with score and prior as text."""
        profile = PlainDataclasses().write(self.data)
        return {
            "arcwise": self.version,
            "score": None if self.score is None else self.score.text,
            "prior": None if self.prior is None else self.prior.text,
            "constraints": dict(self.constraints),
            "candidates": None
            if self.candidates is None
            else {node: list(parents) for node, parents in self.candidates.items()},
            "plus_one": self.plus_one,
            "families": self.families,
            "rows": self.rows,
            "data_fingerprint": self.data_fingerprint,
            **({} if profile is None else {"data": profile}),
            "data_name": self.data_name,
            **(
                {}
                if self.modelled_fingerprint is None
                else {"modelled_fingerprint": self.modelled_fingerprint}
            ),
        }


# Another seed, so that unfolding and the draws that it unfolds use independent random numbers.
_OTHER_SEED = 0x0F_01DED_5EED


@dataclass(frozen=True, eq=False)
class FoldedWeights:
    """Log weights of families over the ordinary variables, and their unfolding over all variables.

    Parent-only variables have children only. Weights of families with the same ordinary parents
    are summed over their parent-only parents, so that spaces, moves and exact computation involve
    the ordinary variables alone; draws and probabilities are unfolded afterwards.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(["a", "b", "z"], lambda v, parents: 0.0, parent_only="z")
    >>> model.folded.ordinary, model.folded.table.values(0).round(6).tolist()  # log 2
    (('a', 'b'), [0.693147, 0.693147])
    """

    variables: tuple[str, ...]  # all variables
    ordinary: tuple[str, ...]  # those that are not parent-only, in the same order
    weights: _core.FamilyTable  # the log weights over all variables
    core: _core.FoldedFamilies | None  # the folded families; None if all variables are ordinary

    @classmethod
    def of(
        cls, variables: tuple[str, ...], parent_only: Sequence[str], weights: _core.FamilyTable
    ) -> FoldedWeights:
        """Sum the weights of a model over parent-only parents."""
        if not parent_only:
            return cls(variables, variables, weights, None)
        places = [place for place, name in enumerate(variables) if name in parent_only]
        ordinary = tuple(name for name in variables if name not in parent_only)
        with running(None, None, "") as run:
            core = _core.FoldedFamilies(weights, places, run.threads, run.progress)
        return cls(variables, ordinary, weights, core)

    @property
    def table(self) -> _core.FamilyTable:
        """The log weights of ordinary parent sets: sums over the parent-only parents."""
        return self.weights if self.core is None else self.core.sums

    @property
    def maxima(self) -> _core.FamilyTable:
        """The largest log weight of a family with each ordinary parent set."""
        return self.weights if self.core is None else self.core.maxima

    @property
    def families(self) -> int:
        """The number of ordinary parent sets of all variables."""
        return sum(self.table.count(node) for node in range(len(self.ordinary)))

    def probabilities(
        self, families: _core.FamilyTable, edges: NDArray[np.float64]
    ) -> tuple[_core.FamilyTable, NDArray[np.float64]]:
        """Return the probabilities of all families and edges from those of ordinary ones."""
        if self.core is None:
            return families, edges
        return self.core.probabilities(self.weights, families)

    def draws(self, parents: NDArray[Any], seed: int, first: int) -> NDArray[Any]:
        """Return DAGs over all variables, given drawn DAGs over the ordinary ones."""
        if self.core is None:
            return parents
        return self.core.draw(_packed(parents), seed ^ _OTHER_SEED, first)

    def best(self, dag: Dag) -> Dag:
        """Return a DAG of the ordinary variables with the best parent-only parents added."""
        if self.core is None:
            return dag
        place = {name: number for number, name in enumerate(self.ordinary)}
        rows = np.zeros((1, len(place), (len(place) + 63) // 64), dtype=np.uint64)
        for name, number in place.items():
            for parent in dag.parents(name):
                rows[0, number, place[parent] // 64] |= np.uint64(1 << (place[parent] % 64))
        (found,) = self.core.best(rows)
        bits = np.unpackbits(
            np.ascontiguousarray(found, dtype="<u8").view(np.uint8), axis=1, bitorder="little"
        )
        return Dag.from_matrix(self.variables, bits[:, : len(self.variables)].T.astype(np.bool_))

    def restricted(self, dag: Dag) -> Dag:
        """Return a DAG without its parent-only variables."""
        if self.core is None:
            return dag
        kept = set(self.ordinary)
        return Dag(self.ordinary, {v: kept.intersection(dag.parents(v)) for v in self.ordinary})


def _packed(parents: NDArray[Any]) -> NDArray[np.uint64]:
    whole = parents[:, :, np.newaxis] if parents.ndim == 2 else parents
    return np.ascontiguousarray(whole, dtype=np.uint64)
