"""How a person names a place of a book, and how it is named to them: one notation for every verb.

`chapter 9` or `9`, a label such as `1.16`, or a title; a name as it is printed, too. `book`, or `1`, which is its
label, is the whole book.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from bookwright.models.errors import InvalidInput, NodeNotFound
from bookwright.models.tree.place import Place, chapter_number
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

_BOOK = ("book", "the book", "1")
_PRINTED = re.compile(r"(?:chapter|1).*\((1(?:\.[1-9][0-9]{0,8})+)\)", re.ASCII)
"""A name with a label behind it, as `Stores.name_of` and `ReadingOrder.name_of` make it."""
_PLACES = ("known_from", "begins", "revealed_at", "planned_at", "reinforce_at")
"""Keys of records whose values are places."""
_SHOWN = 6


def find_node(words: str, stores: Stores) -> TaskNode:
    """Return the node that a person names.

    Raises:
        NodeNotFound: There is none; the message says what there is.
        InvalidInput: More than one unit has that title.
    """
    text = words.strip()
    if text.casefold() in _BOOK:
        return stores.nodes.root()
    number = chapter_number(text)
    if number is not None:
        chapters = stores.codex.reading_order().chapters
        if number > len(chapters):
            raise NodeNotFound(f"there is no chapter {number}; the book has {len(chapters)} so far")
        return stores.nodes.by_label(chapters[number - 1])
    if printed := _PRINTED.fullmatch(text):
        text = printed[1]
    if text[:1].isdigit() and text.replace(".", "").isdigit():
        return stores.nodes.by_label(text)
    return _by_title(text, stores)


def node_at(label: str, stores: Stores) -> TaskNode | None:
    """Return the node of a label; None where there is none."""
    with suppress(NodeNotFound):
        return stores.nodes.by_label(label)
    return None


def place_of(words: str, stores: Stores) -> str:
    """Return a place in a record's words: a title becomes its unit's label, all else stays for the record to judge.

    Raises:
        InvalidInput: More than one unit has that title.
    """
    try:
        Place.model_validate(words)
    except ValueError:
        with suppress(NodeNotFound):
            return _by_title(words.strip(), stores).label
    return words


def with_places(values: Mapping[str, Any], stores: Stores) -> dict[str, Any]:
    """Return a record's values with every place in them as a register keeps it: see `place_of`."""
    return {key: _settled(key, value, stores) for key, value in values.items()}


def _settled(key: str, value: Any, stores: Stores) -> Any:
    if isinstance(value, Mapping):
        return with_places(value, stores)
    if isinstance(value, (list, tuple)):
        return [_settled(key, item, stores) for item in value]
    return place_of(value, stores) if key in _PLACES and isinstance(value, str) else value


def title_of(node: TaskNode) -> str:
    """Return what a node is called where nobody wants a label: its title, or what it is to achieve."""
    return node.title or node.goal[:60]


def node_names(stores: Stores, labels: Iterable[str]) -> dict[str, str]:
    """Return the titles of nodes by their labels; see `title_of`."""
    return {label: title_of(stores.nodes.by_label(label)) for label in dict.fromkeys(labels)}


def places_named(stores: Stores, places: Iterable[Place | None]) -> dict[Place | None, str]:
    """Return what places of the codex are called: a unit that is there by its title, any other as it is written."""
    known = {node.label: node.title for node in stores.nodes.titled_units()}
    return {place: "–" if place is None else known.get(str(place), str(place)) for place in places}


def _by_title(title: str, stores: Stores) -> TaskNode:
    wanted = title.casefold()
    units = stores.nodes.titled_units()
    exact = [unit for unit in units if unit.title.casefold() == wanted]
    found = exact or [unit for unit in units if wanted and wanted in unit.title.casefold()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NodeNotFound(
            f"nothing of the book is called {title!r}; name a chapter (chapter 9, or 9), a label (1.16) or a title, "
            "as `bookwright tree` shows them"
        )
    reading = stores.codex.reading_order()
    named = ", ".join(f"{reading.name_of(unit.label)} {unit.title!r}" for unit in found[:_SHOWN])
    raise InvalidInput(f"{title!r} may be any of {len(found)}: {named}")
