"""The model: a local score and a structure prior on the same families."""

from arcwise.model.model import Model
from arcwise.model.targets import Target, as_target

__all__ = ["Model", "Target", "as_target"]
