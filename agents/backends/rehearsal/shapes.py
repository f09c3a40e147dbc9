"""Fills any JSON schema with something valid: for agents whose answers the rehearsal does not know."""

from dataclasses import dataclass
from random import Random
from typing import Any

from pydantic import BaseModel

from bookwright.agents.backends.rehearsal.step import Step

_DEEPEST = 4
"""Depth from which on only what is required is filled, so that a recursive shape ends."""

Schema = dict[str, Any]


def filled(shape: type[BaseModel], step: Step) -> dict[str, Any]:
    """Return a valid object of a shape, the same for the same step."""
    schema = shape.model_json_schema()
    found: dict[str, Any] = _Filler(schema.get("$defs", {}), step, step.rng()).value(schema, 0)
    return found


@dataclass(frozen=True)
class _Filler:
    defs: dict[str, Schema]
    step: Step
    rng: Random

    def value(self, schema: Schema, depth: int) -> Any:
        """Return a value that a schema allows."""
        if "$ref" in schema:
            return self.value(self.defs[schema["$ref"].rpartition("/")[2]], depth)
        if "const" in schema or "enum" in schema:
            return self.rng.choice(schema.get("enum") or [schema["const"]])
        for choice in ("anyOf", "oneOf", "allOf"):
            if choice in schema:
                return self.value(schema[choice][0], depth)
        return self._typed(schema, depth)

    def _typed(self, schema: Schema, depth: int) -> Any:
        match schema.get("type"):
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, depth)
            case "integer":
                low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
                return self.rng.randint(low, schema.get("maximum", low + 9))
            case "number":
                low = schema.get("minimum", 0.0)
                return round(self.rng.uniform(low, schema.get("maximum", low + 1.0)), 2)
            case "boolean":
                return self.rng.random() < 0.5
            case "null":
                return None
            case _:
                text = f"{self.step.voice.marker} {self.step.voice.sentence('noted', self.rng)}"
                return text[: schema.get("maxLength", len(text))]

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        fields = schema.get("properties", {}).items()
        return {name: self.value(field, depth + 1) for name, field in fields if name in required or depth < _DEEPEST}

    def _array(self, schema: Schema, depth: int) -> list[Any]:
        count = max(schema.get("minItems", 0), 1 if depth < _DEEPEST else 0)
        items = schema.get("items") or next(iter(schema.get("prefixItems", ())), {"type": "string"})
        return [self.value(items, depth + 1) for _ in range(min(count, schema.get("maxItems", count)))]
