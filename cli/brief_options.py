"""The options by which verbs take a brief: made once, of the brief's own fields and what these say of themselves."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args

import typer

from bookwright.cli.option_groups import Verb, takes
from bookwright.models.brief import Brief, Budget
from bookwright.models.profile import ProfileName

_FIELDS = Brief.model_fields | {f"budget_{name}": field for name, field in Budget.model_fields.items()}
_FLAGS: dict[str, tuple[str, ...]] = {
    "outline": ("--outline",), "blueprint": ("--blueprint",), "length": ("--words", "--length"), "models": ("--model",),
    "gates": ("--gate",), "max_planning_rounds": ("--planning-rounds",),
}  # fmt: skip
"""Where they are not the field's own name."""
_METAVARS = {"outline": "OUTLINE.md", "blueprint": "NAME", "world": "BOOK", "gates": "GATE", "candidates_for": "UNITS"}
_TYPES: dict[str, Any] = {"outline": Path, "models": str, "gates": list[str], "candidates_for": list[str]}
"""What a person types, where it is not what the field holds."""


def takes_brief(*names: str, told: Mapping[str, str] | None = None) -> Callable[[Verb], Verb]:
    """Give a verb an option for each of a brief's fields; the verb takes them together, as `options`.

    `options` holds the fields that were given, by their names in a brief: `models` as `{"default": NAME}`, `budget`
    as a table, an outline as its path.

    Args:
        names: Fields of a brief, `budget_usd` and `budget_tokens` for the two of its budget.
        told: Help for fields that mean something of their own here.
    """
    return takes({name: _option(name, told or {}) for name in names}, "options", _given)


def _option(name: str, told: Mapping[str, str]) -> Any:
    field = _FIELDS[name]
    option = typer.Option(*_FLAGS.get(name, ()), metavar=_METAVARS.get(name), help=told.get(name, field.description))
    kind = _TYPES.get(name) or _typed(field.annotation)
    return Annotated[kind | None, option]


def _typed(annotation: Any) -> Any:
    """What a field's value is as a person types it: a number, a profile's name, or text."""
    kinds = [kind for kind in (get_args(annotation) or (annotation,)) if kind is not NoneType]
    return kinds[0] if kinds[0] in (int, float, ProfileName) else str


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in values.items() if value is not None and value != []}
    budget = {name.removeprefix("budget_"): given.pop(name) for name in tuple(given) if name.startswith("budget_")}
    if "models" in given:
        given["models"] = {"default": given["models"]}
    return given | ({"budget": budget} if budget else {})
