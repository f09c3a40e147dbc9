"""Checks that a decision about a gate can be carried out."""

import unicodedata

from bookwright.models.errors import InvalidInput
from bookwright.models.gate import Decider, Gate, GateKind, GateState, Ruling
from bookwright.models.text.plain import plain

MOST_NOTE, MOST_TEXT = 10_000, 1_000_000
"""Characters."""


def approval(gate: Gate, by: Decider, note: str = "", text: str | None = None) -> Ruling:
    """Let a gate pass; where drafts are at stake, with the draft as it is, another or a text of the author's own.

    Raises:
        InvalidInput: The gate takes no text, or the text is empty or too long.
    """
    if text is not None and gate.kind not in (GateKind.HUMAN_FALLBACK, GateKind.CANDIDATES):
        raise InvalidInput(f"{gate.name}, takes no text of your own; reject it with a note that says what to change")
    if text is not None and not as_given(text):
        raise InvalidInput("the text of your own is empty")
    own = _bounded(text or "", MOST_TEXT, "text")
    return Ruling(state=GateState.APPROVED, note=_bounded(note, MOST_NOTE, "note"), text=own, by=by)


def rejection(gate: Gate, by: Decider, note: str) -> Ruling:
    """Have what a gate is about done again under a note; `InvalidInput` where there is none, or it is too long."""
    if not as_given(note):
        raise InvalidInput(f"{gate.name}: a rejection needs a note that says what is to be different")
    return Ruling(state=GateState.REJECTED, note=_bounded(note, MOST_NOTE, "note"), by=by)


def _bounded(text: str, most: int, what: str) -> str:
    clean = as_given(text)
    if len(clean) > most:
        raise InvalidInput(f"the {what} has {len(clean):,} characters; it may have {most:,}")
    return clean


def as_given(text: str) -> str:
    """Return an author's words as they are kept: nothing that steers terminals or no database takes."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", plain(lines)).strip()
