"""Tells quickly which codex records can matter to a unit's writer, without building the writer's context."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from bookwright.agents.relay.history.codex_then import CodexHistory, CodexThen, RecordSlot
from bookwright.agents.relay.leaks.folding import letters_of
from bookwright.agents.relay.leaks.keywords import stem_of
from bookwright.agents.relay.secrets.guard import texts_of, words_of
from bookwright.agents.relay.secrets.matching import Matcher, Withholding
from bookwright.agents.relay.secrets.phrases import Phrase, Phrases, phrases_of
from bookwright.models.codex.entries import CodexEntry, Secret, Visibility, folded
from bookwright.models.codex.record import Record
from bookwright.models.tree.place import Place


@dataclass(frozen=True)
class _Bearing:
    """The facts about an entry that decide whether it can matter to a unit."""

    entry: CodexEntry
    names: frozenset[str]
    """Its id and its names, as they are compared."""
    stems: tuple[str, ...]
    """A text that names the entry contains at least one of these."""
    is_open: bool
    """False if some of it is kept back throughout the book."""
    places: tuple[Place, ...]
    """Once all of these have come, nothing of an open entry is kept back."""


class RelevanceTest:
    """Tells which entries can change the hints that a unit's writer is shown.

    An entry cannot if the unit's plan does not name it, nothing of it is kept back and no secret is about it.
    """

    def __init__(self) -> None:
        self._bearings: dict[int, _Bearing] = {}

    def bears(self, record: Record, at: str, told: str, links: "RecordLinks") -> bool:
        """True if a record may matter to the unit `at`, whose plan is `told`."""
        return not isinstance(record, CodexEntry) or self._is_needed(record, at, letters_of(told), links)

    def of(self, codex: CodexThen, at: str, told: str, links: "RecordLinks") -> CodexThen:
        """Return a codex without the entries that cannot matter to a unit."""
        letters = letters_of(told)
        return codex.with_entries(lambda entry: self._is_needed(entry, at, letters, links))

    def _is_needed(self, entry: CodexEntry, at: str, letters: str, links: "RecordLinks") -> bool:
        own = self._bearing(entry)
        is_kept_back = not own.is_open or not all(links.reading.has_come(place, at) for place in own.places)
        return is_kept_back or not own.names.isdisjoint(links.about) or any(stem in letters for stem in own.stems)

    def _bearing(self, entry: CodexEntry) -> _Bearing:
        """The facts about an entry, cached by object identity: comparing records would cost more than finding them."""
        if id(entry) not in self._bearings:
            self._bearings[id(entry)] = _bearing_of(entry)
        return self._bearings[id(entry)]


def _bearing_of(entry: CodexEntry) -> _Bearing:
    phases = {folded(phase.name) for phase in entry.phases}
    begins = [phase.begins for phase in entry.phases]
    is_open = all(
        section.visibility is Visibility.USE and (section.phase is None or folded(section.phase) in phases)
        for section in entry.sections
    )
    return _Bearing(
        entry=entry,
        names=frozenset(map(folded, (entry.id, *entry.names))),
        stems=tuple(stem for name in entry.names if (stem := stem_of(name))),
        is_open=is_open and None not in begins[1:],  # a later phase that nobody has placed never begins
        places=tuple(filter(None, (*begins, *(section.known_from for section in entry.sections)))),
    )


def _link_fields(record: Record) -> tuple[object, ...]:
    if isinstance(record, CodexEntry):
        return record.id, record.kind, record.names
    if isinstance(record, Secret):
        return record.id, record.related_entity
    return record.id, record.status, record.timeline, record.seed.planned_at, record.related


def _texts_and_words(codex: CodexThen) -> tuple[set[str], set[str]]:
    texts = {text for record in codex.records for text in texts_of(record)}
    return texts, {word for record in codex.records for word in words_of(record)}


def _texts_in(value: object) -> Iterator[str]:
    """Yield every text in nested values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(inner)


class RecordLinks:
    """All texts that a codex ever held, to find where one record changes what is shown of others."""

    def __init__(self, history: CodexHistory) -> None:
        self._history = history
        self.reading = history.reading
        self._quoted: dict[tuple[int, int], bool] = {}

    @cached_property
    def about(self) -> frozenset[str]:
        """The folded names that any secret was ever about."""
        secrets = (record for _, record in self._history.every() if isinstance(record, Secret))
        return frozenset(folded(secret.related_entity) for secret in secrets) - {""}

    @staticmethod
    def differ_in_links(before: CodexThen, after: CodexThen) -> bool:
        """True if two versions of a record differ in something other records depend on: who it is about, its status."""
        return [_link_fields(record) for record in before.records] != [_link_fields(record) for record in after.records]

    def are_quoted(self, slot: RecordSlot, before: CodexThen, after: CodexThen) -> bool:
        """True if another record ever held some of what one of two versions may keep back and the other may not."""
        place = (id(before.records[0]), id(after.records[0]) if after.records else 0)
        if place not in self._quoted:
            self._quoted[place] = self._is_quoted(slot, before, after)
        return self._quoted[place]

    def _is_quoted(self, slot: RecordSlot, before: CodexThen, after: CodexThen) -> bool:
        old, new = (_texts_and_words(codex) for codex in (before, after))
        texts, words = old[0] ^ new[0], old[1] ^ new[1]
        withheld, plain = Matcher(Withholding(tuple(texts), tuple(words))), [folded(word) for word in words]
        return any(
            withheld.violations(text) or any(word in folded(text) for word in plain)
            for other, record in self._history.every()
            if other != slot
            for text in _texts_in(record.model_dump(mode="json"))
        )

    def share_phrases(self, slot: RecordSlot, texts: Iterable[str]) -> bool:
        """True if texts of a record hold a phrase of another record's."""
        held = {phrase for text in texts if text for phrase in self._phrases.held(text)}
        return any(self._owners[phrase] - {slot} for phrase in held)

    @cached_property
    def _owners(self) -> dict[Phrase, set[RecordSlot]]:
        owners: dict[Phrase, set[RecordSlot]] = defaultdict(set)
        for slot, record in self._history.every():
            for text in texts_of(record):
                for phrase in phrases_of(text):
                    owners[phrase].add(slot)
        return owners

    @cached_property
    def _phrases(self) -> Phrases:
        return Phrases(text for _, record in self._history.every() for text in texts_of(record))
