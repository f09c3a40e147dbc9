"""What checks and pages of code look at: a book's pages, chapters and register, without a database behind them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bookwright.agents.relay.leaks.folding import fold
from bookwright.agents.relay.leaks.keywords import find_keyword
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadEventType
from bookwright.models.story.register import Register, RegisteredThread, ThreadRole
from bookwright.models.text.language import Language
from bookwright.models.tree.place import ReadingOrder

_SHOWS = (ThreadEventType.PLANT, ThreadEventType.REINFORCE, ThreadEventType.HINT)


@dataclass(frozen=True)
class PageSeen:
    """A page of a member."""

    label: str
    title: str
    text: str
    length: int
    member: str
    stage: str
    """The stage's name in the book's language."""
    document: int
    is_entry: bool = False
    is_findings: bool = False
    is_made: bool = False
    """Code makes it of the others."""
    is_spoiler: bool = False
    asked: int = 0
    """How long it was to be; 0 where nobody has said."""
    sources: int = 0
    """How many places outside the book it is on record to rest on."""


@dataclass(frozen=True)
class ChapterSeen:
    """A chapter, or what stands in a chapter's place."""

    number: int
    label: str
    title: str
    length: int
    asked: int
    document: int
    part: str = ""
    """The title of the part that it stands in."""
    was_read: bool = False
    """A model has held it against the register, so that what is not on record is not on the page."""


@dataclass(frozen=True)
class BookSnapshot:
    """One book as code can see it."""

    title: str
    language: Language
    premise: str = ""
    pages: tuple[PageSeen, ...] = ()
    chapters: tuple[ChapterSeen, ...] = ()
    register: Register | None = None
    threads: Mapping[str, Foreshadowing] = field(default_factory=dict)
    """The register's threads as the codex has them by now, by id."""
    reading: ReadingOrder = field(default_factory=ReadingOrder)
    people: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Who is in the book, with the numbers of the chapters that name them."""
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """All names of some of those people, by the one that they go by."""
    own_locale: str = ""
    """`zh-hans` where what code says in Chinese is to be in simplified characters; the language's name if not said."""

    @property
    def locale(self) -> str:
        """In which words code speaks."""
        return self.own_locale or self.language.value

    def knows(self, title: str) -> bool:
        """True for the title of a page that is about one of the people, by whichever of their names."""
        text = fold(title)
        names = (name for own in self.people for name in self.aliases.get(own, (own,)))
        return any(find_keyword(text, name) for name in names)

    def laid(self, *roles: ThreadRole) -> list[RegisteredThread]:
        """Return the threads of the register, if there is one: all, or those with one of these roles."""
        threads = self.register.threads if self.register else ()
        return [own for own in threads if not roles or own.role in roles]

    def shown_in(self, thread: str) -> list[int]:
        """Return the chapters that show a thread before it is answered, in order."""
        return self._chapters_of(thread, _SHOWS)

    def answered_in(self, thread: str) -> list[int]:
        """Return the chapters that answer a thread."""
        return self._chapters_of(thread, (ThreadEventType.REVEAL,))

    def is_answered(self, thread: str) -> bool:
        """True if a chapter answers a thread that does not come before the first one that shows it."""
        shown, answered = self.shown_in(thread), self.answered_in(thread)
        return bool(answered) and (not shown or answered[-1] >= shown[0])

    def _chapters_of(self, thread: str, kinds: tuple[ThreadEventType, ...]) -> list[int]:
        known = self.threads.get(thread)
        events = known.timeline.events if known else ()
        return sorted({self.reading.number(event.place) for event in events if event.type in kinds})

    def label_of(self, chapter: int) -> str:
        """Return the label of a chapter by its number; of the last one where there are not so many."""
        found = next((own.label for own in self.chapters if own.number == chapter), None)
        return found or (self.chapters[-1].label if self.chapters else "")

    def were_read(self, up_to: int | None = None) -> bool:
        """True if a model has held every chapter, or every one up to a number, against the register."""
        return all(own.was_read for own in self.chapters if up_to is None or own.number <= up_to)
