"""Where to draw the nodes of a directed graph: in layers, edges downwards, few crossings."""

from arcwise.layout.drawing import Drawing, layered_drawing, layered_layout

__all__ = ["Drawing", "layered_drawing", "layered_layout"]
