"""The blueprints that come with the package, their templates, and cards to render them with."""

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import bookwright
from bookwright.models.blueprint import Blueprint, Localised, Member, MemberKind, Stage
from bookwright.models.tree.level import Level
from bookwright.prompts.card import Card, FormCard
from bookwright.prompts.render import render
from tests.prompts.cards import BOOKS, card_of, filled

FOLDER = Path(bookwright.__file__).parent / "blueprints"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/blueprint.toml"))
LANGUAGES = ("en", "zh", "ja", "ko")
LOCALES = ("en", "zh")


@cache
def blueprint(name: str) -> Blueprint:
    """One of them as its file has it."""
    return Blueprint.model_validate(tomllib.loads((FOLDER / name / "blueprint.toml").read_text(encoding="utf-8")))


def prompts(name: str) -> Path:
    """Where the templates of one stand."""
    return FOLDER / name / "prompts"


def templates(name: str, locale: str = "en") -> list[str]:
    """The names of its templates in a prompt language."""
    folder = prompts(name) if locale == "en" else prompts(name) / locale
    return sorted(path.name.removesuffix(".md.j2") for path in folder.glob("*.md.j2"))


def directions(name: str) -> set[str]:
    """Those that say what a unit owes."""
    book = blueprint(name)
    plans = [*book.units.values(), *(plan for variant in book.variants.values() for plan in variant.units.values())]
    return {plan.directions for plan in plans if plan.directions}


def steps(name: str) -> set[str]:
    """Those that a member or an entry is asked with."""
    members = blueprint(name).members
    return {member.prompt for member in members if member.prompt} | {
        member.entries.prompt for member in members if member.entries
    }


def asked(kind: MemberKind) -> list[tuple[str, str]]:
    """Blueprint and template of all members of a kind."""
    return [(name, member.prompt) for name in NAMES for member in blueprint(name).members if member.kind is kind]


def texts(name: str) -> Iterator[tuple[str, Localised]]:
    """All its localised texts, each with where it stands."""
    book = blueprint(name)
    yield "titles", book.titles
    for variant, taken in book.variants.items():
        yield f"{variant} titles", taken.titles
    parts: list[Stage | Member] = [*book.stages, *book.members]
    for part in parts:
        yield f"{part.name} titles", part.titles
        if part.folders:
            yield f"{part.name} folders", part.folders
    for member in book.members:
        yield f"{member.name} goals", member.goals


def step_cards() -> Iterator[Card]:
    """Pages of short and long books, with little and with much room."""
    for book, room, chapters in product(BOOKS, (60, 1_600), (1, 12, 400)):
        card = replace(card_of(Level.BOOK, book), word_allowance=room, chapters=chapters)
        yield replace(filled(card), entries_least=2, entries_most=8, max_findings=8)


def form_cards() -> Iterator[FormCard]:
    """Units of every level in short and long books: the first, one in the middle, the last."""
    finer = {Level.BOOK: "act", Level.VOLUME: "act", Level.ACT: "chapter"}
    levels, places = tuple(Level)[:4], ((1, 0), (1, 1), (2, 1), (2, 2), (3, 1), (3, 2))
    for book, level, (index, above), is_last in product(BOOKS, levels, places, (False, True)):
        yield FormCard(
            book=BOOKS[book], level=level, index=index, count=3, parent_index=above, is_last=is_last,
            is_in_opening=above < 2, length=150 if book == "tiny" else 3_000, child_level=finer.get(level, ""),
            child_count=4 if index == 2 else 0,
        )  # fmt: skip


@cache
def step_texts(name: str, template: str, locale: str) -> frozenset[str]:
    """What comes of a step's template on its cards, each text once."""
    return frozenset(render(f"blueprint/{template}", card, locale, prompts(name)) for card in step_cards())


@cache
def form_texts(name: str, template: str, locale: str) -> frozenset[str]:
    """What comes of directions for all units, each text once."""
    return frozenset(render(f"blueprint/{template}", card, locale, prompts(name)) for card in form_cards())
