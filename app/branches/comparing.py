"""Two branches, or two versions of a unit, side by side: what differs, in figures, scores, threads and words."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from bookwright.app.access import OpenBook
from bookwright.app.branches.kinship import kinship
from bookwright.app.changes.versions import two_versions
from bookwright.app.node_lookup import find_node
from bookwright.exports.report.book_report import report_of
from bookwright.models.codex.record import RecordKind
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.models.story.report import BookReport
from bookwright.models.text.diff import Change, word_diff
from bookwright.models.tree.place import order_of
from bookwright.models.tree.task import TaskNode
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage, Stores


@dataclass(frozen=True)
class UnitPair:
    """A unit with a text of its own in either of two books."""

    label: str
    title: str
    a: int | None
    """Its length there, in the book's unit; None where it has no text, or is not there."""
    b: int | None
    is_same: bool


@dataclass(frozen=True)
class ChapterPair:
    """A chapter's figures and scores in two books; empty where it is in one alone."""

    label: str
    a: dict[str, float]
    b: dict[str, float]


@dataclass(frozen=True)
class BranchComparison:
    """Two books of one tree of branches."""

    a: str
    b: str
    units: tuple[UnitPair, ...]
    chapters: tuple[ChapterPair, ...]
    """Those of whose text something differs."""
    threads: tuple[tuple[str, str, str], ...]
    """Promises and threads that end differently: title, and how they stand in each."""
    secrets: tuple[tuple[str, str, str], ...]
    records: tuple[str, ...]
    """Entries, secrets and threads of the codex that read differently."""
    costs: tuple[int, int]
    """What each has paid by itself, in millionths of a dollar."""
    tokens: tuple[int, int]

    @property
    def differing(self) -> tuple[UnitPair, ...]:
        """The units whose texts differ."""
        return tuple(unit for unit in self.units if not unit.is_same)

    def facts(self) -> dict[str, Any]:
        """Return it for `--json`."""
        return asdict(self) | {"differing": [unit.label for unit in self.differing]}


@dataclass(frozen=True)
class TextPair:
    """Two texts of one unit, side by side."""

    label: str
    names: tuple[str, str]
    a: str
    b: str

    @property
    def paragraphs(self) -> list[tuple[str, str]]:
        """Both texts paragraph by paragraph; those that were only changed stand beside each other."""
        return [("".join(old for old, _ in some), "".join(new for _, new in some)) for some in self.rows]

    @property
    def rows(self) -> list[list[Change]]:
        """The same with what differs in each, word by word; a row ends where both begin a new paragraph."""
        rows: list[list[Change]] = [[]]
        old_ends = new_ends = True
        for old, new in self.changes():
            rows[-1].append((old, new))
            old_ends, new_ends = old.endswith("\n") if old else old_ends, new.endswith("\n") if new else new_ends
            if old_ends and new_ends:
                rows.append([])
        return [row for row in rows if row]

    def changes(self) -> Iterator[Change]:
        """Yield what differs, by paragraph first and then by word."""
        return word_diff(self.a, self.b)


def compare(a: OpenBook, b: OpenBook) -> BranchComparison:
    """Compare two branches of one book.

    Raises:
        InvalidInput: They are no branches of one book.
    """
    units = compare_units(a, b)
    with a.storage.read() as mine, b.storage.read() as theirs:
        records = tuple(_records(mine, theirs))
    reports = _report(a), _report(b)
    changed = {unit.label for unit in units if not unit.is_same}
    return BranchComparison(
        a.book.id, b.book.id, units, tuple(_chapters(reports, changed)),
        tuple(_endings(*({thread.title: thread.ending for thread in one.threads} if one else {} for one in reports))),
        tuple(_endings(*({secret.id: str(secret.ending) for secret in one.secrets} if one else {} for one in reports))),
        records, (a.book.cost, b.book.cost), (a.book.tokens, b.book.tokens),
    )  # fmt: skip


def compare_units(a: OpenBook, b: OpenBook) -> tuple[UnitPair, ...]:
    """Return the units of two branches that have texts of their own, with their lengths alone.

    Raises:
        InvalidInput: They are no branches of one book.
    """
    with a.storage.read() as mine, b.storage.read() as theirs:
        kinship(mine, theirs)
        return tuple(_units(_lengths(mine), _lengths(theirs)))


def other_branch(opened: OpenBook, identity: str) -> OpenBook:
    """Open another book of the same database.

    Raises:
        BookNotFound: No book, or more than one, answers to that.
    """
    with opened.storage.database.read() as connection:
        book = BookRepository(connection).get(identity)
    storage = BookStorage(opened.storage.database, book.id, book.brief.language)
    return OpenBook(opened.settings, storage, book)


def text_pair(a: OpenBook, b: OpenBook, place: str) -> TextPair:
    """Return the text of a unit in two branches.

    Raises:
        NodeNotFound: One of them has no such unit.
        InvalidInput: Nothing of it is written in one.
    """
    with a.storage.read() as mine, b.storage.read() as theirs:
        kinship(mine, theirs)
        first = find_node(place, mine)
        second = theirs.nodes.by_label(first.label)
        return TextPair(first.label, (a.book.id, b.book.id), _text(mine, first), _text(theirs, second))


def version_pair(opened: OpenBook, place: str, first: int, second: int) -> TextPair:
    """Return two versions of a unit's text.

    Raises:
        InvalidInput: There is no such version.
    """
    with opened.storage.read() as stores:
        node = find_node(place, stores)
        found = two_versions(stores, node, DocumentKind.PROSE, first, second)
    return TextPair(node.label, (f"version {first}", f"version {second}"), found.before, found.after)


def _text(stores: Stores, unit: TaskNode) -> str:
    found = stores.prose_of(unit)
    if not found:
        raise InvalidInput(f"nothing of {unit.name} is written in {unit.book!r} yet")
    return found


def _lengths(stores: Stores) -> dict[str, tuple[str, int, str]]:
    """The units with texts of their own: title, length and hash by label."""
    titles = {unit.label: unit.title for unit in stores.nodes.titled_units()}
    found = stores.documents.labelled(DocumentKind.PROSE)
    return {label: (titles.get(label, ""), document.length, document.text_hash) for label, document in found}


def _units(mine: dict[str, tuple[str, int, str]], theirs: dict[str, tuple[str, int, str]]) -> Iterator[UnitPair]:
    for label in sorted(mine.keys() | theirs.keys(), key=order_of):
        a, b = mine.get(label), theirs.get(label)
        title = next(found[0] for found in (a, b) if found)
        is_same = a is not None and b is not None and a[2] == b[2]
        yield UnitPair(label, title, a[1] if a else None, b[1] if b else None, is_same)


def _records(mine: Stores, theirs: Stores) -> Iterator[str]:
    for kind in RecordKind:
        a, b = ({one.record.id: one.record for one in stores.codex.current(kind)} for stores in (mine, theirs))
        yield from (f"{kind.noun} {name}" for name in sorted(a.keys() | b.keys()) if a.get(name) != b.get(name))


def _report(opened: OpenBook) -> BookReport | None:
    with suppress(InvalidInput):  # nothing of it is written yet
        return report_of(opened.storage, opened.settings)
    return None


def _chapters(reports: tuple[BookReport | None, BookReport | None], changed: set[str]) -> Iterator[ChapterPair]:
    a, b = ({one.label: _figures(one) for one in report.chapters} if report else {} for report in reports)
    for label in sorted(a.keys() | b.keys(), key=order_of):
        if any(one == label or one.startswith(f"{label}.") for one in changed):
            yield ChapterPair(label, a.get(label, {}), b.get(label, {}))


def _figures(chapter: Any) -> dict[str, float]:
    figures, rhythm = chapter.figures, chapter.figures.rhythm
    told = {"length": figures.length, "dialogue": figures.dialogue, "sentence mean": rhythm.mean}
    told |= {"sentence spread": rhythm.spread, "repeated passages": len(figures.shared)}
    scores = chapter.quality.scores.model_dump() if chapter.quality and chapter.quality.scores else {}
    told |= {f"score {name}": value for name, value in scores.items()}
    return {name: round(float(value), 3) for name, value in told.items() if isinstance(value, int | float)}


def _endings(a: dict[str, str], b: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    for name in sorted(a.keys() | b.keys()):
        if a.get(name) != b.get(name):
            yield name, a.get(name, "not there"), b.get(name, "not there")
