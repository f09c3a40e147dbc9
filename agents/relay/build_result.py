"""What the continuity director returns for a unit: codex, threads, story so far, and what is missing.

Source: REQUIREMENTS S2-016, S2-017, S2-032 to S2-039.
"""

from dataclasses import dataclass, field

from bookwright.agents.relay.hints import Hint
from bookwright.agents.relay.scene import SceneIdentifier
from bookwright.agents.relay.secrets.forbidden_words import ForbiddenKeywords
from bookwright.agents.relay.secrets.reveals import Reveal
from bookwright.agents.relay.secrets.visibility import VisibleCodex, VisibleEntry
from bookwright.agents.relay.threads.instructions import ORDERS, ForeshadowInstruction


@dataclass(frozen=True)
class CodexSight:
    """The codex and the threads as they stand for one unit."""

    codex: VisibleCodex = field(default_factory=VisibleCodex)
    orders: tuple[ForeshadowInstruction, ...] = ()
    """For every thread, those with nothing to do included."""
    reveals: tuple[Reveal, ...] = ()
    """Secrets that are to come out in this very unit."""
    hints: tuple[Hint, ...] = ()
    keywords: ForbiddenKeywords = field(default_factory=ForbiddenKeywords)

    @property
    def due(self) -> tuple[ForeshadowInstruction, ...]:
        """What is to be paid off, planted and brought back here, in that order; hints stand among the hints."""
        return tuple(order for act in ORDERS for order in self.orders if order.action is act)


@dataclass(frozen=True)
class FilteredContext:
    """Plot, past, people and world as the unit's writer may know them; empty where there is nothing."""

    scene_id: str
    current_phase: str | None = None
    plot_l1: str = ""
    """The whole book: its order, without what is secret."""
    plot_l2: str = ""
    """The unit above."""
    plot_l3: str = ""
    """The unit itself: its writer's brief."""
    summary_l1: str = ""
    """The story so far."""
    summary_l2: str = ""
    """The last larger unit."""
    summary_l3: str = ""
    """The unit right before."""
    characters: dict[str, VisibleEntry] = field(default_factory=dict)
    world_settings: dict[str, VisibleEntry] = field(default_factory=dict)
    style_guide: str = ""


@dataclass(frozen=True)
class ContextBuildResult:
    """The Relay's context of one unit."""

    scene: SceneIdentifier
    context: FilteredContext
    visibility_context: VisibleCodex
    """With `excluded_sections`, which are for the reviewer."""
    foreshadow_instructions: tuple[ForeshadowInstruction, ...] = ()
    forbidden_keywords: tuple[str, ...] = ()
    """Of all sources, for the reviewer; a writer reads `CodexSight.keywords.shown`."""
    hints: tuple[Hint, ...] = ()
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def has_errors(self) -> bool:
        """Whether the unit cannot be written so."""
        return bool(self.errors)

    def has_warnings(self) -> bool:
        """Whether something is missing that the unit can be written without."""
        return bool(self.warnings)
