"""Docstrings, which are written for Python and Sphinx, as the site's Markdown."""

import inspect
import pydoc
import re

from griffe import Extension

from zoo.backend import quiet_tensorflow

quiet_tensorflow()  # which is imported where a docstring's reference is looked up

ROLE = re.compile(r":(?:class|func|meth|data|mod|attr):`~?([\w.]+)`")
# Sections by the names that the site's reader of docstrings knows.
SECTIONS = {"Example:": "Examples:", "Call arguments:": "Keyword Args: Call arguments"}


def _reference(found: re.Match) -> str:
    """A link where the reference shows the full name; what does not exist fails a strict build."""
    name = found[1]
    if not name.startswith("zoo."):
        return f"`{name}`"
    if pydoc.locate(name) is None:
        return f"[`{name}`][{name}]"
    return f'<autoref identifier="{name}" optional><code>{name}</code></autoref>'


def _with_settings(obj) -> str:
    """The docstring with the settings that it gets at import, which all have defaults."""
    before, after = obj.docstring.value.split("{settings}")
    whole = inspect.getdoc(pydoc.locate(obj.path))
    settings = whole[len(before) : len(whole) - len(after)]
    return f"{before.rstrip()}\n\nKeyword Args: Settings\n    {settings}{after}"


class Roles(Extension):
    """Makes ``:func:`zoo.train` `` a link, and shows the settings that docstrings get at import."""

    def on_instance(self, *, obj, **kwargs):
        if obj.docstring is None:
            return
        if "{settings}" in obj.docstring.value:
            obj.docstring.value = _with_settings(obj)
        lines = ROLE.sub(_reference, obj.docstring.value).splitlines()
        obj.docstring.value = "\n".join(SECTIONS.get(line, line) for line in lines)
