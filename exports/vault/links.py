"""Links between the pages of a vault: `[[Cosmology]]` means a title, and an editor looks for a file of that name.

So a page is written with `[[1.4 Cosmology|Cosmology]]`, which editors of such folders follow, and read back without.
"""

import re
from collections.abc import Mapping

from bookwright.exports.vault.names import safe_name
from bookwright.models.codex.entries import folded

_LINK = re.compile(r"\[\[([^\[\]|\n]{1,160})\]\]")
_LED = re.compile(r"\[\[1(?:\.[1-9][0-9]*)+ ([^\[\]|\n]+?)\\?\|([^\[\]|\n]{1,160})\]\]")
_SURE = 60
"""Bytes of a title that a file's name begins with for sure, however long the title is."""


def linked(text: str, files: Mapping[str, str]) -> str:
    """Return a text whose links lead to files; `files` has their names, without an ending, by folded title."""

    def led(line: str) -> str:
        bar = r"\|" if line.lstrip().startswith("|") else "|"  # in a table a bare one would end the cell

        def to_file(found: re.Match[str]) -> str:
            file = files.get(folded(found[1]))
            return f"[[{file}{bar}{found[1]}]]" if file and file != found[1] else found[0]

        return _LINK.sub(to_file, line)

    return "\n".join(map(led, text.split("\n")))


def unlinked(text: str) -> str:
    """Return a text as the book has it: links that `linked` made go by their title alone again."""

    def to_title(found: re.Match[str]) -> str:
        is_ours = folded(found[1]).startswith(folded(safe_name(found[2], _SURE)))
        return f"[[{found[2]}]]" if is_ours else found[0]

    return _LED.sub(to_title, text)
