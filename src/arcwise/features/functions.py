"""`FunctionOfDag`: any Python function of a DAG as a feature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.features.feature import Feature
from arcwise.graphs.dag import Dag
from arcwise.support.checks import true_or_false
from arcwise.support.words import shown

if TYPE_CHECKING:
    from arcwise.posterior.dag_sample import DagSample


@dataclass(frozen=True)
class FunctionOfDag(Feature):
    """A function of a `Dag` that returns a boolean or a number.

    It is called once for each distinct DAG of a sample.

    Parameters
    ----------
    function
        The function.
    is_event
        True if its values are to be taken as booleans, which is required to combine the
        feature with others. If False, they are numbers unless all of them are booleans.

    Examples
    --------
    >>> import arcwise
    >>> sparse = FunctionOfDag(lambda dag: dag.number_of_edges < 2, is_event=True)
    >>> sparse.values(arcwise.results.DagSample(["a", "b"], np.array([[0, 1], [0, 0]])))
    array([ True,  True])
    """

    function: Callable[[Dag], Any]
    is_event: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(f"function is {shown(self.function)}; give a function of a Dag")
        true_or_false(self.is_event, "is_event")

    def values(self, sample: DagSample) -> NDArray[Any]:
        """Return the value of the function for each DAG."""
        distinct, place = sample.distinct()
        found = [self.function(dag) for dag in distinct]
        boolean = self.is_event or all(isinstance(value, bool | np.bool_) for value in found)
        values = np.array([bool(v) if boolean else float(v) for v in found])
        return values[place]

    def __str__(self) -> str:
        """Return the name of the function."""
        return f"function {getattr(self.function, '__name__', type(self.function).__name__)}"
