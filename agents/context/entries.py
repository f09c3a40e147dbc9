"""Takes entries out of texts, whole lines at a time."""

from collections.abc import Callable
from dataclasses import replace

from bookwright.agents.context.pruner import GAP, ContextPiece


def without_entries(piece: ContextPiece, is_left_out: Callable[[str], bool]) -> ContextPiece:
    """Return a piece without the lines that are to be left out, with a mark where they stood."""
    kept: list[str] = []
    for line in piece.text.split("\n"):
        if not is_left_out(line):
            kept.append(line)
        elif kept[-1:] != [GAP]:
            kept.append(GAP)
    text = "\n".join(kept)
    has_text = any(character.isalnum() for character in text)
    return replace(piece, text=text if has_text else "")
