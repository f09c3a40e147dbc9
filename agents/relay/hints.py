"""Hints for a writer, the weightiest first.

Source: DETAILS "Foreshadowing life cycle", hints; REQUIREMENTS S2-037.
"""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from bookwright.agents.relay.secrets.visibility import Notice, Restricted, VisibleCodex
from bookwright.agents.relay.threads.instructions import ForeshadowAction, ForeshadowInstruction
from bookwright.models.codex.entries import Visibility

MOST_HINTS = 5
_STRENGTHS = {
    ForeshadowAction.PLANT: 0.8,
    ForeshadowAction.REINFORCE: 0.6,
    ForeshadowAction.HINT: 0.3,
    ForeshadowAction.NONE: 0.0,
}
_VISIBILITY_STRENGTH = 0.5
_WEIGHTS = {"foreshadowing": 1.0, "visibility": 0.8, "character": 0.6, "world": 0.5}
_IMPORTANT, _MEDIUM = 0.7, 0.4


class HintSource(StrEnum):
    """What a hint was made from."""

    VISIBILITY = "visibility"
    FORESHADOWING = "foreshadowing"


class Hint(BaseModel):
    """One thing to let shine through."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    source: HintSource
    category: str
    """`"character"`, `"world"`, `"secret"` or `"foreshadowing"`."""
    entity_id: str
    hint_text: str = ""
    """What to touch on; empty for a bare notice."""
    level: Visibility
    strength: float = Field(ge=0, le=1)

    @property
    def priority(self) -> float:
        """Strength by the weight of what it was made from."""
        return self.strength * _WEIGHTS.get(self.category, _WEIGHTS[self.source])

    @property
    def word(self) -> str:
        """How much of it a writer is to show: `"important"`, `"medium"` or `"restrained"`."""
        return "important" if self.strength >= _IMPORTANT else "medium" if self.strength >= _MEDIUM else "restrained"


def collect_hints(codex: VisibleCodex, instructions: Iterable[ForeshadowInstruction]) -> tuple[Hint, ...]:
    """Return the hints of one unit, the five with the highest priority; ties go by id.

    Of the instructions only those to hint become hints: the others are orders of their own.
    """
    found = [
        *(_of_notice(notice) for notice in codex.notices),
        *(_of_restricted(known) for known in codex.restricted),
        *(_of_instruction(order) for order in instructions if order.action is ForeshadowAction.HINT),
    ]
    ranked = sorted(found, key=lambda hint: (-hint.priority, hint.category, hint.entity_id))
    return tuple(ranked[:MOST_HINTS])


def _of_notice(notice: Notice) -> Hint:
    return _visibility_hint(notice.source, notice.id, "", Visibility.AWARE)


def _of_restricted(known: Restricted) -> Hint:
    return _visibility_hint(known.source, known.id, "; ".join(known.allowed_expressions), Visibility.KNOW)


def _visibility_hint(category: str, identity: str, text: str, level: Visibility) -> Hint:
    return Hint(
        source=HintSource.VISIBILITY, category=category, entity_id=identity, hint_text=text, level=level,
        strength=_VISIBILITY_STRENGTH,
    )  # fmt: skip


def _of_instruction(order: ForeshadowInstruction) -> Hint:
    return Hint(
        source=HintSource.FORESHADOWING, category="foreshadowing", entity_id=order.foreshadowing_id,
        hint_text="; ".join(order.allowed_expressions) or order.note, level=Visibility.KNOW,
        strength=_STRENGTHS[order.action],
    )  # fmt: skip
