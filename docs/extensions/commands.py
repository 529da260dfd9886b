"""The directive ``{commands}``: all sub-commands of the shell, generated from their help."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from arcwise.cli.app import application

_MARKUP = re.compile(r"\[/?(?:bold|dim|italic|cyan|green|yellow)\]")


class Commands(SphinxDirective):
    """Sections for all sub-commands, each with its help and its options."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        group: Any = application()
        return [self._section(name, command) for name, command in group.commands.items()]

    def _section(self, name: str, command: Any) -> nodes.section:
        section = nodes.section(ids=[f"arcwise-{name}"], names=[f"arcwise {name}"])
        self.state.document.note_implicit_target(section)
        section += nodes.title("", f"arcwise {name}")
        context = command.make_context(name, [], resilient_parsing=True)
        words = " ".join(command.collect_usage_pieces(context))
        usage = f"arcwise {name} {words}"
        section += nodes.literal_block(usage, usage, language="text")
        for paragraph in _MARKUP.sub("", command.help or "").split("\n\n"):
            example = re.fullmatch(r"Examples?:\s*(.*)", " ".join(paragraph.split()))
            if example:
                section += nodes.literal_block(example[1], example[1], language="text")
            else:
                section += nodes.paragraph("", " ".join(paragraph.split()))
        panels: dict[str, list[Any]] = {}
        for parameter in command.params:
            panel = getattr(parameter, "rich_help_panel", None) or (
                "Arguments" if parameter.param_type_name == "argument" else "Options"
            )
            panels.setdefault(panel, []).append(parameter)
        for title, parameters in panels.items():
            section += nodes.rubric("", title)
            section += self._table(parameters)
        return section

    def _table(self, parameters: list[Any]) -> nodes.definition_list:
        listed = nodes.definition_list(classes=["options"])
        for parameter in parameters:
            if parameter.param_type_name == "argument":
                word = parameter.metavar or parameter.name.upper()
            else:
                word = ", ".join([*parameter.opts, *parameter.secondary_opts])
                word = f"{word} {parameter.metavar or ''}".strip()
            text = _MARKUP.sub("", parameter.help or "")
            default = _default(parameter)
            item = nodes.definition_list_item()
            item += nodes.term("", "", nodes.literal(word, word))
            item += nodes.definition("", nodes.paragraph("", f"{text}{default}"))
            listed += item
        return listed


def _default(parameter: Any) -> str:
    value = parameter.default
    if not getattr(parameter, "show_default", False) or value in (None, False, "", (), []):
        return ""
    if callable(value) or not isinstance(value, (str, int, float)):
        value = getattr(value, "value", None)
        if value is None:
            return ""
    return f" Default: {value}."


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
