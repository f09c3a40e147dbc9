"""Making a text longer or shorter: the agent, the amount asked for, and the text after the answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bookwright.agents.agent import Agent
from bookwright.agents.relay.leaks.issue import LeakIssue
from bookwright.agents.relay.secrets.reviewing import is_rejected
from bookwright.agents.workflows import LENGTHEN, SHORTEN
from bookwright.flows.activities.prose.leak_review import without_leaks
from bookwright.flows.activities.unit_facts import measured, wanted_lengths
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.text.binding import binding_lines
from bookwright.models.text.changes import Changes, shortened
from bookwright.models.text.prose import lengthened, numbered_paragraphs, numbered_sentences, read_insertions
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts import Card

ROUNDS = 3
"""How often a text is mended at most: each time for the true amount, then for what that left."""


@dataclass(frozen=True)
class Mending:
    """A text whose length is off, and what may be done about it."""

    text: str
    unit: TaskNode
    card: Card
    deps: Deps
    found: Callable[[str], list[LeakIssue]]
    """Finds what a text gives away."""

    @property
    def agent(self) -> Agent:
        """Who is asked."""
        return LENGTHEN if self._missing > 0 else SHORTEN

    @property
    def shown(self) -> str:
        """The text with numbers for what may be named in the answer."""
        return numbered_paragraphs(self.text) if self._missing > 0 else numbered_sentences(self.text)

    @property
    def asking(self) -> Card:
        """The card of the step."""
        card = measured(self.card, self.text, self.unit, self.deps)
        return replace(card, missing_length=max(abs(self._missing), 1), ask_length=self.card.ask_length)

    def applied(self, answer: str | Changes) -> str:
        """The text after an answer, without what of it gives something away; as it is if nothing else will do."""
        language = self.deps.brief.language
        if isinstance(answer, Changes):
            free = [change for change in answer.changes if not (change.text and self._tells(change.text))]
            limits = wanted_lengths(self.unit, self.card.is_last, self.deps)
            new = shortened(self.text, free, limits, language, bound_lines(self.unit, self.deps))
        else:
            found = read_insertions(answer)
            pieces = [replace(one, text=without_leaks(one.text, self.found)) for one in found]
            new = lengthened(self.text, pieces, self.unit.length or 1, language)
        return self.text if self._tells(new) else new

    @property
    def _missing(self) -> int:
        return (self.unit.length or 1) - self.deps.brief.language.measure(self.text)

    def _tells(self, text: str) -> bool:
        return is_rejected(self.found(text))


def bound_lines(unit: TaskNode, deps: Deps) -> Sequence[str]:
    """Return the lines that bind whoever writes a unit: the book's own, those of its designs, and its brief's."""
    with deps.stores() as stores:
        units = [unit, *stores.nodes.ancestors(unit)]
        tasks = [task.key for one in units for task in stores.nodes.children(one.key, TaskType.DESIGN)]
        found = [
            stores.documents.latest(DocumentKind.BOOK_DESIGN),
            stores.documents.current(unit.key, DocumentKind.WRITERS_BRIEF),
            *stores.documents.of_nodes(tasks, DocumentKind.DESIGN),
        ]
    texts = [deps.brief.premise, *(document.text for document in found if document)]
    return tuple(dict.fromkeys(line for text in texts for line in binding_lines(text)))
