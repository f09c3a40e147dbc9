"""Hints for a writer, the weightiest first.

Source: DETAILS "Foreshadowing life cycle", hints; REQUIREMENTS S2-037.
"""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from bookwright.agents.relay.secrets.visibility import Notice, Restricted, VisibleCodex
from bookwright.agents.relay.threads.instructions import ForeshadowAction, ForeshadowInstruction
from bookwright.models.codex.entries import Visibility
from bookwright.models.frozen import FrozenModel

MOST_HINTS = 5
_THREAD_STRENGTH, _VISIBILITY_STRENGTH = 0.3, 0.5
_WEIGHTS = {"foreshadowing": 1.0, "visibility": 0.8, "character": 0.6, "world": 0.5}


class HintSource(StrEnum):
    """What a hint was made from."""

    VISIBILITY = "visibility"
    FORESHADOWING = "foreshadowing"


class Hint(FrozenModel):
    """One thing to let shine through."""

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


def collect_hints(codex: VisibleCodex, instructions: Iterable[ForeshadowInstruction]) -> tuple[Hint, ...]:
    """Return the hints of one unit, the five with the highest priority; ties go by id.

    Of the instructions only those to hint become hints: the others are orders of their own.
    """
    found = [_of_kept(notice, "", Visibility.AWARE) for notice in codex.notices]
    found += [_of_kept(known, "; ".join(known.allowed_expressions), Visibility.KNOW) for known in codex.restricted]
    found += [_of_order(order) for order in instructions if order.action is ForeshadowAction.HINT]
    ranked = sorted(found, key=lambda hint: (-hint.priority, hint.category, hint.entity_id))
    return tuple(ranked[:MOST_HINTS])


def _of_kept(kept: Notice | Restricted, text: str, level: Visibility) -> Hint:
    return Hint(
        source=HintSource.VISIBILITY, category=kept.source, entity_id=kept.id, hint_text=text, level=level,
        strength=_VISIBILITY_STRENGTH,
    )  # fmt: skip


def _of_order(order: ForeshadowInstruction) -> Hint:
    return Hint(
        source=HintSource.FORESHADOWING, category="foreshadowing", entity_id=order.foreshadowing_id,
        hint_text="; ".join(order.allowed_expressions) or order.note, level=Visibility.KNOW,
        strength=_THREAD_STRENGTH,
    )  # fmt: skip
