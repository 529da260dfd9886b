"""Estimators for scikit-learn: structures, classes and numbers by averaging over DAGs.

They follow the rules of scikit-learn, so that they can be cloned, put into pipelines and
cross-validated. `import arcwise.estimators` imports scikit-learn; nothing else here does.
"""

from arcwise.support.optional import optional

optional("sklearn", "arcwise.estimators", "'arcwise[sklearn]'")

from arcwise.estimators.classifier import ArcwiseClassifier  # noqa: E402
from arcwise.estimators.density import ArcwiseEstimator  # noqa: E402
from arcwise.estimators.regressor import ArcwiseRegressor  # noqa: E402

__all__ = ["ArcwiseClassifier", "ArcwiseEstimator", "ArcwiseRegressor"]
