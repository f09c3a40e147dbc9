"""Changing a text passage by passage, by the numbers of its sentences, as far as that does no damage."""

import re
from collections.abc import Callable, Iterable, Sequence

from bookwright.models.frozen import FrozenModel
from bookwright.models.text.binding import demand
from bookwright.models.text.language import Language
from bookwright.models.text.length import LengthRange
from bookwright.models.text.prose import is_scene_break, joined, paragraphs, pieces

_NUMBER = re.compile(r"\[?\s*(\d{1,9})\.(\d{1,9})\s*\]?")
_NEW_PARAGRAPH = re.compile(r"[^\S\n]*\n[^\S\n]*\n")
"""A blank line before what is written in a passage's place: it begins a paragraph of its own."""
_PARAGRAPH_ENDS = re.compile(r"\n[^\S\n]*\n\s*\Z")
"""A blank line behind it: what stood behind the passage begins one."""
_PAIRS = tuple((pair[0], pair[1]) for pair in ("“”", "‘’", "「」", "『』", "«»", "（）", "()", "《》", "【】"))
_ALIKE = ('"', "*", "＂", "_")
"""Marks that open and close with the same sign: an even number of them is balanced."""
_APOSTROPHE = re.compile(r"(?<=\w)[’']|[’'](?=\d)")


class Change(FrozenModel):
    """A passage of consecutive sentences in another wording, or dropped."""

    first: str
    """Number of its first sentence, such as `"12.3"`."""
    last: str = ""
    """Number of its last sentence; empty for a passage of one."""
    text: str = ""
    """The wording in its place; empty to drop it."""


class Changes(FrozenModel):
    """What is to be changed in a text, in the order in which it is taken: least loss first, or most needed first."""

    changes: tuple[Change, ...] = ()


def shortened(
    text: str, changes: Iterable[Change], limits: LengthRange, language: Language, bound: Sequence[str]
) -> str:
    """Carry out changes in the order given until the text is down to its limit.

    Passed over is a change that names no passage, one that was changed already or one that holds the first or
    the last sentence of the text or what a line of `bound` demands; one whose wording is no shorter than what it
    replaces; one that would break a quotation; one that would leave too little.
    """
    table = _Table(text, language, bound)
    for change in changes:
        if table.length <= limits.high:
            break
        table.carry_out(change, limits.low)
    return table.text


def repaired(
    text: str, changes: Iterable[Change], limits: LengthRange, language: Language, tells: Callable[[str], bool]
) -> str:
    """Carry out changes as one set; those of a set that would be too long or too short are left out from its end.

    Of those, whatever fits beside the others after all is taken again, the first first. Passed over is a change that
    names no passage or one that was changed already, one that breaks a quotation, and one whose words `tells` refuses.
    A text that is out of its limits may stay so, but is not led further out.
    """
    low, high = min(limits.low, language.measure(text)), max(limits.high, language.measure(text))
    wanted = [change for change in changes if not (change.text and tells(change.text))]
    taken = list(wanted)
    while True:
        table, gained = _repaired(text, taken, language)
        if low <= table.length <= high:
            break
        is_long = table.length > high
        taken.pop(max(place for place, more in enumerate(gained) if (more > 0 if is_long else more < 0)))
    for change in wanted:
        if change in taken:
            continue
        more, _ = _repaired(text, [each for each in wanted if each in taken or each is change], language)
        if low <= more.length <= high:
            taken.append(change)
            table = more
    return table.text


def _repaired(text: str, changes: Sequence[Change], language: Language) -> tuple["_Table", list[int]]:
    """Carry out all changes that break nothing; return the text, and how much longer it is by each."""
    table = _Table(text, language, ())
    return table, [table.repair(change) for change in changes]


def is_balanced_like(text: str, other: str) -> bool:
    """True if what a text leaves open of quotations, brackets and emphasis is what another one does."""
    return _open_marks(text) == _open_marks(other)


class _Table:
    """A text's sentences by paragraph and place, while it is being shortened."""

    def __init__(self, text: str, language: Language, bound: Sequence[str]) -> None:
        self._rows = [pieces(paragraph) for paragraph in paragraphs(text)]
        places = [(row, column) for row, parts in enumerate(self._rows) for column in range(len(parts))]
        self._ends = {*places[:1], *places[-1:]}
        self._measure = language.measure
        self._bound = bound
        self._touched: set[tuple[int, int]] = set()
        self._runs_on: dict[int, int] = {}
        """Paragraphs whose beginning was changed together with the end of an earlier one, which they go on with."""
        self.length = language.measure(text)

    @property
    def text(self) -> str:
        """The text as it stands now."""
        told = ["".join(row) for row in self._rows]
        for row in sorted(self._runs_on, reverse=True):
            before = told[self._runs_on[row]]
            told[self._runs_on[row]] = (before.rstrip() if told[row].startswith("\n") else before) + told[row]
            told[row] = ""
        return joined(told)

    def carry_out(self, change: Change, least: int) -> None:
        """Make a change that does no damage: the text gets shorter by it, and not shorter than `least`."""
        span = self._span(change)
        if span and least - self.length <= self._gain(change, span) < 0 and not self._is_kept(span):
            self._make(change, span)

    def repair(self, change: Change) -> int:
        """Make a change of any length if it breaks nothing; return how much longer the text is by it.

        What is left of the last paragraph of a passage goes on where the words end, unless these end with a blank line.
        """
        span = self._span(change)
        if not span or not self._touched.isdisjoint(span):
            return 0
        (first, _), (last, column) = span[0], span[-1]
        if first == last or not "".join(self._rows[last][column + 1 :]).strip() or self._parts(change, first, last):
            return self._make(change, span)
        return self._make(change, span, last)

    def _gain(self, change: Change, span: Sequence[tuple[int, int]]) -> int:
        """How much longer the text would be by a change; below 0 for one that shortens it."""
        return self._measure(change.text) - sum(self._measure(self._rows[row][column]) for row, column in span)

    def _parts(self, change: Change, first: int, last: int) -> bool:
        """True for a change that parts paragraphs: it strikes a passage, ends with a blank line, or ends a scene."""
        if not change.text.strip() or _PARAGRAPH_ENDS.search(change.text):
            return True
        return any(is_scene_break("".join(self._rows[row])) for row in range(first, last))

    def _make(self, change: Change, span: Sequence[tuple[int, int]], joined_row: int | None = None) -> int:
        """Make a change if it breaks no paragraph; return how much longer the text is by it.

        A paragraph whose beginning is changed, and that goes on with the words, is whole together with them.
        """
        new = self._changed(span, change.text)
        if joined_row is not None:
            if not is_balanced_like("".join(new[span[0][0]] + new[joined_row]), "".join(self._rows[joined_row])):
                return 0
            self._runs_on[joined_row] = span[0][0]
        elif not all(self._is_whole(row, "".join(parts)) for row, parts in new.items()):
            return 0
        more = self._gain(change, span)
        self.length += more
        self._touched |= set(span)
        for row, parts in new.items():
            self._rows[row] = parts
        return more

    def _span(self, change: Change) -> list[tuple[int, int]]:
        """The places of a passage, in order; none if it names no passage."""
        first, last = self._place(change.first), self._place(change.last or change.first)
        if first is None or last is None or last < first:
            return []
        rows = range(first[0], last[0] + 1)
        places = ((row, column) for row in rows for column in range(len(self._rows[row])))
        return [place for place in places if first <= place <= last]

    def _place(self, number: str) -> tuple[int, int] | None:
        found = _NUMBER.fullmatch(number.strip())
        row, column = (int(part) - 1 for part in found.groups()) if found else (-1, -1)
        return (row, column) if 0 <= row < len(self._rows) and 0 <= column < len(self._rows[row]) else None

    def _is_kept(self, span: Sequence[tuple[int, int]]) -> bool:
        if not self._ends.isdisjoint(span) or not self._touched.isdisjoint(span):
            return True
        return demand(self._bound, "".join(self._rows[row][column] for row, column in span))

    def _changed(self, span: Sequence[tuple[int, int]], text: str) -> dict[int, list[str]]:
        """The paragraphs of a passage as the change would leave them; a passage keeps the numbers of its sentences."""
        new = {row: list(self._rows[row]) for row, _ in span}
        for row, column in span:
            new[row][column] = ""
        if words := text.strip():
            row, column = span[0]
            until = [place[1] for place in span if place[0] == row][-1]
            old = self._rows[span[-1][0]][span[-1][1]]
            if column and _NEW_PARAGRAPH.match(text):
                new[row][column - 1] = new[row][column - 1].rstrip()
                words = f"\n\n{words}"
            is_last = until + 1 == len(new[row]) or not _PARAGRAPH_ENDS.search(text)
            new[row][column] = words + (old[len(old.rstrip()) :] if is_last else "\n\n")
        return new

    def _is_whole(self, row: int, text: str) -> bool:
        """True if a paragraph would leave open what it left open before; nothing, where it goes.

        Or if it would leave nothing open any more, and the next one does not go on with what was open: that was damage.
        """
        old = "".join(self._rows[row])
        after = "".join(part for parts in self._rows[row + 1 : row + 2] for part in parts)
        if is_balanced_like(text, old):
            return True
        return bool(text.strip()) and not any(_open_marks(text)) and not _is_gone_on_with(old, after)


def _is_gone_on_with(text: str, after: str) -> bool:
    """True if a paragraph ends within a speech that the next one goes on with, by opening the same mark again."""
    begun = after.lstrip()[:1]
    return any(begun == opening and text.rfind(opening) > text.rfind(closing) for opening, closing in _PAIRS)


def _open_marks(text: str) -> tuple[int, ...]:
    text = _APOSTROPHE.sub("", "\n".join(line for line in text.split("\n") if not is_scene_break(line)))
    pairs = [text.count(opening) - text.count(closing) for opening, closing in _PAIRS]
    return (*pairs, *(text.count(mark) % 2 for mark in _ALIKE))
