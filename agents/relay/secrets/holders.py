"""Finds the codex records because of which a passage was withheld."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bookwright.agents.relay.leaks.folding import fold
from bookwright.agents.relay.leaks.keywords import find_keyword
from bookwright.agents.relay.secrets.phrases import Phrases
from bookwright.models.codex.entries import CodexEntry, Secret
from bookwright.models.codex.record import Record, RecordKind, Stored
from bookwright.models.document import CodexUse
from bookwright.storage.repositories.codex import CodexRepository


@dataclass(frozen=True)
class Holders:
    """The records of a codex, in which the cause of a withheld passage is looked up."""

    records: tuple[Stored[Record], ...]
    known: int
    """The row of the newest change to the codex."""

    @classmethod
    def of(cls, codex: CodexRepository) -> "Holders":
        """Return the codex as it stands."""
        return cls(tuple(stored for kind in RecordKind for stored in codex.current(kind)), codex.newest())

    def use(self, excerpts: Iterable[str]) -> CodexUse:
        """Return the codex use of a text from whose prompt these excerpts were taken out."""
        places = [fold(excerpt) for excerpt in excerpts]
        cut_by = [
            stored.id
            for stored in self.records
            if any(Phrases(texts_of(stored.record)).places(place) for place in places)
            or any(find_keyword(place, word) for word in words_of(stored.record) for place in places)
        ]
        return CodexUse(self.known, tuple(cut_by))


def texts_of(record: Record) -> list[str]:
    """Return the texts of a record that can be withheld, by their phrases."""
    if isinstance(record, CodexEntry):
        return [section.text for section in record.sections if section.text]
    text = record.content if isinstance(record, Secret) else record.payoff.content
    return [text] if text else []


def words_of(record: Record) -> Iterator[str]:
    """Yield the words that a record forbids while something of it is withheld."""
    if isinstance(record, Secret):
        yield from record.forbidden_keywords
    elif isinstance(record, CodexEntry):
        yield from record.names
        yield from (word for section in record.sections for word in section.forbidden_keywords)
    else:
        yield from record.ai_visibility.forbidden_keywords
