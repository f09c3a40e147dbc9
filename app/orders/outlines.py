"""A brief that rests on an author's outline: its file is read, and what the brief leaves open the outline says."""

from pathlib import Path
from typing import Any

from bookwright.manuscripts.outlines import read_outline
from bookwright.models.errors import InvalidBrief, InvalidInput
from bookwright.models.tree.outline import length_of
from bookwright.storage.files.given_file import named_file, read_text

_ENDINGS = (".md", ".markdown", ".txt")


def with_outline(values: dict[str, Any], option: Path | None, beside: Path | None) -> dict[str, Any]:
    """Return the values of a brief with the outline's text, and with the premise, title and length that it tells.

    Raises:
        InvalidBrief: It cannot be read, or names no chapters.
    """
    told = str(option) if option else str(values.get("outline") or "")
    if not told:
        return values
    file = option or named_file(told, beside, _ENDINGS)
    return outlined(values, read_text(file, "outline", raises=InvalidBrief) if file else told)


def outlined(values: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the values of a brief with an outline, and with the premise, title and length that it tells.

    Raises:
        InvalidBrief: It names no chapters.
    """
    try:
        outline = read_outline(text)
    except InvalidInput as error:
        raise InvalidBrief(str(error)) from None
    first = next((unit.goal for unit in outline.units if unit.goal), "")
    known = {
        "premise": outline.design or first or outline.title,
        "title": outline.title,
        "length": length_of(outline.units),
    }
    left_open = {key: value for key, value in known.items() if value and not values.get(key)}
    return values | left_open | {"outline": text}
