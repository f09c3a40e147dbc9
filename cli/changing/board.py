"""The board of a book's threads, printed."""

from bookwright.app.records.thread_board import Board, ThreadCard
from bookwright.cli.output import make_console, plain_table, print_text
from bookwright.models.codex.foreshadowing import ThreadStatus


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
    if board.strays:
        print_text("\nsuggestions: these read like promises, and no thread is registered for them")
        for unit, words in board.strays:
            print_text(f"  {unit}  “{words}”")
        print_text("  `bookwright foreshadowing add BOOK TITLE --seed WORDS --payoff ...` registers one")


def _print_group(status: ThreadStatus, cards: list[ThreadCard]) -> None:
    print_text(f"\n{status} ({len(cards)})")
    numbers = ("subtlety", "silence", "version")
    table = plain_table(
        "  id", "title", "plant", "payoff", "silence", "subtlety", "level", "waits for", "version",
        right=numbers, folds=("title", "waits for"),
    )  # fmt: skip
    for card in cards:
        table.add_row(*_row(card))
    make_console().print(table)


def _row(card: ThreadCard) -> list[str]:
    thread = card.thread
    silence = "" if card.silence is None or not thread.is_open else str(card.silence)
    waits = ", ".join(card.missing) if thread.status is ThreadStatus.REGISTERED else ""
    return [
        f"  {thread.id}", thread.title, str(thread.seed.planned_at or ""), str(thread.payoff.planned_at or "unplanned"),
        silence, str(thread.subtlety_level), card.level.name.lower(), waits, str(card.version),
    ]  # fmt: skip
