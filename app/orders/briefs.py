"""Briefs from files and options, with the style sample and the outline that they name, checked before anything else."""

import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from bookwright.models.brief import MAX_BRIEF_BYTES, Brief, make_brief, parse_brief, toml_values
from bookwright.models.errors import InvalidBrief, InvalidInput
from bookwright.models.text.language import Language, is_in
from bookwright.storage.files.blueprints import as_chosen
from bookwright.storage.files.given_file import named_file, read_bytes, read_text

_TEXTS = frozenset(name for name, field in Brief.model_fields.items() if field.annotation is str)
_SAMPLE_ENDINGS, _OUTLINE_ENDINGS = (".txt", ".md"), (".md", ".markdown", ".txt")
"""Of a file that a brief may name in the place of a sample or an outline."""
_MOST_SAMPLE_BYTES = 1_000_000
_LEAST_SAMPLE = 100
"""Of the language's unit: a shorter sample has no habits yet."""


def read_brief(path: Path | None, options: dict[str, Any]) -> Brief:
    """Make a brief of a file, if one is given, and of options, which win; `outline` among them is a path.

    Raises:
        InvalidBrief: The file cannot be read or no book can be written from it.
    """
    budget = options.pop("budget", {})
    brief = _with_blueprint(_with_sample(_parsed(path, options), path), path)
    if not budget:
        return brief
    caps = brief.budget.model_dump(exclude_unset=True) | budget
    return make_brief(given(brief) | {"budget": caps})


def _parsed(path: Path | None, options: dict[str, Any]) -> Brief:
    content = read_bytes(path, "brief", MAX_BRIEF_BYTES, InvalidBrief) if path else b""
    option = options.pop("outline", None)
    named = toml_values(content, "brief") if content else {}
    if option is None and not named.get("outline"):
        return parse_brief(content, options)
    values = named | {key: value for key, value in options.items() if value is not None}
    told = str(values.get("outline"))
    file = option or named_file(told, path, _OUTLINE_ENDINGS)
    return make_brief(outlined(values, read_text(file, "outline", raises=InvalidBrief) if file else told))


def outlined(values: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the values of a brief with an outline, which says what they leave open of premise, title and length.

    Raises:
        InvalidBrief: It names no chapters.
    """
    from bookwright.manuscripts.outlines import read_outline  # a brief without an outline needs none of it
    from bookwright.models.tree.outline import length_of

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


def _with_blueprint(brief: Brief, path: Path | None) -> Brief:
    """Keep the folder of a blueprint in full, one that a file names as it lies from that file."""
    chosen = as_chosen(brief.blueprint, path.parent if path else Path.cwd())
    return brief if chosen == brief.blueprint else make_brief(given(brief) | {"blueprint": chosen})


def _with_sample(brief: Brief, path: Path | None) -> Brief:
    """Read the file that a brief may name in the place of its sample of style, and look at the sample."""
    if not brief.style_sample:
        return brief
    file = named_file(brief.style_sample, path, _SAMPLE_ENDINGS)
    if file is not None:
        brief = make_brief(given(brief) | {"style_sample": read_sample(file)})
    check_sample(brief.style_sample, brief.language)
    return brief


def read_sample(path: Path) -> str:
    """Read a text whose style is to be kept.

    Raises:
        InvalidInput: It is no UTF-8 text, empty, or too large.
    """
    text = read_text(path, "sample", _MOST_SAMPLE_BYTES).replace("\r\n", "\n").strip()
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
    if (length := language.measure(text)) < _LEAST_SAMPLE:
        raise InvalidInput(
            f"the sample of style has {length} {language.length_unit}; "
            f"it takes at least {_LEAST_SAMPLE}, better some 2,000"
        )


def given(brief: Brief) -> dict[str, Any]:
    """Return the values that were named, leaving out what only has its default."""
    return brief.model_dump(mode="json", exclude_unset=True)


def merged(brief: Brief, assignments: list[str], file: Path | None) -> Brief:
    """Return a brief with the keys of a TOML file and then those of `key=value` texts laid over it.

    Raises:
        InvalidBrief: A key means nothing or a value is impossible.
    """
    changes = toml_values(read_bytes(file, "brief", MAX_BRIEF_BYTES, InvalidBrief)) if file else {}
    for assignment in assignments:
        update_nested(changes, parse_assignment(assignment, _TEXTS))
    return changed_brief(brief, changes)


def changed_brief(brief: Brief, changes: dict[str, Any]) -> Brief:
    """Return a brief with some values replaced; a role whose model is None has none of its own again.

    Raises:
        InvalidBrief: The changed brief could not be written.
    """
    values = brief.model_dump(mode="json")
    update_nested(values, changes)
    values["models"] = {role: model for role, model in values["models"].items() if model is not None}
    return brief.changed(**values)


def parse_assignment(assignment: str, texts: Collection[str] = ()) -> dict[str, Any]:
    """Read `budget.usd=5`; a value that is not TOML, or of a key in `texts`, is text, an empty one None.

    Raises:
        InvalidBrief: There is no key or no equals sign.
    """
    key, equals, value = assignment.partition("=")
    key = key.strip()
    if not equals or not key:
        raise InvalidBrief(f"--set takes key=value, such as length=30000, not {assignment!r}")
    return nested(key.split("."), value if key in texts else _value(value))


def nested(path: Sequence[str], value: Any) -> dict[str, Any]:
    """Return tables within tables, at whose end is the value."""
    *outer, last = path
    table = {last: value}
    for name in reversed(outer):
        table = {name: table}
    return table


def whole_number(name: str, value: str) -> int:
    """Read a number as people write it into a form, with or without marks between its digits.

    Raises:
        InvalidBrief: It is none; the message names the field.
    """
    digits = value.replace(",", "").replace(" ", "").replace("\u202f", "")
    if not digits.removeprefix("-").isdecimal() or len(digits) > 40:
        raise InvalidBrief(f"The {name} is a whole number, not {value[:40]!r}.")
    return int(digits)


def _value(text: str) -> Any:
    if not text.strip():
        return None
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        return text.strip()


def update_nested(values: dict[str, Any], changes: dict[str, Any]) -> None:
    """Lay changes over values, table by table."""
    for key, change in changes.items():
        if isinstance(change, dict) and isinstance(values.get(key), dict):
            update_nested(values[key], change)
        else:
            values[key] = change
