"""A call always gives an envelope; long answers are cut and kept; answers of other forms are taken in."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.overflow import FOLDER, MOST_BYTES, Overflow, fit
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.tool import Params, Tool, success
from bookwright.agents.tools.validate import validate
from bookwright.models.talk.tool import ToolResponse
from tests.agents.tools.workspaces import code

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


class AnyParams(Params):
    value: Any = None


class Plain(Tool[AnyParams]):
    """Does what it was given."""

    name = "Plain"
    parameters = AnyParams

    def __init__(self, does: Callable[[Any], Any]) -> None:
        self._does = does

    def run(self, params: AnyParams) -> ToolResponse:
        answer: ToolResponse = self._does(params.value)
        return answer


def answered(does: Callable[[Any], Any], value: Any = None) -> ToolResponse:
    response = ToolRegistry([Plain(does)]).call("Plain", {"value": value})
    assert validate("Plain", response) == []
    return response


def test_an_envelope_has_the_keys_of_the_protocol_and_no_other(registry: ToolRegistry) -> None:
    well, ill = registry.call("LS", {}), registry.call("LS", {"path": ".."})

    assert list(json.loads(well.to_json())) == ["status", "data", "text", "stats", "context"]
    assert list(json.loads(ill.to_json())) == ["status", "data", "text", "stats", "context", "error"]
    assert well.context == {"cwd": ".", "params_input": {}, "path_resolved": "."}


def test_an_unknown_tool_is_told_with_the_one_that_was_meant(registry: ToolRegistry) -> None:
    response = registry.call("Grepp", {})

    assert code(response) == "INTERNAL_ERROR"
    assert "Did you mean Grep?" in response.text


def test_an_unknown_tool_that_is_given_a_path_keeps_to_the_protocol(registry: ToolRegistry) -> None:
    assert validate("read", registry.call("read", {"path": "pages/../a.md"})) == []


def test_what_says_more_than_it_did_is_no_success() -> None:
    response = answered(lambda _: success({"truncated": True}, "Here is the whole of it."))

    assert code(response) == "INTERNAL_ERROR"
    assert "S005" in response.text
    assert validate("Plain", response) == []


def test_a_long_input_is_echoed_shortly_and_leaves_no_file(registry: ToolRegistry, root: Path) -> None:
    response = registry.call("Write", {"path": "long.md", "content": "ink " * 20_000})

    assert response.data["applied"] is True
    assert "too long" not in response.text
    assert len(response.context["params_input"]["content"]) < 5_000
    assert (root / "long.md").stat().st_size == 80_000
    assert not (root / "agent-log").exists()


def test_an_exception_in_a_tool_is_an_answer_that_tells_no_path() -> None:
    def fail(_: Any) -> None:
        raise FileNotFoundError("/home/somebody/secret")

    response = answered(fail)

    assert code(response) == "INTERNAL_ERROR"
    assert "/home" not in response.to_json()


def test_fewer_tools_can_be_allowed(registry: ToolRegistry) -> None:
    assert [tool.name for tool in registry.only(disallowed=["Write"])] == ["LS", "Glob", "Grep", "Read"]
    assert [tool.name for tool in registry.only(["Read", "Write", "Nothing"], ["Write"])] == ["Read"]
    assert code(registry.only(["Read"]).call("Write", {"path": "a", "content": "b"})) == "INTERNAL_ERROR"


def test_two_tools_of_a_name_are_refused(registry: ToolRegistry) -> None:
    with pytest.raises(ValueError, match="LS"):
        ToolRegistry([*registry, *registry])


@settings(max_examples=60, deadline=None)
@given(raw=_JSON | st.text() | st.binary())
def test_whatever_is_given_comes_back_as_an_envelope(raw: Any) -> None:
    registry = ToolRegistry([Plain(lambda value: success({"value": value}, "It was given back."))])

    for given_raw in (raw, json.dumps(raw) if not isinstance(raw, bytes) else raw):
        assert validate("Plain", registry.call("Plain", given_raw)) == []


def test_a_long_answer_is_cut_and_kept_whole(root: Path) -> None:
    registry = ToolRegistry([Plain(lambda _: success({"content": "雨\n" * 5_000}, "Done as asked."))], _kept(root))

    response = registry.call("Plain", {"value": "x" * 100_000})

    truncation = response.data["truncation"]
    assert (response.status, response.data["truncated"]) == ("partial", True)
    assert response.data["content"].startswith("雨\n雨")
    assert truncation["direction"] == "head"
    assert truncation["original_lines"] == 5_001
    assert len(response.to_json().encode()) <= MOST_BYTES
    assert response.data["content"].count("\n") <= 2_000
    assert "雨\n" * 5_000 in (root / truncation["full_output_path"]).read_text(encoding="utf-8")
    assert truncation["full_output_path"] in response.text
    assert validate("Plain", response) == []


def test_what_is_cut_is_lost_where_nothing_keeps_it() -> None:
    lines = [f"line {number}" for number in range(20_000)]

    response = ToolRegistry([Plain(lambda _: success({"rows": lines}, "Done as asked."))]).call("Plain", {})

    assert response.data["rows"][0] == "line 0"
    assert response.data["truncation"]["full_output_path"] is None


def test_a_tool_that_pages_by_itself_is_not_cut() -> None:
    whole = success({"content": "x" * 60_000}, "Done as asked.", truncation_skip=True)

    assert answered(lambda _: whole).data["content"] == "x" * 60_000


def test_only_the_last_answers_are_kept(root: Path) -> None:
    registry = ToolRegistry([Plain(lambda _: success({"content": "x" * 60_000}, "Done as asked."))], _kept(root))

    for _ in range(55):
        registry.call("Plain", {})

    assert len(os.listdir(root / FOLDER)) == 50


@settings(max_examples=60, deadline=None)
@given(value=_JSON, room=st.integers(100, 2_000))
def test_what_is_cut_to_fit_keeps_its_shape(value: Any, room: int) -> None:
    fitted = fit(value, room)

    assert type(fitted) is type(value)
    assert isinstance(value, int | float | None) or len(json.dumps(fitted, ensure_ascii=False).encode()) <= 2 * room


@pytest.mark.parametrize(
    ("answer", "status", "expected"),
    [
        ('{"entries": []}', "success", ""),
        ({"data": {"a": 1}, "text": "Done as asked."}, "success", ""),
        ([1, 2], "success", ""),
        ({"truncated": True}, "partial", ""),
        ({"error": "file not found"}, "error", "NOT_FOUND"),
        ({"error": "the request timed out"}, "error", "TIMEOUT"),
        ({"error": {"code": "RATE_LIMIT", "message": "slow down"}}, "error", "RATE_LIMIT"),
        ({"error": "没有权限"}, "error", "PERMISSION_DENIED"),
        ({"error": "oops"}, "error", "INTERNAL_ERROR"),
        ("plain words", "error", "INTERNAL_ERROR"),
        ({"status": "ok"}, "error", "INTERNAL_ERROR"),
        (b"\xff", "error", "INTERNAL_ERROR"),
    ],
)
def test_answers_of_other_forms_are_taken_in(answer: Any, status: str, expected: str) -> None:
    response = answered(lambda _: answer)

    assert (response.status.value, code(response)) == (status, expected)


def test_the_adapter_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENABLE_LEGACY_ADAPTER", "false")

    assert code(answered(lambda _: {"entries": []})) == "INTERNAL_ERROR"


def _kept(root: Path) -> Overflow:
    return Overflow(Sandbox(root))
