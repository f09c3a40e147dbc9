"""Makes the cards that templates read, from a brief and nodes."""

from dataclasses import fields, replace
from typing import Any, TypeVar

from bookwright.agents.relay.secrets.guard import Guard
from bookwright.models.brief import Brief
from bookwright.models.text.language import Language
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.card import BookCard, Card, NodeCard

_WORDS_AN_ELEMENT = 300
_CHARACTERS_AN_ELEMENT = 500
_STRAIGHT_ELEMENTS = 10
"""Up to which the allowance follows the length."""
_FLATTENING = 0.38
"""The power of the length by which it grows from there."""


def book_card(brief: Brief) -> BookCard:
    """The book as its brief has it."""
    return BookCard(
        title=brief.title, premise=brief.premise, language=brief.language.english_name, length=brief.length,
        length_unit=brief.length_unit, length_class=brief.length_class, genre=brief.genre, style=brief.style,
        audience=brief.audience, ending=brief.ending,
    )  # fmt: skip


def node_card(node: TaskNode, position: str = "") -> NodeCard:
    """A node without what only the engine needs, and its unit's place in the tree in words."""
    return NodeCard(
        label=node.label, level=node.level.value, task_type=node.task_type.value, title=node.title, goal=node.goal,
        instructions=node.instructions, input_brief=node.input_brief, constraints=node.constraints,
        acceptance_criteria=node.acceptance_criteria, length=node.length or 0,
        complexity_score=node.complexity_score or 0, position=position,
    )  # fmt: skip


def make_card(brief: Brief, unit: TaskNode, task: TaskNode | None = None, *, position: str = "", **fields: Any) -> Card:
    """The card of one activity, with some more fields; what depends on its steps is filled in with `replace`."""
    shown = node_card(unit, position)
    own = shown if task is None else node_card(task, position)
    return Card(book=book_card(brief), unit=shown, task=own, **fields)


_Shown = TypeVar("_Shown", BookCard, NodeCard, Card)


def guarded(card: _Shown, guard: Guard, gap: str = "") -> _Shown:
    """The same card with every text of it redacted; itself where nothing is withheld.

    An entry of a list goes whole; `gap` tells where something has gone, but for titles.
    """
    if guard.is_idle:
        return card
    shown: dict[str, Any] = {
        field.name: _redacted(getattr(card, field.name), guard, "" if field.name == "title" else gap)
        for field in fields(card)
    }
    return replace(card, **shown)


def _redacted(value: object, guard: Guard, gap: str) -> object:
    match value:
        case BookCard():
            return guarded(value, guard, gap)
        case NodeCard():
            return guarded(value, guard, gap)
        case str():
            return guard.redact(value, gap)
        case tuple():
            entries = (_entry(item, guard, gap) for item in value)
            return tuple(dict.fromkeys(entry for entry in entries if entry))
    return value


def _entry(item: object, guard: Guard, gap: str) -> object:
    """An entry of a list as it is shown: itself, or `gap` in its place."""
    if not isinstance(item, str):
        return _redacted(item, guard, gap)
    if not (found := guard.violations(item)):
        return item
    guard.note(*(one.excerpt for one in found))
    return gap


def element_allowance(length: int, language: Language) -> int:
    """How many new named elements a text of this length can bear. Source: CRAFT rule 9.

    Up to a short story one for every 300 words (500 characters), since each has to be seen, used and paid for. A longer
    text does not bear more in proportion: it comes back to what it has, and nobody remembers the sixty people
    and places that a straight line would give a novella. So beyond ten the number grows ever more slowly: about
    20 for 20,000 words, 30 for 50,000, 70 for 500,000.
    """
    share = _WORDS_AN_ELEMENT if language is Language.EN else _CHARACTERS_AN_ELEMENT
    straight = length / share
    if straight <= _STRAIGHT_ELEMENTS:
        return max(2, int(straight))
    return int(_STRAIGHT_ELEMENTS * (straight / _STRAIGHT_ELEMENTS) ** _FLATTENING)
