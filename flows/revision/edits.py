"""What an author may change of a book's brief and codex, and the changes themselves, in an open transaction."""

import hashlib
import json
from collections.abc import Iterator

from bookwright.agents.relay.threads.foreshadowing import moved
from bookwright.flows.revision.revise import void_unfinished
from bookwright.models.book import Book, BookState
from bookwright.models.brief import Brief
from bookwright.models.codex.entries import CodexEntry, Secret, Visibility, folded
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.merging import with_value
from bookwright.models.codex.record import Origin, Record, Stored, SuggestionStatus
from bookwright.models.errors import InvalidBrief, InvalidEntry, NameTaken
from bookwright.models.tree.level import Level, child_level, division_is_incremental
from bookwright.models.tree.place import Place, ReadingOrder, order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.repositories.codex import CodexRepository
from bookwright.storage.stores import Stores

_MARGIN = 2
"""How many times as many chapters as a book of its length has at the most usual may be spoken of."""


def brief_seen(brief: Brief) -> str:
    """Return what stands for a brief as somebody has it before them."""
    told = json.dumps(brief.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def check_brief_change(brief: Brief, book: Book, stores: Stores) -> None:
    """Raise `InvalidBrief` if a book cannot have another brief as it stands: too much is written for this change."""
    old = book.brief
    if brief.language is not old.language and book.calls:
        raise InvalidBrief(f"book {book.id!r} is begun in {old.language.english_name}; write another one with --new")
    if brief.world != old.world:
        raise InvalidBrief(f"book {book.id!r} is there already; `bookwright write --world ...` begins one in a world")
    if brief.secrets or brief.foreshadowing:
        raise InvalidBrief(
            f"book {book.id!r} is there already: its secrets and threads are changed with "
            "`bookwright secrets` and `bookwright foreshadowing`"
        )
    if brief.outline:
        raise InvalidBrief(
            f"book {book.id!r} is there already: its outline is kept, and `bookwright revise` changes designs"
        )
    if brief.style_sample:
        raise InvalidBrief(f"book {book.id!r} is there already: its style is changed with `bookwright style --sample`")
    if brief.length != old.length and (problem := _why_not(brief.length, book, stores)):
        raise InvalidBrief(f"the length of book {book.id!r} cannot become {brief.length:,}: {problem}")


def change_brief(brief: Brief, book: Book, stores: Stores) -> Book:
    """Store a new version of a brief and bring the book's own unit in line with it; return the book.

    Raises:
        InvalidBrief: Too much is written for this change; nothing was changed.
    """
    check_brief_change(brief, book, stores)
    old, root = book.brief, stores.nodes.root()
    if brief.length != old.length:
        children = stores.nodes.child_units(root.key)
        stores.nodes.change(root.key, length=brief.length)  # to which the engine still can steer
        if children and children[-1].is_last:
            stores.nodes.change(children[-1].key, is_last=False)  # more may come after it now
    stores.nodes.change(root.key, goal=brief.premise)
    stores.books.edit_brief(book.id, brief)
    if brief.title == old.title:
        stores.books.change(book.id, title=book.title)  # it may be one that the book found for itself
    else:
        stores.nodes.change(root.key, title=brief.title)
    return stores.books.get(book.id)


def _why_not(length: int, book: Book, stores: Stores) -> str:
    """Say why the length of a book cannot become another one; empty if it can."""
    root = stores.nodes.root()
    children = stores.nodes.child_units(root.key)
    if book.state is BookState.FINISHED or root.status is not NodeStatus.OPEN:
        return "it is written to its end"
    if length < root.written:
        return f"{root.written:,} are written already"
    if not children:
        return "it is decided to be written in one piece" if root.decision is not None else ""
    level = children[0].level
    if not division_is_incremental(level):
        return f"it is divided into all its {level}s already"
    if root.child_level is None and child_level(Level.BOOK, length) is not level:
        return f"it is divided into {level}s already, which suit another length"
    begun = root.written + max(children[-1].remaining, 0) if children[-1].status is NodeStatus.OPEN else 0
    if length < begun:
        return f"the {level} in hand takes it to {begun:,}"
    if children[-1].is_last and children[-1].status is not NodeStatus.OPEN:
        return f"its last {level} is written"
    return ""


def check_new(stores: Stores, record: Record) -> None:
    """Make sure that a record could be added as things stand.

    Raises:
        InvalidEntry: It names places that this book cannot have.
        NameTaken: Its id or one of its names is another's, or it is a secret that is there already.
    """
    check_places(record, stores)
    _check_untold(record, stores.codex)
    stores.codex.check_free(record)


def add_records(stores: Stores, records: list[Record]) -> list[Stored[Record]]:
    """Add records, all of them or none; raises what `check_new` does."""
    for record in records:
        check_new(stores, record)
    void_unfinished(stores)
    return [stores.codex.add(record, Origin.AUTHOR) for record in records]


def take_or_drop(stores: Stores, number: int, *, is_taken: bool) -> Stored[Record]:
    """Take what a reading of the pages would change of a record, or drop it; return the record as it stands then.

    Raises:
        EntryNotFound: There is no such suggestion.
        InvalidEntry: It was settled before, or the record cannot be so.
    """
    wish = stores.codex.suggestions.get(number)
    found = stores.codex.get(wish.kind, wish.slug)
    after = with_value(found.record, wish.path, wish.wanted) if is_taken else found.record
    check_change(found.record, after)
    stores.codex.suggestions.settle(number, SuggestionStatus.TAKEN if is_taken else SuggestionStatus.DROPPED)
    if not is_taken:
        return found
    void_unfinished(stores)
    return stores.codex.edit(after, found.version, Origin.AUTHOR)


def _check_untold(record: Record, codex: CodexRepository) -> None:
    """Refuse a secret that is there already; its id would not tell, being a number."""
    told = folded(record.content) if isinstance(record, Secret) else ""
    same = next((own.id for own in codex.secrets() if told and folded(own.content) == told), None)
    if same is not None:
        raise NameTaken(f"the secret {same!r} says the same already; edit that one")


def check_change(before: Record, after: Record) -> None:
    """Raise `InvalidEntry` if a record gets another id, or a thread a status that does not follow its own."""
    if after.id != before.id:
        raise InvalidEntry(f"the id of {before.id!r} stays what it is; add another one and remove this one")
    if isinstance(before, Foreshadowing) and isinstance(after, Foreshadowing) and after.status is not before.status:
        moved(before, after.status)


def settled(record: Record, default: Visibility) -> Record:
    """Return a record whose sections all have a visibility."""
    return record.with_default(default) if isinstance(record, CodexEntry) else record


def check_places(record: Record, stores: Stores, before: Record | None = None) -> None:
    """Raise `InvalidEntry` for new places of a record that this book cannot have.

    That is a chapter or node that can never come, as far as that is known, or a payoff before the planting.
    """
    known = [place for _, place in _places(before)] if before else []
    reading, brief = stores.codex.reading_order(), stores.books.get(stores.nodes.root().book).brief
    for name, place in _places(record):
        if place not in known:
            _check_place(name, place, stores, reading, brief)
    if isinstance(record, Foreshadowing) and record != before:
        check_order(record, reading)


def check_order(thread: Foreshadowing, reading: ReadingOrder) -> None:
    """Raise `InvalidEntry` for a thread that is paid off or brought back too early, or brought back too late."""
    seed, payoff = thread.seed.planned_at, thread.payoff.planned_at
    if seed is not None and payoff is not None and _is_earlier(payoff, seed, reading):
        raise InvalidEntry(
            f"the thread {thread.id!r} would be paid off ({payoff}) before it is planted ({seed}); "
            "give it a later --payoff-at or an earlier --plant-at"
        )
    for place in thread.timeline.reinforce_at:
        if (seed and _is_earlier(place, seed, reading)) or (payoff and _is_earlier(payoff, place, reading)):
            raise InvalidEntry(
                f"the thread {thread.id!r} would be brought back ({place}) before it is planted ({seed}) or after it "
                f"is paid off ({payoff}); give it another --reinforce-at"
            )


def _is_earlier(one: Place, other: Place, reading: ReadingOrder) -> bool:
    if one.share is not None and other.share is not None:
        return one.share < other.share
    if one.label and other.label:
        return order_of(one.label) < order_of(other.label)
    return reading.number(one) < reading.number(other)


def _places(record: Record | None) -> Iterator[tuple[str, Place]]:
    """Every place that a record names, with what it is called there."""
    named: list[tuple[str, Place | None]] = []
    if isinstance(record, Secret):
        named = [("revealed_at", record.revealed_at)]
    if isinstance(record, Foreshadowing):
        named = [("plant_at", record.seed.planned_at), ("payoff_at", record.payoff.planned_at)]
        named += [("reinforce_at", place) for place in record.timeline.reinforce_at]
        named += [(f"the place of {event.type}", event.place) for event in record.timeline.events]
    if isinstance(record, CodexEntry):
        named = [(f"known_from of {section.name!r}", section.known_from) for section in record.sections]
        named += [(f"the beginning of {phase.name!r}", phase.begins) for phase in record.phases]
    yield from ((name, place) for name, place in named if place is not None)


def _check_place(name: str, place: Place, stores: Stores, reading: ReadingOrder, brief: Brief) -> None:
    if place.chapter is not None:
        most = _most_chapters(reading, brief)
        if place.chapter > most:
            raise InvalidEntry(
                f"{name} is chapter {place.chapter}, and this book has no more than {most} chapters; "
                "name an earlier one, or a share of its length such as 95%"
            )
    elif place.label is not None and not _may_come(place.label, stores, reading):
        raise InvalidEntry(
            f"{name} is {place.label}, and this book has no such unit and will have none there; "
            "`bookwright tree` shows those that there are"
        )


def _most_chapters(reading: ReadingOrder, brief: Brief) -> int:
    """How many chapters a book can have: all once the last is there, else by the shortest that one usually is."""
    if reading.chapters and not reading.usual:
        return len(reading.chapters)
    level = child_level(Level.BOOK, brief.length) or Level.PARAGRAPH
    chapter = level if level.finer and not level.is_at_least(Level.ACT) else Level.CHAPTER
    least = min(chapter.bounds[0], brief.max_unit_length or chapter.bounds[0])
    return max(_MARGIN * -(-brief.length // least), len(reading.chapters) + 1)


def _may_come(label: str, stores: Stores, reading: ReadingOrder) -> bool:
    """Whether a unit is there, or may still be made: units are made in reading order, one behind the other."""
    there = [node.label for node in stores.nodes.walk(TaskType.WRITE)]
    if label in there:
        return True
    last = max(there, key=order_of)
    return bool(reading.usual) and order_of(label) > order_of(last)
