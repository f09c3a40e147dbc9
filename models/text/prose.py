"""Prose as paragraphs and sentences: numbered, cut and added to in code, never guessed at."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bookwright.models.text.language import Language
from bookwright.models.text.sentences import sentence_ends

_PARAGRAPH = re.compile(r"\n\s*\n|\n")
_CLOSED = re.compile(r"[.!?。！？…][\"”’」』）)\]]*")
_INSERTION = re.compile(r"^[ \t]*@after[ \t]+(\d{1,9})[ \t]*$", re.MULTILINE)
_SCENE_BREAK = re.compile(r"[\s*＊#\-–—_~・･◇◆○●☆★※]{1,20}")


def paragraphs(text: str) -> list[str]:
    """Split a text into its paragraphs, without empty ones."""
    return [part.strip() for part in _PARAGRAPH.split(text) if part.strip()]


def is_scene_break(paragraph: str) -> bool:
    """True for a paragraph that is no text but a mark between scenes, such as `"***"`."""
    return _SCENE_BREAK.fullmatch(paragraph) is not None


def sentences(paragraph: str) -> list[str]:
    """Split a paragraph into sentences, each with its closing marks."""
    return [piece.strip() for piece in pieces(paragraph)]


def pieces(paragraph: str) -> list[str]:
    """Split a paragraph into sentences with the space after each; joined, they are the paragraph."""
    ends = sentence_ends(paragraph)
    parts = [paragraph[start:end] for start, end in zip([0, *ends], [*ends, None], strict=True)]
    return [part for part in parts if part.strip()]


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
    """Read `@after N` passages in the order given; a reply without marks is one passage for the end."""
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
        for piece in pieces(paragraph):
            size = language.measure(piece)
            if total + size - limit > limit - total:
                return joined(kept)
            kept[-1] += piece
            total += size
    return joined(kept)


def whole_sentences(text: str) -> str:
    """Return a text up to its last sentence end."""
    end = max((match.end() for match in _CLOSED.finditer(text)), default=0)
    return text[:end].strip()


def last_sentence(text: str) -> str:
    """Return the last sentence of a text; empty where it has none."""
    return next((sentences(paragraph)[-1] for paragraph in reversed(paragraphs(text))), "")


def joined(parts: Iterable[str]) -> str:
    """Join paragraphs to a text, without those of which nothing is left."""
    return "\n\n".join(part.strip() for part in parts if part.strip())
