"""Computes which documents of a book are stale, exactly, from what stood in each prompt. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

from bookwright.models.codex.record import RecordKind
from bookwright.models.document import DocumentKind, DocumentOrigin


class Touch(StrEnum):
    """The way in which the record affected the text."""

    SHOWN = "shown"
    """Something of it stood in a prompt that made the text, or would stand there now."""
    CHECKED = "checked"
    """A model that reviewed the text was told of it, or would be now."""
    HELD_BACK = "held back"
    """Something was taken out of a prompt or refused for its sake, or would be now."""
    TOLD = "told"
    """The text itself gives away what it says now."""


@dataclass(frozen=True)
class Rewording:
    """A record that an author has changed since a text was made that it could have touched."""

    kind: RecordKind
    slug: str
    old: int
    """The version that stood when the text was made."""
    new: int
    is_removed: bool
    touch: Touch
    news: tuple[str, ...] = ()
    """What a writer may read of it now and could not then, a line each."""


@dataclass(frozen=True)
class Giveaway:
    """A chapter that tells what a record keeps which an author has added since."""

    label: str
    kind: RecordKind
    slug: str


Slot = tuple[int, DocumentKind]
"""A node's key and a kind: what has versions."""

UNREAD = (
    DocumentKind.QUESTIONS, DocumentKind.QUALITY, DocumentKind.WRITE_PLAN, DocumentKind.LEAK_REVIEW,
    DocumentKind.CONSISTENCY, DocumentKind.REGISTER, DocumentKind.RETELLING, DocumentKind.REVIEW,
    DocumentKind.REPORT, DocumentKind.VOICE, DocumentKind.CANDIDATES,
)  # fmt: skip
"""Kinds that never go stale: they served or judged one making of their unit, or are found once for a whole book.

How a book is told does not hang on a decision that is changed after its first page; a voice that its author changes
is another matter for all that was written in the old one.
"""

_ADVICE = (DocumentKind.RETELLING, DocumentKind.REVIEW, DocumentKind.CONSISTENCY)
"""What was said about a text: later units were advised by it, and stand when it is said again in other words."""

_IN_ORDER = (
    DocumentKind.BOOK_DESIGN, DocumentKind.GLOBAL_STATE, DocumentKind.DESIGN, DocumentKind.FINDINGS, DocumentKind.VOICE,
    DocumentKind.WRITERS_BRIEF, DocumentKind.PROSE, DocumentKind.SUMMARY, DocumentKind.REVIEW, DocumentKind.BLURB,
)  # fmt: skip
"""In which order the documents of one node are made."""


@dataclass(frozen=True)
class Version:
    """One version of a document, without its text."""

    id: int
    node: int
    label: str
    kind: DocumentKind
    version: int
    text_hash: str
    origin: DocumentOrigin
    step: int | None

    @property
    def slot(self) -> Slot:
        """What it is a version of."""
        return self.node, self.kind

    @property
    def place(self) -> tuple[tuple[float, ...], int]:
        """Sort key of reading order: what closes a node comes after its parts, what is kept over the book first."""
        order = tuple(float(ordinal) for ordinal in self.label.split("."))
        closing = (float("-inf"),) if self.kind.is_running else (*order, float("inf"))
        return closing, _IN_ORDER.index(self.kind) if self.kind in _IN_ORDER else len(_IN_ORDER)


@dataclass(frozen=True)
class Cause:
    """A version that a document was made from, and the one that stands in its place now."""

    old: Version
    new: Version


@dataclass(frozen=True)
class StaleDocument:
    """A current document that rests on what is no longer current."""

    document: Version
    causes: tuple[Cause, ...] = ()
    """What of its own prompts was replaced; empty if that is only true of what it rests on."""
    rewordings: tuple[Rewording, ...] = ()
    """What of the codex was changed that could have touched its own prompts."""
    through: tuple[Version, ...] = ()
    """From what it rests on down to a document with causes of its own; empty where it has some itself."""

    @property
    def is_direct(self) -> bool:
        """True if its own prompts, not only those of what it rests on, would read otherwise now."""
        return bool(self.causes or self.rewordings)


def replacement(old: Version, versions: Sequence[Version]) -> Version | None:
    """Return the version that a mind was changed to since `old`; None if what it says still stands.

    A running document that went on by itself superseded what it was, and nobody takes anything back by that;
    of one that an author changed, the last of the author's versions in a row is compared. A version that was only put
    right says what it said before. `versions` has all versions of the same document in order.
    """
    if old.kind in _ADVICE:
        return None
    later: Iterable[Version] = (version for version in versions if version.version > old.version)
    if old.kind.is_running:
        later = takewhile(lambda version: version.origin.is_revision, later)
    alike, found = {old.text_hash}, None
    for version in later:
        if version.origin is not DocumentOrigin.REPAIR:
            found = None if version.text_hash in alike else version
        elif found is None:
            alike.add(version.text_hash)
    return found


class DependencyGraph:
    """The documents of a book, or some of them, with what each rests on."""

    def __init__(
        self, versions: Iterable[Version], inputs: Iterable[tuple[int, int]],
        rewordings: Mapping[int, tuple[Rewording, ...]] | None = None,
    ) -> None:  # fmt: skip
        """Take versions of documents, and pairs of a document's id and the id of one of its inputs.

        `rewordings` are what of the codex could have touched some documents, by their ids.
        """
        self._rewordings = rewordings or {}
        self._by_id = {version.id: version for version in sorted(versions, key=lambda version: version.id)}
        self._slots: dict[Slot, list[Version]] = defaultdict(list)
        for version in self._by_id.values():
            self._slots[version.slot].append(version)
        self._inputs: dict[int, list[Version]] = defaultdict(list)
        for document, source in sorted(inputs):
            if source in self._by_id:
                self._inputs[document].append(self._by_id[source])

    def direct(self) -> list[StaleDocument]:
        """Return what has a replaced text in its own prompts, in reading order."""
        current = (versions[-1] for (_, kind), versions in self._slots.items() if kind not in UNREAD)
        found = (StaleDocument(made, self.causes(made), self._rewordings.get(made.id, ())) for made in current)
        return sorted((stale for stale in found if stale.is_direct), key=lambda stale: stale.document.place)

    def stale(self) -> list[StaleDocument]:
        """Return what is stale, directly or through something else, in reading order."""
        direct = self.direct()
        via = self._spread({stale.document.id for stale in direct})
        reached = [self._by_id[key] for key in via if self._is_current(self._by_id[key])]
        found = [*direct, *(StaleDocument(version, through=self._way(version, via)) for version in reached)]
        return sorted(found, key=lambda stale: stale.document.place)

    def causes(self, document: Version) -> tuple[Cause, ...]:
        """Return which texts of a version's prompts were replaced, oldest first."""
        pairs = ((old, replacement(old, self._slots[old.slot])) for old in self._others(document))
        return tuple(Cause(old, new) for old, new in pairs if new is not None)

    def _others(self, document: Version) -> list[Version]:
        """What else it was made from: an earlier version of itself is no other text.

        A running document that an author's note has changed is the author's: its keeper hears of what is owed, no more.
        """
        if document.kind.is_running and document.origin is DocumentOrigin.NOTE:
            return []
        return [source for source in self._inputs[document.id] if source.slot != document.slot]

    def _is_current(self, version: Version) -> bool:
        return self._slots[version.slot][-1] is version

    def _spread(self, tainted: set[int]) -> dict[int, Version]:
        """Return what rests on stale documents, each with one of these; of running documents every version.

        Nearly all rest on what is older, so that one round finds them and another nothing more.
        """
        via: dict[int, Version] = {}
        bearing = [
            version
            for version in self._by_id.values()
            if version.kind.is_running or (version.kind not in UNREAD and self._is_current(version))
        ]
        before = -1
        while before != len(tainted):
            before = len(tainted)
            debts: dict[int, dict[Slot, Version]] = {}
            for version in bearing:
                find = self._debt if version.kind.is_running else self._tainted
                source = find(version, tainted, debts)
                if source is not None and version.id not in tainted:
                    tainted.add(version.id)
                    via[version.id] = source
        return via

    def _tainted(self, document: Version, tainted: set[int], debts: dict[int, dict[Slot, Version]]) -> Version | None:
        """What is stale of that which a document rests on; an earlier version of itself in it does not count."""
        standing = (self._standing(source) for source in self._others(document))
        stale = (one for one in standing if one.id in tainted)
        return next((one for one in stale if not one.kind.is_running or debts[one.id].keys() - {document.slot}), None)

    def _standing(self, source: Version) -> Version:
        """What speaks for an input now: of what says the same again, the newest."""
        return source if source.kind.is_running else self._slots[source.slot][-1]

    def _debt(self, version: Version, tainted: set[int], debts: dict[int, dict[Slot, Version]]) -> Version | None:
        """What a version of a running document has taken in that is stale, and has not taken in anew since."""
        owed: dict[Slot, Version] = {}
        for source in self._inputs[version.id]:
            if source.slot == version.slot:
                owed = debts.get(source.id, {}) | owed
        for source in self._others(version):
            owed.pop(source.slot, None)
            if replacement(source, self._slots[source.slot]) is not None:
                owed[source.slot] = version
            elif self._standing(source).id in tainted:
                owed[source.slot] = self._standing(source)
        debts[version.id] = owed
        return next(iter(owed.values()), None)

    def _way(self, version: Version, via: Mapping[int, Version]) -> tuple[Version, ...]:
        way: list[Version] = []
        while version.id in via and via[version.id] is not version:
            version = via[version.id]
            way.append(version)
        return tuple(way)
