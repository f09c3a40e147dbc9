"""`codex seen`: what the writer of a unit may know of the codex, and what is kept from them."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from bookwright.agents.relay.continuity import ContinuityDirector
from bookwright.agents.relay.hints import Hint
from bookwright.agents.relay.instructions import ForeshadowAction, ForeshadowInstruction
from bookwright.agents.relay.keywords import ForbiddenKeywords
from bookwright.agents.relay.reveals import Reveal
from bookwright.agents.relay.visibility import VisibleCodex
from bookwright.cli.output import print_text
from bookwright.models.brief import Brief
from bookwright.storage.stores import Stores


class Sight(BaseModel):
    """The codex as it stands for one unit."""

    model_config = ConfigDict(frozen=True)

    node: str
    codex: VisibleCodex
    instructions: tuple[ForeshadowInstruction, ...]
    hints: tuple[Hint, ...]
    reveals: tuple[Reveal, ...] = ()
    """Secrets that are to come out in it."""
    keywords: ForbiddenKeywords
    missing: tuple[str, ...] = ()
    """What the unit's writer would lack."""

    def facts(self) -> dict[str, Any]:
        """Return it for `--json`: what the writer may read, apart from what only the reviewer may."""
        told = self.codex.model_dump(mode="json", exclude={"excluded_sections"})
        hidden = self.codex.excluded_sections
        return {
            "node": self.node,
            "missing": list(self.missing),
            "writer": told
            | {
                "instructions": [order.model_dump(mode="json") for order in self.instructions],
                "reveals": [reveal.model_dump(mode="json") for reveal in self.reveals],
                "hints": [hint.model_dump(mode="json") for hint in self.hints],
                "forbidden_keywords": list(self.keywords.shown),
            },
            "reviewer": {
                "excluded_sections": list(hidden),
                "forbidden_keywords": self.keywords.model_dump(mode="json"),
            },
        }


def look(stores: Stores, brief: Brief, node: str, story_now: float | None) -> Sight:
    """Apply every rule at one unit.

    Raises:
        NodeNotFound: There is no such unit.
    """
    at = stores.nodes.by_label(node).label
    director = ContinuityDirector()
    found = director.sight(at, stores, brief, story_now)
    built = director.build_context(stores.nodes.by_label(node), stores, brief)
    return Sight(
        node=at, codex=found.codex, reveals=found.reveals, instructions=found.orders, hints=found.hints,
        keywords=found.keywords, missing=(*built.errors, *built.warnings),
    )  # fmt: skip


def print_sight(sight: Sight) -> None:
    """Print what the writer gets, then what only the reviewer does."""
    for entry in sight.codex.entries:
        print_text(f"{entry.kind} {entry.name}" + (f" ({entry.phase})" if entry.phase else ""))
        for section in entry.sections:
            print_text(f"  {section.name}{' (before)' if section.is_history else ''}: {section.text}")
    _group("to come out here", [reveal.content for reveal in sight.reveals])
    _group("told by now", [fact.text for fact in sight.codex.facts])
    _group("only to hint at", [f"{known.id}: {known.content} ({known.band.name})" for known in sight.codex.restricted])
    _group("something is left out of", [notice.about or notice.source for notice in sight.codex.notices])
    orders = [order for order in sight.instructions if order.action is not ForeshadowAction.NONE]
    _group("to be done", [f"{own.action} {own.foreshadowing_id}: {own.payoff or own.note}" for own in orders])
    _group("not to be written", sight.keywords.shown)
    _group("kept from the writer", sight.codex.excluded_sections)
    _group("not there yet", sight.missing)
    _group("looked for by the reviewer", sight.keywords.all)


def _group(title: str, lines: Any) -> None:
    if lines:
        print_text(f"{title}:")
        for line in lines:
            print_text(f"  {line}")
