"""What a model is told of a tool names every parameter and every limit, in each prompt language."""

import re
from typing import Any

import pytest

from bookwright.agents.tools.registry import ToolRegistry
from bookwright.models.talk.tool import ErrorCode
from tests.places import ROOT

BOUNDS = ("minimum", "maximum", "maxLength", "maxItems")
OBVIOUS = {0, 1}
"""Limits that go without saying: a number of lines is not negative."""


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_a_description_names_all_parameters_and_limits(every: ToolRegistry, locale: str) -> None:
    for tool in every:
        text = tool.description(locale)

        assert {name for name in tool.parameters.model_fields if f"`{name}`" not in text} == set(), tool.name
        assert {limit for limit in _limits(tool) if not _says(text, limit)} == set(), tool.name


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_a_description_names_what_the_answer_holds(every: ToolRegistry, locale: str) -> None:
    named = {tool.name: tool.description(locale) for tool in every}

    for tool, field in (("LS", "entries"), ("Glob", "paths"), ("Grep", "matches"), ("Read", "content")):
        assert f"`{field}`" in named[tool]
        assert "`truncated`" in named[tool]
    assert all(f"`{field}`" in named["Write"] for field in ("applied", "operation", "diff_preview"))


def test_the_chinese_descriptions_are_chinese(every: ToolRegistry) -> None:
    for tool in every:
        chinese = re.findall(r"[\u4e00-\u9fff]", tool.description("zh"))

        assert len(chinese) > 100, tool.name


@pytest.mark.parametrize("document", ["tool-protocol.md", "通用工具响应协议.md"])
def test_the_protocol_document_names_every_rule_and_code(document: str) -> None:
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    source = ROOT / "agents" / "tools"
    rules = {rule for file in source.rglob("*.py") for rule in re.findall(r'"([VSTD]0\d\d)"', file.read_text())}

    assert {rule for rule in rules if rule not in text} == set()
    assert {code for code in ErrorCode if f"`{code}`" not in text} == set()
    assert len(rules) == 32


def _limits(tool: Any) -> set[Any]:
    schema = tool.parameters.model_json_schema()["properties"].values()
    of_parameters = {about[bound] for about in schema for bound in BOUNDS if bound in about}
    return {limit for limit in of_parameters | set(tool.limits.values()) if limit not in OBVIOUS}


def _says(text: str, limit: float) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(str(limit))}(?![\d])", text) is not None
