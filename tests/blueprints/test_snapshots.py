"""What a model is shown of a blueprint, word for word; `BOOKWRIGHT_APPROVE=1` writes the files anew."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from bookwright.models.tree.level import Level
from bookwright.prompts.card import FormCard
from bookwright.prompts.render import render
from tests.blueprints.contents import prompts
from tests.prompts.cards import BOOKS, card_of
from tests.prompts.test_snapshots import APPROVE

SNAPSHOTS = Path(__file__).parent / "snapshots"

STEPS = [
    ("worldbuild", "near_reality", "en", "novel"),
    ("worldbuild", "geography", "en", "novel"),
    ("worldbuild", "place", "en", "novel"),
    ("worldbuild", "review", "en", "novel"),
    ("worldbuild", "character", "zh", "serial"),
    ("mystery", "concept", "en", "tiny"),
    ("mystery", "clues", "en", "novel"),
    ("mystery", "deed", "zh", "serial"),
    ("web-serial", "selling_point", "en", "serial"),
    ("web-serial", "expectations", "zh", "serial"),
]
"""Blueprint, template, prompt language and book: each kind of frame once."""

DIRECTIONS = [("mystery", "act", "en"), ("mystery", "chapter", "zh"), ("web-serial", "chapter", "en")]


def check(name: str, text: str) -> None:
    """Compare with the approved text, or approve this one."""
    file = SNAPSHOTS / f"{name}.md"
    if os.environ.get(APPROVE):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(f"{text}\n".encode())
    assert file.read_bytes().decode() == f"{text}\n", f"approve the new wording with {APPROVE}=1"


@pytest.mark.parametrize(("name", "template", "locale", "book"), STEPS)
def test_a_prompt_of_a_blueprint_reads_as_it_was_approved(name: str, template: str, locale: str, book: str) -> None:
    card = replace(card_of(Level.BOOK, book), word_allowance=60 if book == "tiny" else 1_600, chapters=12)
    card = replace(card, entries_least=3, entries_most=8, max_findings=8)

    check(f"{name}.{template}.{locale}", render(f"blueprint/{template}", card, locale, prompts(name)))


@pytest.mark.parametrize(("name", "template", "locale"), DIRECTIONS)
def test_directions_read_as_they_were_approved(name: str, template: str, locale: str) -> None:
    level = Level(template)
    units = [
        FormCard(
            book=BOOKS["novel"], level=level, index=index, count=3, parent_index=1, is_last=index == 3, length=3_000,
            child_level="chapter" if level is Level.ACT else "", child_count=4 if level is Level.ACT else 0,
            is_in_opening=True,
        )
        for index in (1, 2, 3)
    ]  # fmt: skip

    told = (render(f"blueprint/{template}", unit, locale, prompts(name)) for unit in units)

    check(f"{name}.{template}.{locale}", "\n---\n".join(told))


def test_no_approved_text_is_left_of_a_template_that_is_gone() -> None:
    known = {f"{name}.{template}.{locale}.md" for name, template, locale, *_ in (*STEPS, *DIRECTIONS)}

    assert {file.name for file in SNAPSHOTS.iterdir()} == known
