"""Fits texts into a token budget by leaving entries out; free, and the same every time.

What fits stands whole. Of what does not, whole paragraphs and items of lists stay, first the lines that bind and then
those that share most with the task's words, in their order and under their headings; a paragraph that would take most
of the room by itself goes sentence by sentence. No sentence is ever cut. Source: DESIGN section 9, "Pruner"; S3-128.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from math import sqrt

from bookwright.models.text.binding import binding_lines
from bookwright.models.text.prose import paragraphs, sentences
from bookwright.storage.index.chunks import is_heading, join_sentences
from bookwright.storage.index.ranking import terms

Focus = Mapping[str, float]
"""The task's terms, each with its weight."""

LEAST = 50
"""Tokens below which a part of a text tells nothing."""

GAP = "…"
"""Stands where sentences were left out."""

BREAK = 2
"""Tokens of the empty line between two pieces, at most."""

_MOST_OF_A_LINE = 0.5
"""Share of the room that a line may take and still be one entry."""

_ITEM = re.compile(r"[-*+•] |\d{1,3}[.)、] ?")
_LEAD_BONUS = 0.15
"""A section's first sentence says what it is about."""


@dataclass(frozen=True)
class ContextPiece:
    """A text on its way into a block."""

    heading: str
    """Where it comes from; pieces of one heading are printed under it together."""
    text: str
    document: int
    node: int
    order: tuple[int, ...] = ()
    """Where it is printed among the others; what is chosen first need not be printed first."""

    @property
    def block(self) -> str:
        """The piece as it stands alone."""
        return f"{self.heading}\n{self.text}" if self.heading else self.text


@dataclass(frozen=True)
class Pruned:
    """What became of some texts, and the documents that still stand in it."""

    text: str = ""
    sources: frozenset[int] = frozenset()

    def before(self, later: "Pruned") -> "Pruned":
        """Return this with another one below it, a blank line between; empty ones leave none."""
        return Pruned("\n\n".join(filter(None, (self.text, later.text))), self.sources | later.sources)


@dataclass(frozen=True)
class _PrunableEntry:
    """What is kept or left out as a whole: a line of a text, or a sentence of a line that is too long."""

    text: str
    line: int
    place: int
    section: str
    """The heading above it; empty for none."""
    is_lead: bool
    is_binding: bool = False


class Pruner:
    """Fits texts into a number of tokens; what stays of them is chosen by its focus."""

    def __init__(self, count: Callable[[str], int], focus: Focus) -> None:
        self._count = count
        self._focus = focus

    def evenly(self, pieces: Sequence[ContextPiece], room: int) -> Pruned:
        """Keep something of each piece: short ones whole, long ones cut to equal shares.

        Where there are more than the room has use for, the last ones are dropped.
        """
        costs = [self._count(piece.block) + BREAK for piece in pieces]
        shown = pieces
        if sum(costs) > room:
            room = max(room - self._count(GAP) - BREAK, 0)
            shown = pieces[: room // LEAST]
        shares = fair_shares(costs[: len(shown)], room)
        pairs = zip(shown, shares, strict=True)
        cut = self._printed([self._cut(piece, share - BREAK) for piece, share in pairs])
        if not cut.text or all(piece.document in cut.sources for piece in pieces):
            return cut
        return replace(cut, text=f"{cut.text}\n\n{GAP}")

    def in_order(self, pieces: Sequence[ContextPiece], room: int) -> Pruned:
        """Keep the first pieces as long as they fit: whole, or of a text of several lines what fits of them."""
        kept: list[ContextPiece] = []
        headings: set[str] = set()
        for piece in pieces:
            block = piece.text if piece.heading in headings else piece.block
            cost = self._count(block) + BREAK
            if cost > room:
                cut = self._cut(piece, room - BREAK) if "\n" in piece.text or not kept else None
                kept += [cut] if cut and cut.text else []
                break
            kept.append(piece)
            headings.add(piece.heading)
            room -= cost
        return self._printed(sorted(kept, key=lambda piece: piece.order))

    def fitting(self, lines: Sequence[str], room: int) -> list[str]:
        """Keep the first lines that fit, each whole or not at all."""
        kept: list[str] = []
        for line in lines:
            cost = self._count(line) + 1
            if cost <= room:
                kept.append(line)
                room -= cost
        return kept

    def growing(self, pieces: Sequence[ContextPiece], room: int, expected: int) -> Pruned:
        """Keep a share of each piece that depends only on those before it, so that more grows at the end.

        `expected` is how many pieces there will be; what one leaves of its share the later ones have.
        """
        kept: list[ContextPiece] = []
        for index, piece in enumerate(pieces):
            cut = self._cut(piece, room // max(expected - index, 1) - BREAK)
            kept.append(cut)
            room -= self._count(cut.block) + BREAK if cut.text else 0
        return self._printed(kept)

    def condense(self, text: str, room: int) -> str:
        """Return the text whole if it fits, else its best entries in their order, with a mark where others stood."""
        if self._count(text) <= room:
            return text
        for is_by_line in (True, False):
            held = _entries(text, partial(self._is_whole, room=room, is_by_line=is_by_line))
            shown = self._best(held, room)
            if shown != GAP:
                break
        return shown if self._count(shown) <= room else ""

    def _is_whole(self, line: str, room: int, is_by_line: bool) -> bool:
        """True for a line that stays or goes as a whole: an item of a list, and a paragraph that leaves others room."""
        if binding_lines(line):
            return True
        return is_by_line and (bool(_ITEM.match(line)) or self._count(line) <= room * _MOST_OF_A_LINE)

    def _best(self, held: Sequence[_PrunableEntry], room: int) -> str:
        """Print the entries that are worth most and fit; the mark alone where none does."""
        ranked = sorted(held, key=lambda entry: (not entry.is_binding, -self._worth(entry), entry.line, entry.place))
        kept: list[_PrunableEntry] = []
        sections: set[str] = set()
        left = room
        for entry in ranked:
            cost = self._count(entry.text) + BREAK
            if entry.section and entry.section not in sections:
                cost += self._count(entry.section) + 1
            if cost <= left:
                kept.append(entry)
                sections.add(entry.section)
                left -= cost
        while kept and self._count(_arranged(kept, held)) > room:  # the marks of what is missing
            kept.pop()
        return _arranged(kept, held)

    def _worth(self, entry: _PrunableEntry) -> float:
        own = terms(entry.text)
        shared = sum(self._focus.get(term, 0.0) for term in dict.fromkeys(own))
        return shared / sqrt(len(own) + 4) + (_LEAD_BONUS if entry.is_lead else 0.0)

    def tail(self, text: str, room: int) -> str:
        """Return the end of a text that fits, from the start of a paragraph, or of a sentence if none does."""
        parts = paragraphs(text)
        whole = self._last_of(parts, "\n\n".join, room)
        return whole or self._last_of(sentences(parts[-1]) if parts else [], join_sentences, room)

    def _last_of(self, parts: Sequence[str], joined: Callable[[Sequence[str]], str], room: int) -> str:
        fits = bisect_right(range(1, len(parts) + 1), room, key=lambda count: self._count(joined(parts[-count:])))
        return joined(parts[len(parts) - fits :])

    def _cut(self, piece: ContextPiece, room: int) -> ContextPiece:
        if self._count(piece.block) <= room:
            return piece
        text = self.condense(piece.text, room - self._count(piece.heading) - 1) if room >= LEAST else ""
        return replace(piece, text=text)

    def _printed(self, pieces: Sequence[ContextPiece]) -> Pruned:
        kept = [piece for piece in pieces if piece.text]
        blocks = []
        for heading, some in groupby(kept, key=lambda piece: piece.heading):
            body = "\n".join(piece.text for piece in some)
            blocks.append(f"{heading}\n{body}" if heading else body)
        return Pruned("\n\n".join(blocks), frozenset(piece.document for piece in kept))


def fair_shares(costs: Sequence[int], room: int) -> list[int]:
    """Give everyone what they cost, or an equal share of what is left after those who cost less."""
    shares = [0] * len(costs)
    waiting = sorted(range(len(costs)), key=lambda index: (costs[index], index))
    for position, index in enumerate(waiting):
        shares[index] = min(costs[index], room // (len(waiting) - position))
        room -= shares[index]
    return shares


def _entries(text: str, is_whole: Callable[[str], bool]) -> list[_PrunableEntry]:
    """The lines of a text below their headings, or the sentences of those that do not go as a whole."""
    found: list[_PrunableEntry] = []
    section = ""
    is_lead = True
    for line, paragraph in enumerate(paragraphs(text)):
        if is_heading(paragraph):
            section, is_lead = paragraph, True
            continue
        is_binding = bool(binding_lines(paragraph))
        for place, part in enumerate([paragraph] if is_whole(paragraph) else sentences(paragraph)):
            found.append(_PrunableEntry(part, line, place, section, is_lead, is_binding))
            is_lead = False
    return found


def _arranged(kept: Sequence[_PrunableEntry], all_: Sequence[_PrunableEntry]) -> str:
    """Print entries under their headings, with a mark where others were left out."""
    chosen = set(kept)
    lines: list[str] = []
    section = ""
    for _, group in groupby(all_, key=lambda entry: entry.line):
        entries = list(group)  # of one line, so of one section
        if not chosen.isdisjoint(entries) and entries[0].section != section:
            section = entries[0].section
            lines.append(section)
        parts: list[str] = []
        for is_in, some in groupby(entries, key=lambda entry: entry in chosen):
            parts += [entry.text for entry in some] if is_in else [GAP]
        line = join_sentences(parts)
        if line != GAP or not "".join(lines[-1:]).endswith(GAP):
            lines.append(line)
    return "\n".join(lines)
