"""What the steps of one activity are shown: the card, the context, and what is put before them."""

from dataclasses import replace

from bookwright.agents.artefact import Artefact
from bookwright.agents.cards import guarded
from bookwright.agents.context.builder import Context
from bookwright.agents.desk import Desk
from bookwright.agents.relay.guard import Guard
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.task import TaskNode
from bookwright.prompts import Card, Told

_WITHOUT_BLOCKS = (Activity.WRITE, Activity.CLOSE, Activity.MAINTAIN, Activity.PUBLISH)


class ActivityMaterial:
    """One activity of one node, and all that its prompts are made of; the context is built when it is first needed."""

    def __init__(
        self, desk: Desk, activity: Activity, node: TaskNode, unit: TaskNode, card: Card, *, context: str,
        round_: int = 0, next_activity: str = "", guard: Guard | None = None,
    ) -> None:  # fmt: skip
        """Sit down to an activity.

        `context` is the role whose budget the activity's blocks have; `next_activity` names what
        follows, for the intent. What a `guard` finds goes out of everything that the steps are shown.
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
        self._context: Context | None = None
        self._rested_on: list[int] = []
        self._fields_read: set[str] = set()

    @property
    def context(self) -> Context:
        """The activity's context, built when it is first needed and then kept."""
        if self._context is None:
            if self._is_told_by_template or self.activity is Activity.REVIEW:
                self._context = Context(blocks=(), sources=(), stable=0)
            else:
                context = self.desk.contexts.build(self.node, self.unit, self.activity, self._context_role)
                self._context = replace(context, blocks=tuple(map(self.guard.redact, context.blocks)))
        return self._context

    @property
    def is_small(self) -> bool:
        """Whether the book has the profile for weak models, which see plain texts and no tags."""
        return self.desk.profile.name is ProfileName.SMALL

    @property
    def _is_told_by_template(self) -> bool:
        """A weak model copies whatever blocks it sees: its templates hold the premise, and that is all.

        Only below the book, where something was decided that the premise does not tell, are blocks shown.
        """
        return self.is_small and (self.unit.parent is None or self.activity in _WITHOUT_BLOCKS)

    @property
    def sources(self) -> tuple[int, ...]:
        """Ids of the documents whose text stands in the activity's prompts so far."""
        fields = (getattr(self.card, name, None) for name in sorted(self._fields_read))
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
    def shown_card(self) -> Card:
        """The card as templates see it."""
        return guarded(self.card, self.guard)

    def add(self, tag: str, text: str) -> None:
        """Put a text before the steps that follow."""
        self.artefacts.append(Artefact(tag, self.guard.redact(text)))

    def lead_with(self, tag: str, text: str) -> None:
        """Put a text before everything else, where all who judge a finished text have it, so that a cache serves it."""
        self.artefacts.insert(self.leading, Artefact(tag, self.guard.redact(text)))
        self.leading += 1

    def take_away(self, *tags: str) -> None:
        """Take the artefacts with these tags from before the steps that follow."""
        self.leading = sum(made.tag not in tags for made in self.artefacts[: self.leading])
        self.artefacts = [made for made in self.artefacts if made.tag not in tags]
        self.shared = min(self.shared, self.leading + len(self.context.blocks))

    def rests_on(self, *documents: int) -> None:
        """Say that the text of some documents stands in the prompts that follow, beside the context and the card."""
        self._rested_on.extend(documents)

    def reads(self, fields: frozenset[str]) -> None:
        """Say which fields of the card a template reads: the documents that they tell of are sources from then on."""
        self._fields_read |= fields
