"""A card comes back from its texts as it was, whatever it holds, and without what this version does not know."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from bookwright.models.tree.level import Level
from bookwright.prompts.card import Card, KeptCard, NodeCard, Told
from bookwright.prompts.stored_card import card_of, parts_of
from tests.prompts.cards import card_of as plain_card

PLAIN = plain_card(Level.CHAPTER)


def full_card() -> Card:
    """A card of which no field has its default."""
    odd = 'A lone \ud83d half, a \u2028 line, "quotes" and \\ back.'
    task = NodeCard("1.2.3", "chapter", "design", odd, "Find it.", ("a",), ("b",), ("c",), ("d", odd), 7)
    cards: dict[str, Any] = {"book": PLAIN.book, "unit": PLAIN.unit, "task": task, "tasks": (task, PLAIN.unit)}
    cards["secrets"] = (KeptCard("key", "She has it.", True, ("a key",), ("the key",)), KeptCard("", odd))
    kinds = {str: odd, int: -3, tuple[str, ...]: Told.of(["one", odd], [4, 5])}
    rest = {field.name: kinds.get(field.type, not field.default) for field in fields(Card) if field.name not in cards}  # type: ignore[call-overload]
    return Card(**cards, **rest)


@pytest.mark.parametrize("card", [PLAIN, full_card()], ids=["plain", "full"])
def test_a_card_comes_back_as_it_was(card: Card) -> None:
    assert card_of(parts_of(card, "de")) == (card, "de")


def test_the_full_card_leaves_no_field_at_its_default() -> None:
    full = full_card()

    assert [field.name for field in fields(Card) if getattr(full, field.name) == field.default] == []


def test_steps_of_one_unit_share_the_first_part() -> None:
    first, second = parts_of(PLAIN, "en"), parts_of(replace(PLAIN, findings=("It drags.",)), "en")

    assert first[0] == second[0]
    assert first[1] != second[1]
    assert PLAIN.book.premise not in second[1]


def test_a_field_that_this_version_does_not_know_is_left_out() -> None:
    shared, own = (json.loads(part) for part in parts_of(PLAIN, "en"))
    later = json.dumps(shared | {"unit": shared["unit"] | {"mood": "dark"}}), json.dumps(own | {"weather": ["rain"]})

    assert card_of(later)[0] == PLAIN
