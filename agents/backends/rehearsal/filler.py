"""Fills any JSON schema with something valid: by the rules that a shape has, by chance where it has none."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from types import EllipsisType
from typing import Any

from pydantic import BaseModel

from bookwright.agents.backends.rehearsal.step import Mode, Step

_DEEPEST = 4
"""Depth from which on only what is required is filled, so that a recursive shape ends."""

Schema = dict[str, Any]


@dataclass
class Draft:
    """One object in the making, as its rules see it."""

    step: Step
    mode: Mode
    rng: Random
    item: Any = None
    """What it is made of, where it stands in a list: an entry of what the list's rule gave."""
    above: "Draft | None" = None
    depth: int = 0
    made: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.card, self.voice = self.step.card, self.step.voice

    def __getitem__(self, name: str) -> Any:
        """Return what an earlier rule made, of this object or of one that it stands in."""
        return self.made[name] if name in self.made or self.above is None else self.above[name]

    def say(self, kind: str) -> str:
        """Make a sentence, or a title."""
        return self.voice.title(self.rng) if kind == "titles" else self.voice.sentence(kind, self.rng)

    def quote(self) -> str:
        """Choose a sentence of the text that the step is about."""
        told = self.step.told
        return self.rng.choice(told)[:300] if told else self.voice.marker


Rule = Callable[[Draft], Any] | str | int | EllipsisType | Sequence[Any]
"""How a field comes by its value, or the value itself; `...` leaves it to the schema.

Rules are followed in the order in which they stand. A list of objects gets a rule that says what each is made
of, or the objects themselves. A name of no field is kept for later rules; `_rng` is the chance that they draw from.
"""

Rules = Mapping[str, Rule]
"""Rules by field."""

Table = Mapping[str, Rules]
"""Rules by a shape's name or, before that, by `SHAPE/` and the step's name, `small`, kind or activity."""


def filled(shape: type[BaseModel], step: Step, mode: Mode, table: Table) -> str:
    """Return a valid object of a shape as JSON, the same for the same step."""
    schema = _schema_of(shape)
    body = _Filler(schema.get("$defs", {}), table).object(schema, Draft(step, mode, step.rng()))
    return json.dumps({"written_by": "rehearsal", **body}, ensure_ascii=False)


@lru_cache(maxsize=64)
def _schema_of(shape: type[BaseModel]) -> Schema:
    return shape.model_json_schema()


@dataclass(frozen=True)
class _Filler:
    defs: dict[str, Schema]
    table: Table

    def object(self, schema: Schema, draft: Draft) -> dict[str, Any]:
        """Make an object: its rules first, then what is required beside them, or everything if it has none."""
        fields, rules = schema.get("properties", {}), self._rules_of(schema.get("title", ""), draft.step)
        for name, rule in (rules or {}).items():
            given: Any = rule(draft) if callable(rule) else rule
            if name == "_rng":
                draft.rng = given
            else:
                draft.made[name] = self._given(fields[name], given, draft) if name in fields else given
        needed = schema.get("required", ()) if rules or draft.depth >= _DEEPEST else fields
        draft.made |= {name: self._chosen(fields[name], draft) for name in needed if name not in draft.made}
        return {name: value for name, value in draft.made.items() if name in fields}

    def _rules_of(self, title: str, step: Step) -> Rules | None:
        size = "small" if step.is_small else ""
        keys = (f"{title}/{aspect}" for aspect in (step.name, size, step.kind, step.activity))
        return next((self.table[key] for key in (*keys, title) if key in self.table), None)

    def _given(self, schema: Schema, given: Any, draft: Draft) -> Any:
        """Make a value of what a rule gave."""
        schema = self._resolved(schema)
        if given is ...:
            return self._chosen(schema, draft)
        if schema.get("type") == "array":
            return [self._given(schema.get("items", {}), item, draft) for item in given]
        if schema.get("type") == "object" and not isinstance(given, dict):
            return self._inner(schema, draft, given)
        return given

    def _inner(self, schema: Schema, draft: Draft, item: Any = None) -> dict[str, Any]:
        return self.object(schema, Draft(draft.step, draft.mode, draft.rng, item, draft, draft.depth + 1))

    def _resolved(self, schema: Schema) -> Schema:
        """Follow references, and take the first of several shapes."""
        if "$ref" in schema:
            return self._resolved(self.defs[schema["$ref"].rpartition("/")[2]])
        choices = next((schema[key] for key in ("anyOf", "oneOf", "allOf") if key in schema), None)
        return self._resolved(choices[0]) if choices else schema

    def _chosen(self, schema: Schema, draft: Draft) -> Any:
        """Make any value that a schema allows."""
        schema, rng = self._resolved(schema), draft.rng
        if "const" in schema or "enum" in schema:
            return rng.choice(schema.get("enum") or [schema["const"]])
        match schema.get("type"):
            case "object":
                return self._inner(schema, draft)
            case "array":
                return self._list(schema, draft)
            case "integer" | "number":
                return _number(schema, rng)
            case "boolean":
                return rng.random() < 0.5
            case "null":
                return None
            case _:
                text = f"{draft.voice.marker} {draft.say('noted')}"
                return text[: schema.get("maxLength", len(text))]

    def _list(self, schema: Schema, draft: Draft) -> list[Any]:
        count = max(schema.get("minItems", 0), 1 if draft.depth < _DEEPEST else 0)
        items = schema.get("items") or next(iter(schema.get("prefixItems", ())), {"type": "string"})
        return [self._chosen(items, draft) for _ in range(min(count, schema.get("maxItems", count)))]


def _number(schema: Schema, rng: Random) -> float:
    if schema["type"] == "integer":
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        return rng.randint(low, schema.get("maximum", low + 9))
    low = schema.get("minimum", 0.0)
    return round(rng.uniform(low, schema.get("maximum", low + 1.0)), 2)
