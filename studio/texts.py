"""What the pages say: in English as it stands in the templates, in Chinese by a table."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = {"en": "English", "zh": "中文"}
COOKIE = "studio_language"
_FOLDER = Path(__file__).parent / "texts"


class Speaker:
    """Says texts in one language; what the table lacks is said in English."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._table = table(language)

    def __call__(self, english: str, **values: Any) -> str:
        """Say a text with its values put in: `say("{count} books", count=3)`."""
        told = self._table.get(english, english)
        return told.format(**values) if values else told


@cache
def table(language: str) -> Mapping[str, str]:
    """Return the texts of a language by the English ones; empty for English."""
    file = _FOLDER / f"{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def language_of(chosen: str | None, accepted: str) -> str:
    """Return the language to speak: the one chosen, else the first that the browser asks for and that there is."""
    if chosen in LANGUAGES:
        return str(chosen)
    wanted = (part.split(";")[0].strip()[:2].lower() for part in accepted.split(","))
    return next((language for language in wanted if language in LANGUAGES), "en")
