"""Each rule of the protocol is noticed when it is broken, and no other with it."""

from typing import Any

import pytest

from bookwright.agents.tools.validate import validate

GOOD: dict[str, Any] = {
    "status": "success",
    "data": {"content": "x", "truncated": False},
    "text": "Read lines 1 to 1 of 'a.md'.",
    "stats": {"time_ms": 0.3},
    "context": {"cwd": ".", "params_input": {"path": "a.md"}, "path_resolved": "a.md"},
}
ERROR = GOOD | {
    "status": "error",
    "data": {},
    "text": "There is no 'a.md'. Use LS.",
    "error": {"code": "NOT_FOUND", "message": "There is no 'a.md'."},
}
CONTEXT = GOOD["context"]


@pytest.mark.parametrize("response", [GOOD, ERROR, GOOD | {"status": "partial", "text": "Done. Cut. Ask on."}])
def test_what_keeps_to_the_protocol_breaks_no_rule(response: dict[str, Any]) -> None:
    assert validate("Read", response) == []


@pytest.mark.parametrize(
    ("rule", "response"),
    [
        ("V001", "no JSON"),
        ("V001", "[]"),
        ("V001", '{"status": NaN}'),
        ("V001", GOOD | {"data": {"content": float("nan")}}),
        ("V001", GOOD | {"text": "\ud800"}),
        ("V002", GOOD | {"message": "ok"}),
        ("V003", {key: GOOD[key] for key in GOOD if key != "stats"}),
        ("V004", GOOD | {"status": "ok"}),
        ("V005", GOOD | {"data": None}),
        ("V006", GOOD | {"text": None}),
        ("V007", GOOD | {"stats": {}}),
        ("V007", GOOD | {"stats": {"time_ms": "3"}}),
        ("V008", GOOD | {"context": []}),
        ("V009", GOOD | {"context": CONTEXT | {"cwd": "/home"}}),
        ("V010", GOOD | {"context": CONTEXT | {"params_input": "a.md"}}),
        ("V011", GOOD | {"context": {"cwd": ".", "params_input": {"path": "a.md"}}}),
        ("V011", GOOD | {"context": CONTEXT | {"path_resolved": "../a.md"}}),
        ("V012", ERROR | {"error": "NOT_FOUND"}),
        ("S001", {key: ERROR[key] for key in ERROR if key != "error"}),
        ("S002", GOOD | {"error": None}),
        ("S002", GOOD | {"error": ERROR["error"]}),
        ("S003", ERROR | {"error": {"code": "OOPS", "message": "x"}}),
        ("S004", ERROR | {"error": {"code": "TIMEOUT", "message": " "}}),
        ("S005", GOOD | {"data": {"content": "x", "truncated": True}}),
        ("S006", GOOD | {"data": GOOD["data"] | {"fallback_reason": "slow"}}),
        ("S007", GOOD | {"data": GOOD["data"] | {"dry_run": True}}),
        ("S007", GOOD | {"data": GOOD["data"] | {"failed_items": ["b.md"]}}),
        ("S008", ERROR | {"data": {"content": "x"}}),
        ("T001", GOOD | {"text": " "}),
        ("T002", GOOD | {"text": "Read."}),
        ("T003", GOOD | {"status": "partial", "text": "Read a part of it."}),
        ("T004", ERROR | {"text": "There is no 'a.md'."}),
        ("D004", GOOD | {"data": {"truncated": False}}),
        ("D004", GOOD | {"data": {"content": "x"}}),
        ("D008", GOOD | {"data": {"content": "x" * 60_000, "truncated": False}}),
    ],
)  # fmt: skip
def test_a_broken_rule_is_named(rule: str, response: dict[str, Any] | str) -> None:
    assert [violation.rule for violation in validate("Read", response)] == [rule]


@pytest.mark.parametrize(
    ("tool", "rule", "data"),
    [
        ("LS", "D001", {"entries": [{"path": "a", "type": "pipe"}]}),
        ("Glob", "D002", {"paths": [1]}),
        ("Grep", "D003", {"matches": [{"file": "a", "line": 0, "text": ""}]}),
        ("Write", "D005", {"applied": True, "operation": "append", "diff_preview": ""}),
        ("search_story", "D006", {"results": [{"title": "a"}]}),
        ("web_search", "D006", {"results": [{"title": "a"}]}),
        ("fetch_page", "D007", {"url": "http://a/"}),
    ],
)
def test_the_data_of_each_tool_has_its_fields(tool: str, rule: str, data: dict[str, Any]) -> None:
    response = GOOD | {"data": data | {"truncated": False}}

    assert [violation.rule for violation in validate(tool, response)] == [rule]


def test_the_end_of_a_sentence_is_seen_in_chinese() -> None:
    response = ERROR | {"text": "没有这个文件。请先用 LS 查看。"}

    assert validate("Read", response) == []
