"""The estimators pass scikit-learn's own checks, all of them: none is expected to fail.

One of them asks for arrays of other libraries, and is run only where the environment variable
SCIPY_ARRAY_API is set before scipy is imported, as `make test-neighbours` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from arcwise.estimators import ArcwiseClassifier, ArcwiseEstimator, ArcwiseRegressor


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [ArcwiseEstimator(), ArcwiseClassifier(), ArcwiseRegressor(), ArcwiseClassifier(missing="drop")]
)
def test_scikit_learn_accepts_them(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
