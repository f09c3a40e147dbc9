"""Cuts documents into the passages that are embedded and found again."""

import re
from collections.abc import Iterable, Iterator

from bookwright.models.text.binding import binding_lines
from bookwright.models.text.language import lazy_pattern
from bookwright.models.text.prose import paragraphs, sentences

LIMIT = 60
"""Weight of a passage: one for each CJK character, two for each word of another script.

A sentence or three: what a vector says of more is an average. Planted facts came among the first
passages of 500 tokens half as often at 200 (`python -m bench facts`).
"""

PROSE_LIMIT = 4 * LIMIT
"""Weight of a passage of prose, some 120 words: of a scene one wants the moment, not the fact."""

_LONGEST = 4 * LIMIT
"""Weight of a sentence that stands whole in a passage of its own; only what is longer is cut."""

_HEADING_LIMIT = LIMIT // 4

_CJK = lazy_pattern(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_NO_SPACE_AROUND = lazy_pattern(r"[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")
_WORD = lazy_pattern(r"[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_CHARACTERS_A_WEIGHT = 6
"""Holds what has no words or spaces, such as an address, to 1 200 characters."""


def weigh(text: str) -> int:
    """Tell a text's weight in a passage, whatever its script."""
    return max(2 * len(_WORD.findall(text)) + len(_CJK.findall(text)), len(text) // _CHARACTERS_A_WEIGHT)


def is_heading(paragraph: str) -> bool:
    """True for a Markdown heading."""
    return paragraph.startswith("#")


def join_sentences(parts: Iterable[str]) -> str:
    """Join sentences with a space, but none beside Chinese or Japanese."""
    text = ""
    for part in parts:
        tight = not text or _NO_SPACE_AROUND.match(text[-1]) or _NO_SPACE_AROUND.match(part[:1])
        text += part if tight else f" {part}"
    return text


def chunks(text: str, limit: int = LIMIT) -> list[str]:
    """Cut a text at sentence ends into passages of at most `limit`, or of one long sentence; a heading opens one."""
    found: list[str] = []
    lines: list[list[str]] = []
    weight = 0
    for starts_line, opens, part in _parts(text):
        size = weigh(part)
        if lines and (weight + size > limit or (opens and weight > limit // 6)):
            found.append(_text(lines))
            lines, weight = [], 0
        if starts_line or not lines:
            lines.append([])
        lines[-1].append(part)
        weight += size
    return [*found, _text(lines)] if lines else found


def _parts(text: str) -> Iterator[tuple[bool, bool, str]]:
    """Yield whether a part begins a line, whether it opens a section, and the part itself.

    A heading comes together with the sentence below it, and a line that binds comes whole.
    """
    heading = ""
    for paragraph in paragraphs(text):
        if is_heading(paragraph) and weigh(heading + paragraph) <= _HEADING_LIMIT:
            heading = f"{heading}\n{paragraph}" if heading else paragraph
            continue
        parts = [paragraph] if binding_lines(paragraph) else sentences(paragraph)
        pieces = [piece for part in parts for piece in _pieces(part)]
        for index, piece in enumerate(pieces):
            if heading:
                piece = f"{heading}\n{piece}"
            yield index == 0, bool(heading), piece
            heading = ""
    if heading:
        yield True, True, heading


def _pieces(sentence: str) -> Iterator[str]:
    """Yield a sentence, or pieces of one that is too long even for a passage of its own."""
    if weigh(sentence) <= _LONGEST:
        yield sentence
        return
    held = ""
    for unit in re.findall(r"[^\s\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{1,200}\s*|.\s*", sentence, re.DOTALL):
        if held and weigh(held + unit) > LIMIT:
            yield held.strip()
            held = ""
        held += unit
    yield held.strip()


def _text(lines: list[list[str]]) -> str:
    return "\n".join(join_sentences(line) for line in lines)
