"""Cards to render templates with: every level, short and long books, first and last, empty and full lists."""

from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from itertools import product
from typing import TypeVar

from bookwright.models.tree.level import Level, division_is_incremental
from bookwright.prompts.card import BookCard, Card, KeptCard, NodeCard

TINY = BookCard(
    title="", premise="A keeper finds a log that is written in her own hand.", language="English", length=900,
    length_unit="words", length_class="short",
)  # fmt: skip
NOVEL = replace(
    TINY, title="The Log", length=120_000, length_class="medium", genre="mystery", audience="grown readers",
    style="plain, close to one person", ending="She burns the log and keeps the last page.",
)  # fmt: skip
SERIAL = BookCard(
    title="守塔人", premise="一个欠债的守塔人在旧日志里读到自己的笔迹。", language="Chinese", length=5_000_000,
    length_unit="characters", length_class="long", genre="悬疑",
)  # fmt: skip
BOOKS = {"tiny": TINY, "novel": NOVEL, "serial": SERIAL}

_LENGTHS = {
    "tiny": dict(zip(Level, (900, 900, 900, 900, 900, 250, 60), strict=True)),
    "novel": dict(zip(Level, (120_000, 120_000, 30_000, 3_000, 1_000, 300, 80), strict=True)),
    "serial": dict(zip(Level, (5_000_000, 300_000, 40_000, 4_000, 1_500, 400, 120), strict=True)),
}
_SKIPPED = {Level.VOLUME: Level.CHAPTER, Level.BOOK: Level.CHAPTER}
"""What a unit divides into where levels are skipped."""


def neighbours(level: Level) -> tuple[str, str]:
    """The levels above and below where none is skipped; empty at the ends."""
    levels = ["", *(each.value for each in Level), ""]
    return levels[level.depth], levels[level.depth + 2]


def card_of(level: Level, book: str = "novel") -> Card:
    """A unit of that level in the middle of a book, with every list empty."""
    parent, child = neighbours(level)
    length = _LENGTHS[book][level]
    label = "1" + ".2" * level.depth
    unit = NodeCard(label, level.value, "write", "The Door", "She must open the door.", length=length)
    return Card(
        book=BOOKS[book],
        unit=unit,
        task=unit,
        parent_level=parent,
        child_level=child,
        element_allowance=max(length // 300, 2),
        word_allowance=max(length // 20, 60),
        remaining_length=length,
        usual_child_length=max(length // 4, 20),
        child_low=max(length // 6, 1),
        child_high=max(length // 2, 30),
        ask_length=length,
        plan_length=max(length // 7, 30),
        missing_length=max(length // 5, 10),
        draft_length=length * 6 // 5,
        low_length=length * 19 // 20,
        high_length=length * 21 // 20,
        condense_to=200,
        phase="gets worse",
    )


def filled(card: Card) -> Card:
    """The same card with something in every list."""
    task = NodeCard(
        f"{card.unit.label}.1", card.unit.level, "design", "The debt", "Settle who paid the debt.",
        instructions=("Start from the ledger.",), input_brief=("<book_level_design>: the debt is old.",),
        constraints=("The keeper does not know.",), acceptance_criteria=("A stranger could name the payer.",),
    )  # fmt: skip
    second = replace(task, label=f"{card.unit.label}.2", title="", task_type="search", instructions=())
    return replace(
        card,
        draft_length=card.unit.length * 4 // 5,
        task=task,
        tasks=(task, second),
        open_points=("Who paid the debt?", "Why does the log end in May?"),
        draw=("the ferryman's whistle", "a cracked lens"),
        outline=("The Ledger: from owed to paid", "The Lens: from dark to seen"),
        previous_endings=("The ferry left without her.", "Nobody answered the bell."),
        spots=('occurs 3 times: "she put the lamp down"',),
        secrets=(KeptCard("log", "the keeper wrote the log herself", allowed=("the log",), forbidden=("forged",)),),
        bound=("The lamp is out.",),
        codex=("character Ada | trade: keeper",),
        threads=("whistle (planted) The whistle: a ferryman whistles off key",),
        round=2,
        child_index=3,
        remaining_length=max(card.remaining_length * 2 // 3, 1),
        piece=2,
    )


@cache
def cards(level: Level) -> tuple[tuple[str, Card], ...]:
    """Name and card of units of a level that together meet every condition a template may ask about."""
    return tuple(_cards(level))


@cache
def untold_cards(level: Level) -> tuple[tuple[str, Card], ...]:
    """The same, without the book's own texts."""
    return tuple((name, untold(card)) for name, card in cards(level))


def _cards(level: Level) -> Iterator[tuple[str, Card]]:
    for book, is_full, place in product(BOOKS, (False, True), ("first", "middle", "last")):
        card = card_of(level, book)
        card = placed(filled(card) if is_full else card, place)
        yield f"{book} {'full' if is_full else 'empty'} {place}", card
    yield "planned for the writer in one", replace(filled(card_of(level)), is_brief=True)
    if level is not Level.PARAGRAPH:
        skipped = replace(filled(card_of(level)), child_level=_SKIPPED.get(level, Level.PARAGRAPH).value, max_tasks=3)
        yield "levels skipped", placed(skipped, "middle")


Told = TypeVar("Told", BookCard, NodeCard, Card, KeptCard)
_CLOSED = {
    "label", "level", "task_type", "language", "length_unit", "length_class", "parent_level", "child_level", "phase",
}  # fmt: skip
"""Texts of a card that code gives, out of a closed set."""


def untold(card: Told, stand_in: str = "甲") -> Told:
    """The same card with a stand-in for every text of the book's own: what is left is the template's."""
    changed = {}
    for field in fields(card):
        value = getattr(card, field.name)
        match value:
            case BookCard() | NodeCard() | KeptCard():
                changed[field.name] = untold(value, stand_in)
            case str() if value and field.name not in _CLOSED:
                changed[field.name] = stand_in
            case tuple():
                changed[field.name] = tuple(
                    untold(item, stand_in) if isinstance(item, NodeCard | KeptCard) else stand_in for item in value
                )
    return replace(card, **changed)


def placed(card: Card, place: str) -> Card:
    """The card of a unit that opens the book, stands within it, or ends it."""
    is_incremental = bool(card.child_level) and division_is_incremental(Level(card.child_level))
    return replace(
        card,
        is_first=place == "first",
        is_last=place == "last",
        is_incremental=is_incremental,
        ends_here=not is_incremental or place == "last",
        remaining_length=card.usual_child_length if is_incremental and place == "last" else card.remaining_length,
        round=3 if place == "last" else card.round,
        phase={"first": "begins", "middle": "gets worse", "last": "ends"}[place],
    )
