"""Taking replacements for numbered sentences into a text, one at a time."""

import re
from collections.abc import Callable, Iterable

from bookwright.models.prose import paragraphs, sentence_pieces
from bookwright.models.retelling import Change

_NUMBER = re.compile(r"\[?\s*(\d{1,9})\.(\d{1,9})\s*\]?")


def changed(text: str, changes: Iterable[Change], fits: Callable[[str], bool]) -> str:
    """Return a text with the changes taken in that can be, in their order; `fits` refuses a text as it would become.

    A change whose sentences are not there, run over two paragraphs, or were changed already is passed over.
    """
    table = [sentence_pieces(paragraph) for paragraph in paragraphs(text)]
    taken: set[tuple[int, int]] = set()
    now = text
    for change in changes:
        places = _places(change, table)
        if not places or taken & set(places):
            continue
        row, start, end = places[0][0], places[0][1], places[-1][1]
        new = [list(pieces) for pieces in table]
        new[row][start : end + 1] = [_with_space(change.text, table[row][end]), *[""] * (end - start)]
        after = _joined(new)
        if after != now and fits(after):
            table, now = new, after
            taken |= set(places)
    return now


def _places(change: Change, table: list[list[str]]) -> list[tuple[int, int]]:
    first, last = _NUMBER.fullmatch(change.first.strip()), _NUMBER.fullmatch((change.last or change.first).strip())
    if first is None or last is None or first.group(1) != last.group(1):
        return []
    row, start, end = int(first.group(1)) - 1, int(first.group(2)) - 1, int(last.group(2)) - 1
    if not (0 <= row < len(table) and 0 <= start <= end < len(table[row])):
        return []
    return [(row, column) for column in range(start, end + 1)]


def _with_space(text: str, replaced: str) -> str:
    """The new words with the space that stood behind the old ones; nothing where there are none."""
    return text.strip() + replaced[len(replaced.rstrip()) :] if text.strip() else ""


def _joined(table: list[list[str]]) -> str:
    return "\n\n".join(body for row in table if (body := "".join(row).strip()))
