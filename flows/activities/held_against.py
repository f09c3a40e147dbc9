"""What of the codex a chapter is checked against, and in which books a model does the checking."""

from collections.abc import Sequence
from dataclasses import dataclass

from bookwright.agents.relay.record import record_lines
from bookwright.agents.relay.secrets.coming_out import due_in_chapter
from bookwright.agents.relay.threads.foreshadowing import as_before
from bookwright.agents.workflows import EXTRACT, evaluates
from bookwright.flows.activities.told_books import is_told_whole
from bookwright.flows.deps import Deps
from bookwright.models.codex.entries import Secret
from bookwright.models.codex.extraction import Extraction
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.document import Document, DocumentKind
from bookwright.models.profile import ProfileName
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

_MOST_THREADS = 40
_RECORD_SHARE = 0.35
"""Of the room of an evaluator's prompt, for the entries that a text is held against."""


def extracts(unit: TaskNode, deps: Deps) -> bool:
    """Whether a model extracts facts from a text and checks it against the codex.

    `small` has no model for it; in `economy` nothing rests on the facts of what is written in one piece, or told whole.
    """
    if deps.profile.name is ProfileName.ECONOMY:
        return unit.parent is not None and not is_told_whole(unit, deps)
    return evaluates(deps.profile.name)


@dataclass(frozen=True)
class HeldAgainst:
    """The entries, threads and secrets that a chapter is checked against."""

    chapter: int
    """Its number; 0 for the whole book."""
    record: tuple[str, ...]
    """The entries that it names, a line each."""
    threads: Sequence[Foreshadowing]
    due: Sequence[Secret]
    """Secrets that were to come out in it."""
    prose: int | None
    """The document that holds the chapter's text, if one does."""
    is_recorded: bool
    """The chapter has its report already."""

    @property
    def thread_lines(self) -> tuple[str, ...]:
        """The threads, a line each."""
        return tuple(f"{own.id} ({own.status}) {own.title}: {own.seed.content}" for own in self.threads)

    @property
    def due_lines(self) -> tuple[str, ...]:
        """The secrets, a line each under its number: an id may tell what it stands for."""
        return tuple(f"{number}: {own.content}" for number, own in enumerate(self.due, 1))

    def named(self, found: Extraction) -> Extraction:
        """An extraction whose secrets go by their ids, and not by their numbers in the list; old answers have ids."""
        ids = {str(number): own.id for number, own in enumerate(self.due, 1)}
        reveals = (own.model_copy(update={"secret": ids.get(own.secret, own.secret)}) for own in found.reveals)
        return found.model_copy(update={"reveals": tuple(reveals)})


def last_prose(unit: TaskNode, stores: Stores) -> Document | None:
    """Return the prose of a unit, without its text; of one in parts, that of the last."""
    parts = stores.nodes.children(unit.key, TaskType.WRITE)
    return (
        last_prose(parts[-1], stores)
        if parts
        else stores.documents.current(unit.key, DocumentKind.PROSE, with_text=False)
    )


def sight_of(unit: TaskNode, text: str, deps: Deps) -> HeldAgainst:
    """The entries that the text names, and the threads that were not over before it."""
    room = round(deps.profile.context_budget[EXTRACT.context] * _RECORD_SHARE)
    with deps.stores() as stores:
        seen = stores.codex.seen_at(unit.label)
        reading = stores.codex.reading_order()
        before = [as_before(own, unit.label, reading) for own in stores.codex.threads()]
        threads = [own for own in before if own.is_open or own.status == "registered"]
        due = [own for own in stores.codex.secrets() if due_in_chapter(own, unit.label, reading)]
        prose = last_prose(unit, stores)
        report = stores.documents.current(unit.key, DocumentKind.CONSISTENCY, with_text=False)
    record = record_lines(seen, text, reading, room, deps.desk.count_tokens, deps.desk.locale)
    chapter = reading.chapter_of(unit.label) if unit.parent is not None else 0
    is_recorded = report is not None and (prose is None or report.id > prose.id)
    return HeldAgainst(chapter, record, threads[:_MOST_THREADS], due, prose.id if prose else None, is_recorded)
