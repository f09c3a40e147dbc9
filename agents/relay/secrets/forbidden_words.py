"""Words that a text must not hold, each with where it comes from.

Source: DETAILS "Visibility levels", the four sources.
"""

from collections.abc import Iterable
from enum import StrEnum

from bookwright.agents.relay.codex_texts import CodexText
from bookwright.models.codex.entries import Visibility, folded
from bookwright.models.frozen import FrozenModel


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


def collect_forbidden(pieces: Iterable[CodexText], everywhere: Iterable[str] = ()) -> ForbiddenKeywords:
    """Return every word that is forbidden at the place of some pieces; what is out forbids nothing any more."""
    found: dict[str, tuple[str, list[KeywordSource]]] = {}
    kept = (piece for piece in pieces if piece.level < Visibility.USE)
    sources = [
        *((word, KeywordSource(kind=SourceKind.GLOBAL)) for word in everywhere),
        *((word, _source(piece)) for piece in kept for word in piece.forbidden),
    ]
    for word, source in sources:
        found.setdefault(folded(word), (word, []))[1].append(source)
    keywords = (ForbiddenKeyword(text=word, sources=tuple(dict.fromkeys(own))) for word, own in found.values())
    return ForbiddenKeywords(keywords=tuple(sorted(keywords, key=lambda keyword: keyword.text)))


def _source(piece: CodexText) -> KeywordSource:
    kind = _KINDS.get(piece.source, SourceKind.ENTITY)
    place = f"{piece.id}/{piece.name}" if kind is SourceKind.ENTITY else piece.id
    return KeywordSource(kind=kind, id=place, level=piece.level)
