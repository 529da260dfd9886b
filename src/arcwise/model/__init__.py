"""The model: a local score and a structure prior on the same families."""

from arcwise.model.model import Model, ask, checked_model
from arcwise.model.modularity import Modularity, as_modularity
from arcwise.model.question import Question
from arcwise.model.scoring import score

__all__ = ["Model", "Modularity", "Question", "as_modularity", "ask", "checked_model", "score"]
