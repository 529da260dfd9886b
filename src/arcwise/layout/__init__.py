"""The layout of pictures on the report page and in plots: places, routes, labels and colours.

A network is drawn in layers, with edges downwards and few crossings; a large one in modules.
"""

from arcwise.layout.drawing import Drawing, layered_drawing

__all__ = ["Drawing", "layered_drawing"]
