"""The board of a book's threads: by status, with planned payoff, silence and alerts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bookwright.agents.relay.threads.alerts import Alert, Pacing, silence_of, unintended
from bookwright.agents.relay.threads.foreshadowing import level_of, missing_prerequisites
from bookwright.exports.report.judgements import read_as
from bookwright.exports.report.threads_and_secrets import alerts_of, last_written
from bookwright.models.codex.entries import Visibility
from bookwright.models.codex.extraction import ConsistencyReport
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.record import RecordKind
from bookwright.models.document import DocumentKind
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

_LOOKED_BACK = 48
"""Units before the end of the book whose reports are read for promises that nobody registered."""


@dataclass(frozen=True)
class ThreadCard:
    """One thread on the board."""

    thread: Foreshadowing
    version: int
    silence: int | None
    """Chapters since a text last did something for it."""
    level: Visibility
    missing: list[str]
    """Prerequisites that do not hold."""


@dataclass(frozen=True)
class Board:
    """All threads of a book as they stand where its prose ends."""

    at: str
    chapter: int
    cards: list[ThreadCard]
    alerts: list[Alert]
    strays: list[tuple[str, str]]
    """Sentences of the last chapters that promise what no thread is registered for, each with its unit's label."""

    def facts(self) -> dict[str, Any]:
        """Return the board for `--json`."""
        return {
            "at": self.at,
            "chapter": self.chapter,
            "threads": [_facts(card) for card in self.cards],
            "alerts": [alert.model_dump(mode="json") for alert in self.alerts],
            "suggestions": [{"unit": unit, "excerpt": words} for unit, words in self.strays],
        }


def make_board(stores: Stores, pacing: Pacing) -> Board:
    """Read the board as it stands after the last unit with prose."""
    last = last_written(stores)
    at = last.label if last else "1"
    reading, threads = stores.codex.reading_order(), stores.codex.threads()
    here = reading.chapter_of(at)
    versions = {stored.record.id: stored.version for stored in stores.codex.current(RecordKind.FORESHADOWING)}
    cards = [
        ThreadCard(
            thread, versions[thread.id], silence_of(thread, here, reading), level_of(thread),
            missing_prerequisites(thread, threads),
        )
        for thread in threads
    ]  # fmt: skip
    alerts = alerts_of(stores, pacing)
    return Board(at, here if last else 0, cards, alerts, list(_strays(stores, stores.nodes.root(), threads)))


def _strays(stores: Stores, root: TaskNode, threads: list[Foreshadowing]) -> Iterator[tuple[str, str]]:
    """What the last chapters were found to promise; what a thread was registered for since is none any more."""
    leaves = [root, *stores.nodes.units_before(root, _LOOKED_BACK, with_own=True)]
    keys = dict.fromkeys(key for leaf in leaves for key in (leaf.parent, leaf.key) if key is not None)
    for document in stores.documents.of_nodes(keys, DocumentKind.CONSISTENCY):
        report = read_as(ConsistencyReport, stores.documents.data_of(document))
        if report is not None:
            yield from ((report.unit, words) for words in report.strays if unintended(words, threads))


def _facts(card: ThreadCard) -> dict[str, Any]:
    found = card.thread.model_dump(mode="json") | {"version": card.version, "silence": card.silence}
    return found | {"effective_level": card.level.value, "missing_prerequisites": card.missing}
