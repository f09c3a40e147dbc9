"""The JSON schema of a shape as models get to see it, and all that a request sends."""

import json
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from bookwright.agents.backends.protocol import Request
from bookwright.prompts.render import render_part

_IDLE = ("title", "default")
_FRAMES = {
    "en": (
        "Answer with one JSON object and nothing before or after it. "
        r"Inside its texts, `\"` stands for a quotation mark and `\\` for a backslash. "
        "It keeps to this JSON schema:\n"
    ),
    "zh": (
        "只答一个 JSON 对象，前后什么都不写；"
        r"文字里的引号写成 `\"`，反斜杠写成 `\\`。"
        "它要合乎下面这份 JSON Schema：\n"
    ),
}
"""By the prompt's language; English for those without templates of their own."""


@lru_cache(maxsize=128)
def schema_text(shape: type[BaseModel]) -> str:
    """Give the shape's JSON schema without titles, defaults and docstrings, which a model has no use for."""
    schema = shape.model_json_schema()
    for node in (schema, *schema.get("$defs", {}).values()):
        node.pop("description", None)
    return json.dumps(_bare(schema), ensure_ascii=False, separators=(",", ":"))


def schema_request(shape: type[BaseModel], locale: str) -> str:
    """Ask in words for an answer of a shape, where a provider has no better way."""
    return _FRAMES.get(locale, _FRAMES["en"]) + schema_text(shape)


def compact_schema(shape: type[BaseModel]) -> dict[str, Any]:
    """Give the same as a fresh dict."""
    schema: dict[str, Any] = json.loads(schema_text(shape))
    return schema


def tools_request(request: Request) -> str:
    """Tell in words of the tools of a request and how they are asked for; empty where there are none."""
    return render_part("react/form", request.locale, tools=request.tools) if request.tools else ""


def texts_of(request: Request) -> tuple[str, ...]:
    """Give all text that a call sends, for counting it."""
    turns = (part for correction in request.corrections for part in (correction.reply, correction.problem))
    schema = "" if request.output is None else schema_text(request.output)
    return (request.prompt.system, *request.prompt.blocks, *turns, schema, tools_request(request))


def parts_of(request: Request) -> tuple[str, ...]:
    """Return the texts of a request in the order in which a provider reads them."""
    prompt, turns = request.prompt, (part for turn in request.corrections for part in (turn.reply, turn.problem))
    return tuple(part for part in (prompt.system, tools_request(request), *prompt.blocks, *turns) if part)


def _bare(node: Any, holds_names: bool = False) -> Any:
    """Drop the idle keywords; below `properties` and `$defs` the keys are names and stay."""
    if isinstance(node, list):
        return [_bare(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _bare(value, holds_names=key in ("properties", "$defs") and not holds_names)
        for key, value in node.items()
        if holds_names or key not in _IDLE
    }
