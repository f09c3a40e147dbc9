"""What the writer of a unit may know of the codex, and what is kept from them."""

from typing import Any

from bookwright.agents.relay.continuity import ContinuityDirector
from bookwright.agents.relay.secrets.kept import ForbiddenKeywords
from bookwright.agents.relay.secrets.visibility import Hint, VisibleCodex
from bookwright.agents.relay.threads.instructions import ForeshadowInstruction, Reveal
from bookwright.app.node_lookup import find_node
from bookwright.models.brief import Brief
from bookwright.models.frozen import FrozenModel
from bookwright.models.story_time.times import StoryTime
from bookwright.storage.stores import Stores


class CodexView(FrozenModel):
    """The codex as it stands for one unit."""

    node: str
    scene: str = ""
    """The unit as the Relay names it, such as `"ep:10/ch:1.3"`."""
    phase: str | None = None
    """Which phase the book is in there; None where that is not known yet."""
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
        told = self.model_dump(mode="json")
        codex, keywords = told.pop("codex"), told.pop("keywords")
        hidden = codex.pop("excluded_sections")
        orders = {name: told.pop(name) for name in ("instructions", "reveals", "hints")}
        return told | {
            "writer": codex | orders | {"forbidden_keywords": list(self.keywords.shown)},
            "reviewer": {"excluded_sections": hidden, "forbidden_keywords": keywords},
        }


def look(stores: Stores, brief: Brief, node: str, story_now: StoryTime | None) -> CodexView:
    """Apply every rule at one unit.

    Raises:
        NodeNotFound: There is no such unit.
    """
    unit = find_node(node, stores)
    at = unit.label
    director = ContinuityDirector()
    found = director.sight(at, stores.codex, brief, story_now)
    built = director.build_context(unit, stores, brief)
    return CodexView(
        node=at, scene=str(built.scene), phase=built.scene.current_phase,
        codex=found.codex, reveals=found.reveals, instructions=found.orders, hints=found.hints,
        keywords=found.keywords, missing=(*built.errors, *built.warnings),
    )  # fmt: skip
