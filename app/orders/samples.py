"""Texts of an author's choice whose style is to be measured."""

from pathlib import Path

from bookwright.models.errors import InvalidInput
from bookwright.models.text.language import Language, is_in
from bookwright.storage.files.given_file import read_text

LEAST = 100
"""Of the language's unit: what is shorter has no habits yet."""

_MOST_BYTES = 1_000_000
ENDINGS = (".txt", ".md")
"""Of a file that a brief may name in the place of a sample."""


def read_sample(path: Path) -> str:
    """Read a text whose style is to be kept.

    Raises:
        InvalidInput: It is no UTF-8 text, empty, or too large.
    """
    text = read_text(path, "sample", _MOST_BYTES).replace("\r\n", "\n").strip()
    if not text:
        raise InvalidInput(f"the sample {str(path)!r} is empty")
    return text


def check_sample(text: str, language: Language) -> None:
    """Make sure that a sample can tell a style.

    Raises:
        InvalidInput: It is in another language than the book, or too short.
    """
    if not is_in(language, text):
        raise InvalidInput(f"the sample of style is not in {language.english_name}, the language of the book")
    if (length := language.measure(text)) < LEAST:
        raise InvalidInput(
            f"the sample of style has {length} {language.length_unit}; it takes at least {LEAST}, better some 2,000"
        )
