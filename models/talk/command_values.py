"""What the values of a command may be: texts that are shown as they are, names, places."""

import unicodedata
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from bookwright.models.tree.place import Place

MAX_WORDS = 4_000
"""Characters that one request may have, and one text in a command."""


def _shown_as_it_is(text: str) -> str:
    """Refuse what a terminal would not show as it is: controls, and marks that turn the direction of a line."""
    text = unicodedata.normalize("NFC", text).strip()
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in "\n\u200c\u200d" for c in text):
        raise ValueError("holds a character that cannot be seen")
    return text


def _node(value: Any) -> str:
    text = str(value).strip()
    if text == "book":
        return "1"
    place = _place(text)
    return place.label or f"chapter {place.chapter}"


def _place(value: Any) -> Place:
    return Place.model_validate(str(value).strip().removeprefix("chapter").strip(" :"))


def _listed(value: Any) -> Any:
    return [part.strip() for part in value.split(";") if part.strip()] if isinstance(value, str) else value


Words = Annotated[str, AfterValidator(_shown_as_it_is), Field(min_length=1, max_length=MAX_WORDS)]
Name = Annotated[str, AfterValidator(_shown_as_it_is), Field(min_length=1, max_length=200)]
Many = Annotated[tuple[Name, ...], BeforeValidator(_listed), Field(max_length=20)]
"""In a model's answer a text with semicolons between."""
Node = Annotated[str, BeforeValidator(_node)]
"""A label, or `"chapter 7"` until somebody has looked up which node that is; a model says `"book"` for the whole."""
PlaceText = Annotated[str, BeforeValidator(lambda value: str(_place(value)).removeprefix("chapter "))]
VisibilityName = Literal["hidden", "aware", "know", "use"]
