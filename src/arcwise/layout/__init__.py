"""What pictures on the page and in plots have in common: places, routes, labels and colours.

A network is drawn in layers, edges downwards with few crossings; a large one in modules.
"""

from arcwise.layout.drawing import Drawing, layered_drawing

__all__ = ["Drawing", "layered_drawing"]
