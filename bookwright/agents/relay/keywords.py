"""Words that a text must not hold, each with where it comes from.

Source: DETAILS "Visibility levels", the four sources.
"""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from bookwright.agents.relay.foreshadowing import level_at
from bookwright.agents.relay.pieces import secret_level, section_level
from bookwright.models.codex import Secret, Visibility, folded
from bookwright.models.foreshadowing import Foreshadowing, ThreadStatus
from bookwright.models.place import ReadingOrder
from bookwright.models.sight import SeenEntry


class SourceKind(StrEnum):
    """Where a forbidden word comes from."""

    FORESHADOWING = "foreshadowing"
    VISIBILITY = "visibility"
    """A secret."""
    GLOBAL = "global"
    """The author's own list for the whole book."""
    ENTITY = "entity"
    """A section of an entry."""


class KeywordSource(BaseModel):
    """What forbids a word, and how much of that the writer may know."""

    model_config = ConfigDict(frozen=True)

    kind: SourceKind
    id: str = ""
    level: Visibility = Visibility.KNOW


class ForbiddenKeyword(BaseModel):
    """One word, with all that forbid it."""

    model_config = ConfigDict(frozen=True)

    text: str
    sources: tuple[KeywordSource, ...]

    @property
    def may_be_shown(self) -> bool:
        """Whether the writer may read it: what only something hidden forbids would give that away."""
        return any(source.level >= Visibility.KNOW for source in self.sources)


class ForbiddenKeywords(BaseModel):
    """All of them, sorted, none twice."""

    model_config = ConfigDict(frozen=True)

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


def collect_forbidden(
    seen: Iterable[SeenEntry], secrets: Iterable[Secret], threads: Iterable[Foreshadowing], everywhere: Iterable[str],
    at: str, reading: ReadingOrder,
) -> ForbiddenKeywords:  # fmt: skip
    """Return every word that is forbidden in the unit `at`; what is out already forbids nothing any more."""
    found: dict[str, tuple[str, list[KeywordSource]]] = {}
    sources = [
        *((word, KeywordSource(kind=SourceKind.GLOBAL)) for word in everywhere),
        *_of_secrets(secrets, at, reading),
        *_of_threads(threads, at, reading),
        *_of_sections(seen),
    ]
    for word, source in sources:
        found.setdefault(folded(word), (word, []))[1].append(source)
    keywords = (ForbiddenKeyword(text=word, sources=tuple(dict.fromkeys(own))) for word, own in found.values())
    return ForbiddenKeywords(keywords=tuple(sorted(keywords, key=lambda keyword: keyword.text)))


def _of_secrets(secrets: Iterable[Secret], at: str, reading: ReadingOrder) -> Iterable[tuple[str, KeywordSource]]:
    for secret in secrets:
        level = secret_level(secret, at, reading)
        if level < Visibility.USE:
            source = KeywordSource(kind=SourceKind.VISIBILITY, id=secret.id, level=level)
            yield from ((word, source) for word in secret.forbidden_keywords)


def _of_threads(
    threads: Iterable[Foreshadowing], at: str, reading: ReadingOrder
) -> Iterable[tuple[str, KeywordSource]]:
    for thread in threads:
        level = level_at(thread, at, reading)
        if level < Visibility.USE and thread.status is not ThreadStatus.ABANDONED:
            source = KeywordSource(kind=SourceKind.FORESHADOWING, id=thread.id, level=level)
            yield from ((word, source) for word in thread.ai_visibility.forbidden_keywords)


def _of_sections(seen: Iterable[SeenEntry]) -> Iterable[tuple[str, KeywordSource]]:
    for entry in seen:
        for section in entry.sections:
            level = section_level(entry, section)
            if level < Visibility.USE:
                place = f"{entry.entry.id}/{section.section.name}"
                source = KeywordSource(kind=SourceKind.ENTITY, id=place, level=level)
                yield from ((word, source) for word in section.section.forbidden_keywords)
