"""Writes the pages of this folder from the code: `python docs/reference/make.py`. A test holds them to it."""

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin

import platformdirs
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from bookwright.agents.backends.catalogue import PROVIDERS
from bookwright.models import blueprint
from bookwright.models.brief import Brief
from bookwright.models.model_name import DEFAULT
from bookwright.models.settings import Price, Settings

HERE = Path(__file__).parent
_ONLY_HERE = {"language": "told by the premise"}
"""What a brief need not say, though a book has to."""


def pages() -> dict[str, str]:
    """Return the pages by their names."""
    return {"settings.md": settings_page(), "brief.md": brief_page(), "blueprint.md": blueprint_page()}


def settings_page() -> str:
    """All settings, and the variables of the providers."""
    head = """
        # All settings

        Each may stand in `config.toml` of the data folder under its name, or in the environment under its variable;
        the environment wins. Made from `models/settings.py` by `docs/reference/make.py`.
    """
    rows = [
        f"| `{name}` | `BOOKWRIGHT_{name.upper()}` | {_kind(field.annotation)} | {_usual(name, field)} | {told} |"
        for name, field, told in _fields(Settings)
    ]
    prices = [f"| `{name}` | {_kind(field.annotation)} |" for name, field, _ in _fields(Price)]
    providers = [
        f"| `{name}` | {_names(each.key_variables)} | {_names(each.url_variables)} |"
        for name, each in PROVIDERS.items()
    ]
    return _page(
        head, "| setting | variable | kind | if not set | is |", rows,
        "## A price\n\n| key of `prices.\"provider:model\"` | kind |", prices,
        "## Variables of the providers\n\n| provider | key | address |", providers,
    )  # fmt: skip


def brief_page() -> str:
    """All keys of a brief."""
    head = """
        # All keys of a brief

        A brief is a TOML file; `bookwright write FILE.toml` takes it, and `--set KEY=VALUE` of `bookwright brief`
        changes one of its keys.
        Made from `models/brief.py` by `docs/reference/make.py`.
    """
    rows = [
        f"| `{name}` | {_kind(field.annotation)} | {_ONLY_HERE.get(name) or _default(field)} | {told} |"
        for name, field, told in _fields(Brief)
    ]
    return _page(head, "| key | kind | if not given | is |", rows)


def blueprint_page() -> str:
    """All tables of a blueprint with their keys."""
    head = """
        # All keys of a blueprint

        What the tables of a `blueprint.toml` may hold; [blueprints](../blueprints.md) tells what for. Made from
        `models/blueprint.py` by `docs/reference/make.py`.
    """
    parts: list[Any] = []
    for name, model in vars(blueprint).items():
        if _is_table(name, model):
            title = f"## {name}\n\n{inspect.getdoc(model) or ''}\n\n| key | kind | if not given | is |"
            rows = [
                f"| `{key}` | {_kind(field.annotation)} | {_default(field)} | {told} |"
                for key, field, told in _fields(model)
            ]
            parts += [title, rows]
    return _page(head, *parts)


def _is_table(name: str, model: Any) -> bool:
    is_ours = isinstance(model, type) and issubclass(model, BaseModel) and model.__module__ == blueprint.__name__
    return is_ours and not name.startswith("_")


def _page(head: str, *parts: Any) -> str:
    """Put a page together: its head, then titles with the heads of their tables, each followed by its rows."""
    text = textwrap.dedent(head).strip()
    for part in parts:
        if isinstance(part, list):
            text += "\n" + "\n".join(part)
        else:
            columns = part.rpartition("\n")[2].count("|") - 1
            text += f"\n\n{part}\n|{' --- |' * columns}"
    return text + "\n"


def _fields(model: type[BaseModel]) -> Iterator[tuple[str, FieldInfo, str]]:
    told = _told(model)
    for name, field in model.model_fields.items():
        yield name, field, " ".join(told.get(name, field.description or "").split()).replace("|", "\\|")


def _told(model: type[BaseModel]) -> dict[str, str]:
    """The strings that stand under the fields of a class."""
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for line, following in zip(body.body, body.body[1:], strict=False):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and _is_text(following):
            found[line.target.id] = str(following.value.value)  # type: ignore[attr-defined]
    return found


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)


def _kind(annotation: Any) -> str:
    """A type in words that need no Python."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if annotation is type(None):
        return ""
    if isinstance(annotation, type) and origin is None:
        if issubclass(annotation, Enum):
            return " or ".join(f"`{each.value}`" for each in annotation)
        words = {
            "str": "text",
            "int": "number",
            "float": "number",
            "bool": "true or false",
            "SecretStr": "text",
            "Path": "path",
        }
        return words.get(annotation.__name__, annotation.__name__)
    if origin in (tuple, list, frozenset):
        return f"list of {_kind(inner[0])}"
    if origin is dict:
        return f"table of {_kind(inner[1])}"
    if inner:
        return " or ".join(
            filter(None, dict.fromkeys(map(_kind, inner if "Annotated" not in str(annotation)[:30] else inner[:1])))
        )
    return "text"


def _usual(name: str, field: FieldInfo) -> str:
    """What a setting is by itself, wherever this runs."""
    return f"`{DEFAULT}`" if name == "model" else _default(field)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "has to be given"
    if field.default is PydanticUndefined:
        value = field.get_default(call_default_factory=True, validated_data={})
    else:
        value = field.default
    if isinstance(value, Path) and value == Path(platformdirs.user_data_dir("bookwright", appauthor=False)):
        return "the platform's data folder"
    if isinstance(value, Enum):
        value = value.value
    if hasattr(value, "get_secret_value"):
        value = value.get_secret_value()
    if isinstance(value, bool):
        return str(value).lower()
    return f"`{value}`" if value not in (None, "", (), [], {}, frozenset()) and not isinstance(value, BaseModel) else ""


def _names(variables: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in variables)


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
