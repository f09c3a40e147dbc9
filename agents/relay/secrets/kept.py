"""The one rule for what is withheld at a place of a book, from its writer and from its readers; and forbidden words.

A text below level 2 is not for the writer, one below level 3 not for the page; what forbids words forbids
them as long as it is kept. Whoever filters, guards, reviews or compares asks here. Source: DESIGN section 10,
items 0, 2 and 4; DETAILS "Visibility levels", the four sources.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from bookwright.agents.relay.codex_texts import CodexText, is_unknown, payoff_text, secret_text, section_texts
from bookwright.agents.relay.history.codex_then import CodexReader
from bookwright.agents.relay.secrets.matching import Withholding
from bookwright.agents.relay.secrets.public import NOTHING_PUBLIC, Public
from bookwright.models.codex.entries import Secret, Visibility, folded
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadStatus
from bookwright.models.codex.sight import SeenEntry
from bookwright.models.frozen import FrozenModel
from bookwright.models.tree.place import ReadingOrder


class SourceKind(StrEnum):
    """Where a forbidden word comes from."""

    FORESHADOWING = "foreshadowing"
    VISIBILITY = "visibility"
    """A secret."""
    GLOBAL = "global"
    """The author's own list for the whole book."""
    ENTITY = "entity"
    """A section of an entry."""


_KINDS = {"secret": SourceKind.VISIBILITY, "foreshadowing": SourceKind.FORESHADOWING}


class KeywordSource(FrozenModel):
    """What forbids a word, and how much of that the writer may know."""

    kind: SourceKind
    id: str = ""
    level: Visibility = Visibility.KNOW


class ForbiddenKeyword(FrozenModel):
    """One word, with all that forbid it."""

    text: str
    sources: tuple[KeywordSource, ...]

    @property
    def may_be_shown(self) -> bool:
        """Whether the writer may read it: what only something hidden forbids would give that away."""
        return any(source.level >= Visibility.KNOW for source in self.sources)


class ForbiddenKeywords(FrozenModel):
    """All of them, sorted, none twice."""

    keywords: tuple[ForbiddenKeyword, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """For the reviewer."""
        return tuple(keyword.text for keyword in self.keywords)

    @property
    def shown(self) -> tuple[str, ...]:
        """For the writer."""
        hidden = [folded(keyword.text) for keyword in self.keywords if not keyword.may_be_shown]
        told = [keyword.text for keyword in self.keywords if keyword.may_be_shown]
        return tuple(text for text in told if not any(word in folded(text) for word in hidden))


def _source(piece: CodexText) -> KeywordSource:
    kind = _KINDS.get(piece.source, SourceKind.ENTITY)
    place = f"{piece.id}/{piece.name}" if kind is SourceKind.ENTITY else piece.id
    return KeywordSource(kind=kind, id=place, level=piece.level)


@dataclass(frozen=True)
class Kept:
    """A codex at one place, every text of it with its level."""

    sections: tuple[tuple[SeenEntry, tuple[CodexText, ...]], ...] = ()
    """Entries with their sections."""
    others: tuple[CodexText, ...] = ()
    """Secrets, and payoffs of threads."""
    everywhere: tuple[str, ...] = ()
    """What the author forbids in the whole book."""
    seeds: tuple[str, ...] = ()
    """What threads plant: readers are meant to see it."""
    public: Public = NOTHING_PUBLIC
    """What is held against nobody there, where that was asked."""

    @cached_property
    def pieces(self) -> tuple[CodexText, ...]:
        """Every text, those of secrets and threads first."""
        return (*self.others, *(piece for _, own in self.sections for piece in own))

    @cached_property
    def keywords(self) -> ForbiddenKeywords:
        """All that is forbidden there, with what forbids it; what is out forbids nothing any more."""
        found: dict[str, tuple[str, list[KeywordSource]]] = {}
        kept = (piece for piece in self.pieces if piece.level < Visibility.USE)
        sources = [
            *((word, KeywordSource(kind=SourceKind.GLOBAL)) for word in self.everywhere),
            *((word, _source(piece)) for piece in kept for word in piece.forbidden),
        ]
        for word, source in sources:
            found.setdefault(folded(word), (word, []))[1].append(source)
        keywords = (ForbiddenKeyword(text=word, sources=tuple(dict.fromkeys(own))) for word, own in found.values())
        return ForbiddenKeywords(keywords=tuple(sorted(keywords, key=lambda keyword: keyword.text)))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All that is forbidden there, whatever forbids it."""
        return self.keywords.all

    @cached_property
    def withheld(self) -> Withholding:
        """What is kept from the writer; a name by which everybody may be called is no secret about them."""
        held = [piece for piece in self.pieces if piece.level < Visibility.KNOW]
        shown = (piece.text for piece in self.pieces if piece.level >= Visibility.KNOW and piece.text)
        unknown = [seen.entry for seen, own in self.sections if is_unknown(seen, own)]
        hidden = {folded(name) for entry in unknown for name in (entry.id, *entry.names)}
        about = (piece.about for piece in self.pieces if piece.about)
        names = dict.fromkeys([*(name for seen, _ in self.sections for name in seen.entry.names), *about])
        words = [word for piece in held for word in piece.forbidden] + [name for own in unknown for name in own.names]
        return Withholding(
            texts=tuple(piece.text for piece in held if piece.text),
            words=tuple(dict.fromkeys(words)),
            known=(*shown, *self.seeds, *(name for name in names if folded(name) not in hidden)),
            allowed=tuple(dict.fromkeys(words for piece in self.pieces for words in piece.allowed if words)),
        )

    @cached_property
    def off_page(self) -> tuple[CodexText, ...]:
        """What readers are not to know yet: secrets, and payoffs of threads."""
        return tuple(piece for piece in self.others if _is_off_page(piece))

    @cached_property
    def secrets(self) -> tuple[Secret, ...]:
        """The same in the form of secrets."""
        return tuple(map(_as_secret, self.off_page))

    @cached_property
    def off_page_sections(self) -> tuple[tuple[str, CodexText], ...]:
        """Sections that may not be told, each with the name of its entry."""
        return tuple((seen.entry.name, piece) for seen, own in self.sections for piece in own if _is_off_page(piece))

    @cached_property
    def settings(self) -> tuple[str, ...]:
        """Their texts."""
        return tuple(piece.text for _, piece in self.off_page_sections)

    @property
    def is_hiding(self) -> bool:
        """Whether anything is kept that a model could find in other words than its own."""
        return bool(self.secrets or self.settings)


def kept_at(codex: CodexReader, at: str, words: Iterable[str] = ()) -> Kept:
    """Return what a codex keeps back in the unit `at`; `words` are forbidden everywhere."""
    return kept_of(codex.seen_at(at), codex.secrets(), codex.threads(), at, codex.reading_order(), words)


def kept_of(
    seen: Iterable[SeenEntry], secrets: Iterable[Secret], threads: Iterable[Foreshadowing], at: str,
    reading: ReadingOrder, words: Iterable[str] = (),
) -> Kept:  # fmt: skip
    """Return the same of records that were read already."""
    threads = list(threads)
    return Kept(
        sections=tuple((entry, tuple(section_texts(entry))) for entry in seen if not entry.is_later),
        others=(
            *(secret_text(secret, at, reading) for secret in secrets),
            *(payoff_text(thread, at, reading) for thread in threads),
        ),
        everywhere=tuple(words),
        seeds=tuple(
            thread.seed.content
            for thread in threads
            if thread.seed.content and thread.status is not ThreadStatus.ABANDONED
        ),
    )


def _is_off_page(piece: CodexText) -> bool:
    return piece.level < Visibility.USE and bool(piece.text.strip())


def _as_secret(piece: CodexText) -> Secret:
    return Secret(
        id=piece.id, content=piece.text, visibility=piece.level, forbidden_keywords=piece.forbidden,
        allowed_expressions=piece.allowed, related_entity=piece.about,
    )  # fmt: skip
