"""Prose as paragraphs and sentences: numbered, cut and added to in code, never guessed at."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bookwright.models.language import Language

_PARAGRAPH = re.compile(r"\n\s*\n|\n")
_SENTENCE_END = re.compile(
    r"""(?<=[。！？!?…])(?=[^\sa-z。！？!?….,，、—–\-」』”’"'）)\]])"""  # without a space, as in zh and ja
    r"""|(?<=[。！？!?…][」』”’）)\]])(?=[^\sa-z。！？!?….,，、—–\-」』”’"'）)\]])"""
    r"""|(?<=[.。！？!?…])\s+(?![\sa-z])"""  # a small letter goes on: "Stop!" he said.
    r"""|(?<=[.。！？!?…][」』”’"'）)\]])\s+(?![\sa-z])"""
)
_CLOSED = re.compile(r"[.!?。！？…][\"”’」』）)\]]*")
_INSERTION = re.compile(r"^[ \t]*@after[ \t]+(\d{1,9})[ \t]*$", re.MULTILINE)
_SCENE_BREAK = re.compile(r"[\s*＊#\-–—_~・･◇◆○●☆★※]{1,20}")
_CUT = re.compile(r"\[?\s*(\d{1,9})\.(\d{1,9})\s*\]?")


def paragraphs(text: str) -> list[str]:
    """Split a text into its paragraphs, without empty ones."""
    return [part.strip() for part in _PARAGRAPH.split(text) if part.strip()]


def is_scene_break(paragraph: str) -> bool:
    """True for a paragraph that is no text but a mark between scenes, such as `"***"`."""
    return _SCENE_BREAK.fullmatch(paragraph) is not None


def sentences(paragraph: str) -> list[str]:
    """Split a paragraph into sentences, each with its closing marks."""
    return [piece.strip() for piece in sentence_pieces(paragraph)]


def sentence_pieces(paragraph: str) -> list[str]:
    """Split a paragraph into sentences with the space after each; joined, they are the paragraph."""
    ends = [match.end() for match in _SENTENCE_END.finditer(paragraph)]
    pieces = [paragraph[start:end] for start, end in zip([0, *ends], [*ends, None], strict=True)]
    return [piece for piece in pieces if piece.strip()]


def numbered_paragraphs(text: str) -> str:
    """The text with `[1]`, `[2]` ... before its paragraphs."""
    return "\n\n".join(f"[{number}] {part}" for number, part in enumerate(paragraphs(text), 1))


def numbered_sentences(text: str) -> str:
    """The text with `[2.3]` (paragraph, sentence) before each sentence."""
    lines = []
    for number, paragraph in enumerate(paragraphs(text), 1):
        lines.append(" ".join(f"[{number}.{index}] {part}" for index, part in enumerate(sentences(paragraph), 1)))
    return "\n\n".join(lines)


@dataclass(frozen=True)
class Insertion:
    """A passage and the number of the paragraph it follows; 0 for the beginning."""

    after: int
    text: str


def read_insertions(reply: str) -> list[Insertion]:
    """Read `@after N` passages in the order in which they were given.

    A reply without marks is one passage for the end.
    """
    marks = list(_INSERTION.finditer(reply))
    if not marks:
        return [Insertion(10**9, reply.strip())] if reply.strip() else []
    ends = [mark.start() for mark in marks[1:]] + [len(reply)]
    found = [
        Insertion(int(mark.group(1)), reply[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True)
    ]
    return [insertion for insertion in found if insertion.text]


def lengthened(text: str, insertions: Iterable[Insertion], target: int, language: Language) -> str:
    """Add passages, first the most needed, until the target is reached; the last is cut to fit.

    A passage is cut only at a sentence end, and left out if none of its sentences fits.
    """
    parts = paragraphs(text)
    room = target - language.measure(text)
    chosen: list[Insertion] = []
    for insertion in insertions:
        fitting = cut_to(insertion.text, room, language) if room > 0 else ""
        if fitting:
            chosen.append(Insertion(min(insertion.after, len(parts)), fitting))
            room -= language.measure(fitting)
    for _, insertion in sorted(enumerate(chosen), key=lambda item: (-item[1].after, -item[0])):
        parts[insertion.after : insertion.after] = paragraphs(insertion.text)
    return "\n\n".join(parts)


def cut_to(text: str, limit: int, language: Language) -> str:
    """Return the longest beginning of a text that ends with a sentence and comes nearest to `limit`.

    The sentence that crosses the limit is kept if that misses it by less than leaving it out.
    """
    kept: list[str] = []
    total = 0
    for paragraph in paragraphs(text):
        kept.append("")
        for piece in sentence_pieces(paragraph):
            size = language.measure(piece)
            if total + size - limit > limit - total:
                return _joined(kept)
            kept[-1] += piece
            total += size
    return _joined(kept)


def shortened(text: str, cuts: Iterable[str], target: int, language: Language) -> str:
    """Drop numbered sentences, least loss first, until the text is down to the target.

    Unknown numbers are passed over, and no cut is made that would miss the target by more.
    """
    table = [sentence_pieces(paragraph) for paragraph in paragraphs(text)]
    excess = language.measure(text) - target
    for cut in cuts:
        place = _CUT.fullmatch(cut.strip())
        row, column = (int(number) - 1 for number in place.groups()) if place else (-1, -1)
        if not (0 <= row < len(table) and 0 <= column < len(table[row])):
            continue
        size = language.measure(table[row][column])
        if size and size - excess < excess:
            table[row][column] = ""
            excess -= size
    return _joined("".join(row) for row in table)


def whole_sentences(text: str) -> str:
    """Return a text up to its last sentence end."""
    end = max((match.end() for match in _CLOSED.finditer(text)), default=0)
    return text[:end].strip()


def last_sentences(text: str, count: int) -> str:
    """Return the last few sentences of a text."""
    parts = paragraphs(text)
    tail = [sentence for paragraph in parts[-count:] for sentence in sentences(paragraph)]
    return " ".join(tail[-count:])


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip())
