"""A card as text, the way it is stored with the step whose template read it."""

import json
from collections.abc import Sequence
from dataclasses import fields
from functools import cache, lru_cache
from typing import Any

from bookwright.prompts.card import BookCard, Card, KeptCard, NodeCard

_BELOW = {"book": BookCard, "unit": NodeCard, "task": NodeCard, "tasks": NodeCard, "secrets": KeptCard}
"""Fields that hold cards, or lists of them."""


def parts_of(card: Card, locale: str) -> tuple[str, str]:
    """Return a card as two JSON objects: what all steps of a unit have in common, and the rest.

    Fields with their default values are left out, so that equal cards are equal texts.
    """
    own = _values(card)
    del own["book"], own["unit"]
    if own["task"] == card.unit:
        del own["task"]
    return _shared(card.book, card.unit, locale), _ENCODER.encode(own)


@lru_cache(maxsize=8)
def _shared(book: BookCard, unit: NodeCard, locale: str) -> str:
    return _ENCODER.encode({"locale": locale, "book": book, "unit": unit})


def card_of(parts: Sequence[str]) -> tuple[Card, str]:
    """Return the card of its two parts and the language of its prompts; a field that nobody knows here is left out."""
    shared, own = map(json.loads, parts)
    locale = shared.pop("locale")
    return _made(Card, {"task": shared["unit"], **shared, **own}), locale


def _values(card: Any) -> dict[str, Any]:
    """The fields of a card that have not their default values, in order."""
    told = vars(card)
    return {name: value for name, default in _defaults(card.__class__) if (value := told[name]) != default}


@cache
def _defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, field.default) for field in fields(kind))


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_values)


def _made(kind: Any, values: dict[str, Any]) -> Any:
    known = {field.name for field in fields(kind)}
    return kind(**{name: _value(name, value) for name, value in values.items() if name in known})


def _value(name: str, value: Any) -> Any:
    match value:
        case dict():
            return _made(_BELOW[name], value)
        case list():
            return tuple(_value(name, item) for item in value)
    return value
