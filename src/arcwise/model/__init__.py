"""The model: a local score and a structure prior on the same families."""

from arcwise.model.model import Model, ask
from arcwise.model.question import Question
from arcwise.model.scoring import score
from arcwise.model.targets import Target, as_target

__all__ = ["Model", "Question", "Target", "as_target", "ask", "score"]
