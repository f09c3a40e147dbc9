"""The fields of a form, as htmx sends them: bounded, each once, no files."""

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, Request

from bookwright.models.errors import InvalidInput

_MOST_FIELDS = 100


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
