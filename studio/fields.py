"""The fields of a form, as htmx sends them: bounded, each once, no files."""

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, Request

from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidInput

_MOST_FIELDS, _MOST_DIGITS = 100, 9


async def _fields(request: Request) -> dict[str, str]:
    """Read the form.

    Raises:
        InvalidInput: It is none.
    """
    try:
        body = (await request.body()).decode("utf-8")
        read = parse_qs(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:
        raise InvalidInput("This form cannot be read.") from None
    return {name: values[-1] for name, values in read.items()}


Fields = Annotated[dict[str, str], Depends(_fields)]
"""What a form says, the last value of each name."""


def number_in(fields: Mapping[str, str], name: str) -> int | None:
    """Return the whole number that a field holds; None where it holds none."""
    value = fields.get(name, "")
    return int(value) if value.isdecimal() and len(value) <= _MOST_DIGITS else None


def needed_number(fields: Mapping[str, str], name: str, complaint: str) -> int:
    """Return the whole number that a field has to hold.

    Raises:
        InvalidInput: It holds none; the message is the complaint.
    """
    number = number_in(fields, name)
    if number is None:
        raise InvalidInput(complaint)
    return number


def sides_in(fields: Mapping[str, str], prefix: str = "side-") -> list[str]:
    """Return the sides that were chosen place by place; empty where a place was left open."""
    count = sum(name.startswith(prefix) for name in fields)
    return [fields.get(f"{prefix}{number}", "") for number in range(1, count + 1)]


def kind_named(name: str) -> DocumentKind | None:
    """Return the kind of text of that name; None for no name.

    Raises:
        InvalidInput: There is none of that name.
    """
    try:
        return DocumentKind(name) if name else None
    except ValueError:
        raise InvalidInput("There is no such kind of text.") from None
