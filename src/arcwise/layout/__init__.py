"""Layered drawing of directed graphs: edges point downwards, with few crossings."""

from arcwise.layout.drawing import Drawing, layered_drawing, layered_layout

__all__ = ["Drawing", "layered_drawing", "layered_layout"]
