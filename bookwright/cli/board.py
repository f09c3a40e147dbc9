"""The board of a book's threads: by status, with planned payoff, silence and alerts."""

from dataclasses import dataclass
from typing import Any

from bookwright.agents.relay.alerts import Alert, Pacing, generate_alerts, silence_of
from bookwright.agents.relay.foreshadowing import level_of, missing_prerequisites
from bookwright.cli.output import make_console, plain_table, print_text
from bookwright.models.codex import Visibility
from bookwright.models.codex_record import RecordKind
from bookwright.models.foreshadowing import Foreshadowing, ThreadStatus
from bookwright.storage.stores import Stores


@dataclass(frozen=True)
class Card:
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
    cards: list[Card]
    alerts: list[Alert]

    def facts(self) -> dict[str, Any]:
        """Return the board for `--json`."""
        return {
            "at": self.at,
            "chapter": self.chapter,
            "threads": [_facts(card) for card in self.cards],
            "alerts": [alert.model_dump(mode="json") for alert in self.alerts],
        }


def make_board(stores: Stores, pacing: Pacing, *, is_finished: bool) -> Board:
    """Read the board as it stands after the last unit with prose."""
    root = stores.nodes.root()
    written = stores.nodes.units_before(root, 1, with_own=True) or ([root] if root.written else [])
    at = written[-1].label if written else "1"
    reading, threads = stores.codex.reading_order(), stores.codex.threads()
    here = reading.chapter_of(at)
    versions = {stored.record.id: stored.version for stored in stores.codex.current(RecordKind.FORESHADOWING)}
    cards = [
        Card(
            thread, versions[thread.id], silence_of(thread, here, reading), level_of(thread),
            missing_prerequisites(thread, threads),
        )
        for thread in threads
    ]  # fmt: skip
    alerts = generate_alerts(threads, at, reading, pacing, is_finished=is_finished)
    return Board(at, here if written else 0, cards, alerts)


def print_board(board: Board) -> None:
    """Print the board, a group for each status that has threads."""
    place = f"chapter {board.chapter} ({board.at})" if board.chapter else "the beginning"
    count = f"{len(board.cards)} thread{'' if len(board.cards) == 1 else 's'}"
    print_text(f"{count}, {sum(card.thread.is_open for card in board.cards)} open, at {place}")
    for status in ThreadStatus:
        cards = [card for card in board.cards if card.thread.status is status]
        if cards:
            _print_group(status, cards)
    if board.alerts:
        print_text("\nalerts")
        for alert in board.alerts:
            print_text(f"  {alert.type}  {alert.foreshadowing_id}: {alert.detail}")


def _print_group(status: ThreadStatus, cards: list[Card]) -> None:
    print_text(f"\n{status} ({len(cards)})")
    numbers = ("subtlety", "silence", "version")
    table = plain_table(
        "  id", "title", "plant", "payoff", "silence", "subtlety", "level", "waits for", "version",
        right=numbers, folds=("title", "waits for"),
    )  # fmt: skip
    for card in cards:
        table.add_row(*_row(card))
    make_console().print(table)


def _row(card: Card) -> list[str]:
    thread = card.thread
    silence = "" if card.silence is None or not thread.is_open else str(card.silence)
    waits = ", ".join(card.missing) if thread.status is ThreadStatus.REGISTERED else ""
    return [
        f"  {thread.id}", thread.title, str(thread.seed.planned_at or ""), str(thread.payoff.planned_at or "unplanned"),
        silence, str(thread.subtlety_level), card.level.name.lower(), waits, str(card.version),
    ]  # fmt: skip


def _facts(card: Card) -> dict[str, Any]:
    found = card.thread.model_dump(mode="json") | {"version": card.version, "silence": card.silence}
    return found | {"effective_level": card.level.value, "missing_prerequisites": card.missing}
