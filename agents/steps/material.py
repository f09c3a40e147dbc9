"""What the steps of one activity are shown: the card, the context, and what is put before them."""

import logging
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from bookwright.agents.agent import Agent
from bookwright.agents.context.builder import Context
from bookwright.agents.context.shortfall import MARK
from bookwright.agents.relay.secrets.guard import Guard
from bookwright.agents.steps.answers import Artefact
from bookwright.agents.steps.desk import Desk
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.card import Card, Told
from bookwright.prompts.render import render_part
from bookwright.prompts.templates import fields_of

_log = logging.getLogger(__name__)

_WITHOUT_BLOCKS = (Activity.WRITE, Activity.CLOSE, Activity.MAINTAIN, Activity.PUBLISH)


class ActivityMaterial:
    """One activity of one node, and all that its prompts are made of; the context is built when it is first needed."""

    def __init__(
        self, desk: Desk, activity: Activity, node: TaskNode, unit: TaskNode, card: Card, *, context: str,
        round_: int = 0, next_activity: str = "", guard: Guard | None = None,
    ) -> None:  # fmt: skip
        """Begin an activity.

        `context` is the role whose budget the activity's blocks have; `next_activity` names what
        follows, for the intent. What a `guard` finds goes out of what the steps are shown, entry by entry, with a
        line that says so; prose and the author's own words stay as they are.
        """
        self.desk = desk
        self.activity = activity
        self.node = node
        self.unit = unit
        self.card = card
        self.round = round_
        self.next_activity = next_activity
        self.guard = guard or Guard.idle()
        self.artefacts: list[Artefact] = []
        self.leading = 0
        """How many of the artefacts stand before the context."""
        self.shared = 0
        """How many leading blocks the step asked last had in common with the one after it."""
        self._context_role = context
        self._rested_on: list[int] = []
        self._warnings: list[str] = []
        self._readers: set[tuple[str, Path | None]] = set()
        """Templates that read the card, each with the folder of its blueprint."""

    @cached_property
    def context(self) -> Context:
        """The activity's context, built when it is first needed and then kept."""
        return self._built()

    def _built(self, *tags: str) -> Context:
        if self._is_told_by_template or self.activity is Activity.REVIEW:
            return Context(blocks=(), sources=(), stable=0)
        context = self.desk.contexts.build(self.node, self.unit, self.activity, self._context_role, *tags)
        self.warn(*context.warnings)
        if self.guard.is_idle:
            return context
        return replace(context, blocks=tuple(self.guard.redact(block, self.left_out) for block in context.blocks))

    @property
    def is_small(self) -> bool:
        """Whether the book has the profile for weak models, which see plain texts and no tags."""
        return self.desk.profile.is_small

    @property
    def _is_told_by_template(self) -> bool:
        """A weak model copies whatever blocks it sees: its templates hold the premise, and that is all.

        Only below the book, where something was decided that the premise does not tell, are blocks shown.
        """
        return self.is_small and (self.unit.parent is None or self.activity in _WITHOUT_BLOCKS)

    @property
    def sources(self) -> tuple[int, ...]:
        """Ids of the documents whose text stands in the activity's prompts so far."""
        read = {name for path, folder in self._readers for name in fields_of(path, self.desk.locale, folder)}
        fields = (getattr(self.card, name, None) for name in sorted(read))
        told = (source for field in fields if isinstance(field, Told) for source in field.sources)
        return tuple(dict.fromkeys((*self.context.sources, *self._rested_on, *told)))

    @property
    def blocks(self) -> tuple[str, ...]:
        """What stands before a step's own prompt: artefacts that lead, the context, the other artefacts."""
        artefacts = tuple(made.text if self.is_small else made.block for made in self.artefacts)
        return (*artefacts[: self.leading], *self.context.blocks, *artefacts[self.leading :])

    @property
    def stable(self) -> int:
        """How many of the leading blocks the unit's other activities have, too."""
        return self.leading + self.context.stable

    @property
    def guard_now(self) -> Guard:
        """The guard, beside the prose that stands before the next step."""
        prose = [made.text for made in self.artefacts if made.is_prose]
        return self.guard.beside(prose) if prose and not self.guard.is_idle else self.guard

    def warn(self, *warnings: str) -> None:
        """Add a warning about something missing; it is recorded with the next step."""
        for warning in warnings:
            _log.warning("%s: %s", self.node.name, warning)
        self._warnings.extend(warnings)

    @property
    def shortfall(self) -> str:
        """What has not been told yet of what is missing, as the journal keeps it; empty if nothing is."""
        return f"{MARK}{'; '.join(dict.fromkeys(self._warnings))}" if self._warnings else ""

    def forget_warnings(self) -> None:
        """Note that what is missing is on record."""
        self._warnings.clear()

    @cached_property
    def left_out(self) -> str:
        """What stands in the place of entries that a guard took out."""
        return "" if self.is_small else render_part("story/_left_out", self.desk.locale)

    def add(self, tag: str, text: str, *, is_prose: bool = False) -> None:
        """Put a text before the steps that follow: prose as it is, anything else without what a guard finds."""
        shown = text if is_prose else self.guard_now.redact(text, self.left_out)
        self.artefacts.append(Artefact(tag, shown, is_prose))

    def narrow_to(self, *tags: str) -> None:
        """Leave out, for what follows, all of the context but the blocks with these tags; without one none is built."""
        stands = "context" in vars(self) and self.context.blocks  # else they are built, also after none was shown
        known = (self.context if stands else self._built(*tags)).blocks if tags else ()
        blocks = tuple(block for block in known if any(f"<{tag}>" in block for tag in tags))
        self.context = Context(blocks=blocks, sources=(), stable=0)
        self.shared = min(self.shared, self.leading)

    def lead_with(self, tag: str, text: str, *, is_prose: bool = True) -> None:
        """Put what later prompts begin with, too, before everything else, so that a cache serves it; as `add` does."""
        self.add(tag, text, is_prose=is_prose)
        self.artefacts.insert(self.leading, self.artefacts.pop())
        self.leading += 1

    def take_away(self, *tags: str) -> None:
        """Take the artefacts with these tags from before the steps that follow."""
        self.leading = sum(made.tag not in tags for made in self.artefacts[: self.leading])
        self.artefacts = [made for made in self.artefacts if made.tag not in tags]
        self.shared = min(self.shared, self.leading + len(self.context.blocks))

    def rests_on(self, *documents: int) -> None:
        """Say that the text of some documents stands in the prompts that follow, beside the context and the card."""
        self._rested_on.extend(documents)

    def reads(self, agent: Agent) -> None:
        """Say whose template reads the card: the documents that its fields tell of are sources from then on."""
        self._readers.add((agent.prompt, agent.folder))
