"""The fake provider's default author: valid JSON for any schema, plain sentences for anything else."""

import hashlib
import json
from typing import Any

_WORDS = (
    "the", "keeper", "turned", "the", "lamp", "and", "counted", "the", "hours", "while", "rain", "fell", "on", "the",
    "harbour", "and", "no", "ship", "came",
)  # fmt: skip
_HAN = "雨落在港口守灯人数着钟点没有船来他把灯转向北方"
_MAX_DEPTH = 3
_NOT_PLANNED = ("write",)
"""A task of this type is no use to a plan, and a division makes its children such whatever they are called."""
_SENTENCES = 12


def write(prompt: str, schema: dict[str, Any] | None) -> str:
    """Answer a prompt: the same prompt always gets the same answer."""
    seed = _seed(prompt)
    if schema is not None:
        return json.dumps(_fill(schema, schema, seed, 0), ensure_ascii=False)
    return _prose(seed, _is_han(prompt))


def foreign(text: str) -> str:
    """Give prose in another language than a text's: Chinese, or English for a Chinese one."""
    return _prose(_seed(text), is_han=not _is_han(text))


def _is_han(text: str) -> bool:
    return sum("\u4e00" <= char <= "\u9fff" for char in text) > len(text) / 10


def _seed(prompt: str) -> int:
    return int.from_bytes(hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).digest()[:4])


def _prose(seed: int, is_han: bool) -> str:
    sentences = []
    for number in range(_SENTENCES):
        start = (seed + 7 * number) % len(_HAN if is_han else _WORDS)
        turned = _HAN[start:] + _HAN[:start] if is_han else " ".join(_WORDS[start:] + _WORDS[:start])
        sentences.append(turned + "。" if is_han else turned.capitalize() + ".")
    return ("" if is_han else " ").join(sentences)


def _fill(node: dict[str, Any], root: dict[str, Any], seed: int, depth: int) -> Any:
    """Make the smallest value that fits a schema node; lists below the third level stay empty."""
    if "$ref" in node:
        return _fill(_resolve(node["$ref"], root), root, seed, depth)
    if "enum" in node or "const" in node:
        values = [value for value in node.get("enum", [node.get("const")]) if value not in _NOT_PLANNED]
        return values[seed % len(values)]
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in node:
            return _fill(node[choice][0], root, seed, depth)
    match node.get("type"):
        case "object":
            return {
                name: _fill(part, root, seed + place, depth + 1)
                for place, (name, part) in enumerate(node.get("properties", {}).items())
            }
        case "array":
            count = max(node.get("minItems", 0), 1 if depth < _MAX_DEPTH else 0)
            return [_fill(node.get("items", {}), root, seed + place, depth + 1) for place in range(count)]
        case "integer" | "number":
            return node.get("minimum", node.get("exclusiveMinimum", 0) + 1)
        case "boolean":
            return bool(seed % 2)
        case "null":
            return None
        case _:
            return _text(seed, node.get("minLength", 1), node.get("maxLength", 80))


def _text(seed: int, shortest: int, longest: int) -> str:
    start = seed % len(_WORDS)
    text = " ".join((_WORDS[start:] + _WORDS[:start])[:6])
    while len(text) < shortest:
        text += " " + text
    return text[:longest]


def _resolve(reference: str, root: dict[str, Any]) -> dict[str, Any]:
    node: Any = root
    for key in reference.removeprefix("#").strip("/").split("/"):
        node = node[key] if key else node
    return dict(node)
