"""How a document of a book was made, read from its records."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from bookwright.agents.relay.secrets.guard import public_at
from bookwright.agents.relay.secrets.public import Public
from bookwright.agents.workflows import LEAK_REVIEW
from bookwright.models.brief import Brief
from bookwright.models.document import DocumentKind
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode
from bookwright.storage.repositories.staleness import MakingCall, UnderCodex
from bookwright.storage.stores import Stores


@dataclass
class Making:
    """How a design, a brief or a chapter's text was made; what is costly is read when it is asked for, and once."""

    made: UnderCodex
    brief: Brief
    stores: Stores

    @property
    def at(self) -> str:
        """The label of its unit."""
        return self.made.unit

    @property
    def kind(self) -> DocumentKind:
        """The kind of the document that was made."""
        return self.made.kind

    @cached_property
    def text(self) -> str:
        """Its words."""
        return self.stores.texts.get(self.made.text_hash)

    @cached_property
    def told(self) -> str:
        """What was to happen, by which entries were chosen: the brief, else its unit's goal and the designs shown."""
        if self._brief is not None:
            return self._brief
        return "\n\n".join([self._unit.title, self._unit.goal, *self._designs])

    @property
    def has_hints(self) -> bool:
        """True if its writer had a brief or designs, and hints with them; templates tell a weak model all."""
        return self._brief is not None or (self.kind is DocumentKind.PROSE and bool(self._designs))

    @cached_property
    def cut_by(self) -> frozenset[int]:
        """Rows of the codex for which something was taken out."""
        use = self.stores.codex_uses.of(self.made.id)
        return frozenset(use.cut_by if use else ())

    @cached_property
    def prompts(self) -> Mapping[str, str]:
        """The blocks that stood before whoever wrote it by their hashes, as far as they are kept."""
        own = (call for call in self._calls if call.activity is not Activity.REVIEW)
        return self.stores.texts.get_many(dict.fromkeys(key for call in own for key in call.blocks))

    @property
    def was_reviewed(self) -> bool:
        """True if a model read it beside what is kept."""
        return any(call.step.partition(".")[0] == LEAK_REVIEW.name for call in self._calls)

    def public(self) -> Public:
        """What was public by then."""
        return public_at(self.stores, self.brief, self._unit, self.made.id)

    @cached_property
    def _calls(self) -> list[MakingCall]:
        return self.stores.codex_uses.calls_of(self.made.maker) if self.made.maker else []

    @cached_property
    def _unit(self) -> TaskNode:
        node = self.stores.nodes.get(self.made.node)
        return node if node.unit is None else self.stores.nodes.get(node.unit)

    @cached_property
    def _designs(self) -> list[str]:
        return self.stores.codex_uses.designs_of(self.made.id)

    @cached_property
    def _brief(self) -> str | None:
        return self.stores.codex_uses.brief_of(self.made.id)
