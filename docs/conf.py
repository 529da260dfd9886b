"""The documentation site: `make docs` builds it, with every example run and every link checked."""

from __future__ import annotations

import sys
from pathlib import Path

import arcwise

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

project = "arcwise"
author = "the arcwise developers"
copyright = "the arcwise developers"
version = release = arcwise.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    # of docs/extensions
    "executed",
    "commands",
    "public_names",
    "mathml",
]
exclude_patterns = ["extensions"]

# The text of the pages.
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
nitpicky = True
smartquotes = False  # they would make a dash of the -- of an option
html_math_renderer = "mathml"

# The reference, from docstrings.
default_role = "py:obj"  # a name in a docstring is a link where it is public
suppress_warnings = ["ref.python"]  # `variables` is an attribute of several classes: any will do
add_module_names = False
autodoc_typehints = "none"  # signatures would be lines long; the docstrings say what is taken
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"arcwise {release}"
html_favicon = "static/icon.svg"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#1f4e79",
        "color-brand-content": "#1f5f99",
    },
    "dark_css_variables": {
        "color-brand-primary": "#8fbde8",
        "color-brand-content": "#8fbde8",
    },
}
