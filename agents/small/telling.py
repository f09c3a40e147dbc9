"""Writing prose by continuation: what a piece goes on from, how pieces are joined, when a unit is complete."""

import re

from bookwright.models.text.language import Language
from bookwright.models.text.prose import cut_to, paragraphs, sentences

PIECES = 3
"""Pieces that a unit of 300 words takes."""

PIECE_TOKENS = 160
"""Longer pieces lose the thread; shorter ones cost calls. Source: local-models-chroma.md section E."""

_CARRIED = {Language.EN: 70, Language.ZH: 120, Language.JA: 140, Language.KO: 120}
_END = re.compile(r"""[.!?…。！？]["'”’」』）)]*(?=\s|$|[^\sA-Za-z0-9.,])""")
_ENOUGH = 0.95


def carried(text: str, language: Language) -> str:
    """Return the last sentences of a text, as much of them as the next piece goes on from."""
    kept: list[str] = []
    room = _CARRIED[language]
    for part in reversed(paragraphs(text)):
        fitting: list[str] = []
        for sentence in reversed(sentences(part)):
            room -= language.measure(sentence)
            if room < 0 and (fitting or kept):
                break
            fitting.insert(0, sentence)
        if fitting:
            kept.insert(0, (" " if language.is_spaced else "").join(fitting))
        if room < 0:
            break
    return "\n\n".join(kept)


def prefill_for(before: str, opening: str, so_far: str, language: Language) -> str:
    """Return the words that the next piece goes on from.

    `before` is the end of the text before this unit, `opening` what the unit opens with, `so_far`
    the unit's text with its opening, or nothing. A long text is cut to its end: a weak model
    copies whatever it sees much of.
    """
    text = so_far or opening
    if language.measure(text) <= 2 * _CARRIED[language]:
        return "\n\n".join(part for part in (before, text) if part)
    return carried(text, language)


def joined(text: str, piece: str) -> str:
    """Put a piece after the text it goes on from; it may begin in mid-sentence."""
    piece = piece if piece.startswith(("\n", " ")) else piece.strip()
    if not text or not piece or piece[0] in " ,.;:!?'’\n" or not (piece[0].isascii() and text[-1].isascii()):
        return text + piece
    return f"{text} {piece}"


def trimmed(text: str, language: Language) -> str:
    """Cut a text after its last whole sentence; empty if it holds none."""
    ends = list(_END.finditer(text))
    return text[: ends[-1].end()].strip() if ends else ""


def is_enough(text: str, target: int, language: Language) -> bool:
    """True when a unit needs no further piece; what is too much is cut afterwards."""
    return language.measure(text) >= _ENOUGH * target


def ended(text: str, closing: str, target: int, language: Language) -> str:
    """Cut a text to its target with the story's last sentence at its end, as a paragraph of its own."""
    room = target - language.measure(closing)
    kept = cut_to(trimmed(text, language), max(room, 1), language)
    return "\n\n".join(part for part in (kept, closing) if part)
