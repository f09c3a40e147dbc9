"""Texts of an author's choice whose style is to be measured."""

from pathlib import Path

from bookwright.models.errors import InvalidInput
from bookwright.models.text.language import Language, is_in

LEAST = 100
"""Of the language's unit: what is shorter has no habits yet."""

_MOST_BYTES = 1_000_000
_ENDINGS = (".txt", ".md")


def read_sample(path: Path) -> str:
    """Read a text whose style is to be kept.

    Raises:
        InvalidInput: It is no UTF-8 text, empty, or too large.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        text = content.decode("utf-8-sig").replace("\r\n", "\n").strip()
    except OSError as error:
        raise InvalidInput(f"the sample {str(path)!r} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"the sample {str(path)!r} is not UTF-8 text; save it as UTF-8 first") from None
    if not text:
        raise InvalidInput(f"the sample {str(path)!r} is empty")
    if len(content) > _MOST_BYTES:
        raise InvalidInput(f"the sample {str(path)!r} has more than {_MOST_BYTES:,} bytes; a part of it is enough")
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


def named_file(value: str, beside: Path | None) -> Path | None:
    """Return the file that a brief names in the place of a sample: one line that ends in .txt or .md."""
    if "\n" in value or not value.endswith(_ENDINGS):
        return None
    return (beside.parent if beside else Path()) / value
