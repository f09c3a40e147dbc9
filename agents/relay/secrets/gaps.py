"""Taking leaks out of a draft: whole sentences go, numbered gaps stay, and somebody else fills them.

What gave something away is in no prompt that writes prose, so nobody is asked to say it otherwise.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bookwright.agents.relay.leaks.units import sentences_of

_FILLING = re.compile(r"^[ \t]*@gap[ \t]+(\d{1,4})[ \t]*$", re.MULTILINE)

Span = tuple[int, int]


@dataclass(frozen=True)
class Gapped:
    """A draft with sentences taken out."""

    pieces: tuple[str, ...]
    """What stands before, between and after the gaps: one more than there are gaps."""
    lost: tuple[str, ...]
    """What was taken out, gap by gap."""

    @property
    def spans(self) -> list[Span]:
        """Where the gaps are in the draft as it was."""
        found, place = [], 0
        for piece, lost in zip(self.pieces, self.lost, strict=False):
            found.append((place + len(piece), place + len(piece) + len(lost)))
            place = found[-1][1]
        return found

    @property
    def shown(self) -> str:
        """The draft with `[gap 1]`, `[gap 2]` ... where something is missing."""
        marks = (f"[gap {number}]{_space_after(lost)}" for number, lost in enumerate(self.lost, 1))
        return "".join(f"{piece}{mark}" for piece, mark in zip(self.pieces, [*marks, ""], strict=True)).strip()

    def filled(self, answer: str) -> str:
        """Return the whole text with what an answer gives for each gap; one without a filling closes up."""
        marks = list(_FILLING.finditer(answer))
        ends = [mark.start() for mark in marks[1:]] + [len(answer)]
        found = {int(mark.group(1)): answer[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=False)}
        text = self.pieces[0]
        for number, (lost, piece) in enumerate(zip(self.lost, self.pieces[1:], strict=True), 1):
            filling, space = found.get(number, ""), _space_after(lost)
            is_kept = bool(filling) or "\n" in space
            text += filling + (space if is_kept else "") + piece
        return re.sub(r"[ \t]*\n[ \t]*\n\s*", "\n\n", text).strip()

    @property
    def holds_text(self) -> bool:
        """Whether anything is left beside the gaps."""
        return any(character.isalnum() for piece in self.pieces for character in piece)


def _space_after(lost: str) -> str:
    """The space behind what was taken out, with the end of its paragraph if that was there."""
    return lost[len(lost.rstrip()) :]


def has_fillings(answer: str) -> bool:
    """Whether an answer fills any gap."""
    return bool(_FILLING.search(answer))


def without(text: str, spans: Iterable[Span]) -> Gapped:
    """Take out every sentence that touches one of the spans; neighbours make one gap."""
    held = list(spans)
    gaps: list[Span] = []
    starts = [sentence.start for sentence in sentences_of(text)]
    ends = [*starts[1:], len(text)]
    for start, end in zip(starts, ends, strict=True):
        if not any(first < end and last > start for first, last in held):
            continue
        is_next = bool(gaps) and not text[gaps[-1][1] : start].strip()
        gaps = [*gaps[:-1], (gaps[-1][0], end)] if is_next else [*gaps, (start, end)]
    befores, afters = [start for start, _ in gaps], [end for _, end in gaps]
    pieces = [text[end:start] for end, start in zip([0, *afters], [*befores, len(text)], strict=True)]
    return Gapped(tuple(pieces), tuple(text[start:end] for start, end in gaps))
