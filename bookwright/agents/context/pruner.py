"""Fits texts into a token budget by leaving sentences out; free, and the same every time.

What fits stands whole. Of what does not, the lines that bind stay first, then the entries of lists and the sentences
that share most with the task's words, each whole, in their order and under their headings.
Source: DESIGN section 9, "Pruner"; S3-128.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import sqrt

from bookwright.models.binding import binding_lines
from bookwright.models.prose import paragraphs, sentences
from bookwright.storage.chunks import is_heading, join_sentences
from bookwright.storage.ranking import terms

Focus = Mapping[str, float]
"""The task's terms, each with its weight."""

LEAST = 50
"""Tokens below which a part of a text tells nothing."""

GAP = "…"
"""Stands where sentences were left out."""

_BREAK = 2
"""Tokens of the empty line between two pieces, at most."""

_LEAD_BONUS = 0.15
"""A section's first sentence says what it is about."""

_BINDS = 1_000.0
"""A line that binds goes before all others."""

_ENTRY = re.compile(r"(?:[-*+•§>]|\d{1,3}[.)、．]|[(（]\d{1,3}[)）])")
"""How a line begins that is one entry of a list and says nothing in halves."""


@dataclass(frozen=True)
class Piece:
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
class Cut:
    """What became of some texts, and the documents that still stand in it."""

    text: str = ""
    sources: frozenset[int] = frozenset()

    def before(self, later: "Cut") -> "Cut":
        """Return this with another one below it, a blank line between; empty ones leave none."""
        return Cut("\n\n".join(filter(None, (self.text, later.text))), self.sources | later.sources)


@dataclass(frozen=True)
class _Sentence:
    text: str
    line: int
    place: int
    section: str
    """The heading above it; empty for none."""
    is_lead: bool


class Pruner:
    """Fits texts into a number of tokens."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count

    def evenly(self, pieces: Sequence[Piece], focus: Focus, room: int) -> Cut:
        """Keep something of each piece: short ones whole, long ones cut to equal shares.

        Where there are more than the room has use for, the last ones are dropped.
        """
        costs = [self._count(piece.block) + _BREAK for piece in pieces]
        if sum(costs) > room:
            pieces = pieces[: max(room // LEAST, 0)]
            costs = costs[: len(pieces)]
        shares = fair_shares(costs, room)
        pairs = zip(pieces, shares, strict=True)
        return self._printed([self._cut(piece, focus, share - _BREAK) for piece, share in pairs])

    def in_order(self, pieces: Sequence[Piece], focus: Focus, room: int) -> Cut:
        """Keep the first pieces whole as long as they fit, and what fits of the one that does not."""
        kept: list[Piece] = []
        headings: set[str] = set()
        for piece in pieces:
            cost = self._count(piece.text if piece.heading in headings else piece.block) + _BREAK
            if cost <= room:
                kept.append(piece)
                headings.add(piece.heading)
                room -= cost
            elif room >= LEAST:
                kept.append(self._cut(piece, focus, room - _BREAK))
                break
            else:
                break
        return self._printed(sorted(kept, key=lambda piece: piece.order))

    def fitting(self, lines: Sequence[str], room: int) -> str:
        """Keep the first lines that fit, each whole or not at all."""
        kept: list[str] = []
        for line in lines:
            cost = self._count(line) + 1
            if cost <= room:
                kept.append(line)
                room -= cost
        return "\n".join(kept)

    def growing(self, pieces: Sequence[Piece], focus: Focus, room: int, expected: int) -> Cut:
        """Keep a share of each piece that depends only on those before it, so that more grows at the end.

        `expected` is how many pieces there will be; what one leaves of its share the later ones have.
        """
        kept: list[Piece] = []
        for index, piece in enumerate(pieces):
            cut = self._cut(piece, focus, room // max(expected - index, 1) - _BREAK)
            kept.append(cut)
            room -= self._count(cut.block) + _BREAK if cut.text else 0
        return self._printed(kept)

    def condense(self, text: str, focus: Focus, room: int) -> str:
        """Return the text whole if it fits, else its best sentences in their order."""
        if self._count(text) <= room:
            return text
        held = _sentences(text)
        ranked = sorted(held, key=lambda sentence: (-_worth(sentence, focus), sentence.line, sentence.place))
        kept: list[_Sentence] = []
        sections: set[str] = set()
        left = room
        for sentence in ranked:
            cost = self._count(sentence.text) + 1
            if sentence.section and sentence.section not in sections:
                cost += self._count(sentence.section) + 1
            if cost <= left:
                kept.append(sentence)
                sections.add(sentence.section)
                left -= cost
        if not kept and ranked:
            return self._beginning(ranked[0].text, room)
        short = _arranged(sorted(kept, key=lambda sentence: (sentence.line, sentence.place)), held)
        return f"{short}\n{GAP}" if _ends_early(kept, held) and self._count(f"{short}\n{GAP}") <= room else short

    def _beginning(self, text: str, room: int) -> str:
        """Return as many of a text's first sentences as fit; of one that is too long, the words that do."""
        parts = sentences(text)
        for count in range(len(parts) - 1, 0, -1):
            if self._count(head := f"{join_sentences(parts[:count])} {GAP}") <= room:
                return head
        return self.clip(text, room)

    def clip(self, text: str, room: int) -> str:
        """Return the longest beginning of a text that fits with a mark of the gap; may be empty."""
        if self._count(text) <= room:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._count(text[:middle] + GAP) <= room else (low, middle - 1)
        return text[:low].rstrip() + GAP if low else ""

    def tail(self, text: str, room: int) -> str:
        """Return the end of a text that fits, from the start of a paragraph, or of a sentence if none does."""
        parts = paragraphs(text)
        whole = self._last_of(parts, "\n\n".join, room)
        return whole or self._last_of(sentences(parts[-1]) if parts else [], join_sentences, room)

    def _last_of(self, parts: Sequence[str], joined: Callable[[Sequence[str]], str], room: int) -> str:
        kept: list[str] = []
        for part in reversed(parts):
            if self._count(joined([part, *kept])) > room:
                break
            kept.insert(0, part)
        return joined(kept)

    def _cut(self, piece: Piece, focus: Focus, room: int) -> Piece:
        if self._count(piece.block) <= room:
            return piece
        text = self.condense(piece.text, focus, room - self._count(piece.heading) - 1) if room >= LEAST else ""
        return replace(piece, text=text)

    def _printed(self, pieces: Sequence[Piece]) -> Cut:
        kept = [piece for piece in pieces if piece.text]
        blocks = []
        for heading, some in groupby(kept, key=lambda piece: piece.heading):
            body = "\n".join(piece.text for piece in some)
            blocks.append(f"{heading}\n{body}" if heading else body)
        return Cut("\n\n".join(blocks), frozenset(piece.document for piece in kept))


def fair_shares(costs: Sequence[int], room: int) -> list[int]:
    """Give everyone what they cost, or an equal share of what is left after those who cost less."""
    shares = [0] * len(costs)
    waiting = sorted(range(len(costs)), key=lambda index: (costs[index], index))
    for position, index in enumerate(waiting):
        shares[index] = min(costs[index], room // (len(waiting) - position))
        room -= shares[index]
    return shares


def _sentences(text: str) -> list[_Sentence]:
    found: list[_Sentence] = []
    section = ""
    is_lead = True
    for line, paragraph in enumerate(paragraphs(text)):
        if is_heading(paragraph):
            section, is_lead = paragraph, True
            continue
        for place, sentence in enumerate([paragraph] if _ENTRY.match(paragraph) else sentences(paragraph)):
            found.append(_Sentence(sentence, line, place, section, is_lead))
            is_lead = False
    return found


def _worth(sentence: _Sentence, focus: Focus) -> float:
    if binding_lines(sentence.text):
        return _BINDS
    own = terms(sentence.text)
    shared = sum(focus.get(term, 0.0) for term in dict.fromkeys(own))
    return shared / sqrt(len(own) + 4) + (_LEAD_BONUS if sentence.is_lead else 0.0)


def _ends_early(kept: Sequence[_Sentence], all_: Sequence[_Sentence]) -> bool:
    """Whether whole lines were left out; inside a line a mark stands where sentences were."""
    return len({sentence.line for sentence in kept}) < len({sentence.line for sentence in all_})


def _arranged(kept: Sequence[_Sentence], all_: Sequence[_Sentence]) -> str:
    """Print sentences under their headings, with a mark where others were left out of a paragraph."""
    neighbours = {(sentence.line, sentence.place): index for index, sentence in enumerate(all_)}
    lines: list[str] = []
    section = ""
    for line, group in groupby(kept, key=lambda sentence: sentence.line):
        parts: list[str] = []
        last: int | None = None
        for sentence in group:
            index = neighbours[line, sentence.place]
            parts += [GAP, sentence.text] if last is not None and index != last + 1 else [sentence.text]
            last = index
            if sentence.section != section:
                section = sentence.section
                lines.append(section)
        lines.append(join_sentences(parts))
    return "\n".join(lines)
