"""The text form is read from whatever arrives, and what was written is read back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.react.action import Action, Finish, NoAction, is_in_form, read, write

NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,30}", fullmatch=True).filter(lambda name: name.casefold() != "finish")
THOUGHTS = st.text("abc xyz 想「」[]{}\"'.!", max_size=60).map(lambda text: " ".join(text.split()))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab[]{}"\\:', max_size=5), inner, max_size=3),
    max_leaves=8,
)


PIECES = (
    "Thought:", "Action:", "Finish[", "a[", "[", "]", "{", "}", '"', "\\", "```", "\n", "Observation:", "x", "行动：",
    "[" * 40, '{"a":' * 30,
)  # fmt: skip


@given(st.text(max_size=300))
def test_any_text_is_read_as_some_turn(text: str) -> None:
    assert isinstance(read(text), Action | Finish | NoAction)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_pieces_of_the_form_in_any_order_are_read_as_some_turn(text: str) -> None:
    assert isinstance(read(text), Action | Finish | NoAction)


def test_arguments_nested_too_deeply_are_read_as_some_turn() -> None:
    turn = read("Action: grep[" + "[" * 200_000)

    assert isinstance(turn, Action)


@given(NAMES, st.dictionaries(st.text("abc", min_size=1, max_size=5), VALUES, max_size=4), THOUGHTS)
def test_an_action_that_was_written_is_read_back(name: str, arguments: dict[str, object], thought: str) -> None:
    action = Action(name, json.dumps(arguments, ensure_ascii=False), thought)

    assert read(write(action)) == action
    assert is_in_form(write(action))


@given(st.text("ab\n #*-「」。", max_size=80).map(str.strip), THOUGHTS)
def test_an_answer_that_was_written_is_read_back(answer: str, thought: str) -> None:
    finish = Finish(answer, thought)

    assert read(write(finish)) == finish


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('Thought: who?\nAction: find[{"query": "oil [1890]"}]', Action("find", '{"query": "oil [1890]"}', "who?")),
        ('Action: grep[{"pattern": "a]b\\"]}"}] and more', Action("grep", '{"pattern": "a]b\\"]}"}')),
        ('**Action:** `LS[{}]`', Action("LS", "{}")),
        ('```\nThought: t\nAction: LS[{}]\n```', Action("LS", "{}", "t")),
        ('Thought: t\n```json\nAction: LS[{}]\n```', Action("LS", "{}", "t")),
        ('Action: LS[\n```json\n{"path": "."}\n```\n]', Action("LS", '{"path": "."}')),
        ('Thought: t\nAction: LS\nAction Input: {"path": "."}\nObservation: none', Action("LS", '{"path": "."}', "t")),
        ('Thought: first this. Action: LS[{"path": "."}]', Action("LS", '{"path": "."}', "first this.")),
        ('思考：先查\n行动：web_search[{"query": "灯塔"}]', Action("web_search", '{"query": "灯塔"}', "先查")),
        ("Action: LS[{}]\nAction: Grep[{}]\nAction: Finish[done]", Action("LS", "{}")),
        ("Action: LS[{}]\nObservation: all is there\nAction: Finish[done]", Action("LS", "{}")),
        ("Action: web_search[lamp oil]", Action("web_search", "lamp oil")),
        ("Action: web_search[lamp [oil", Action("web_search", "lamp [oil")),
        ("Action: LS[]", Action("LS", "{}")),
    ],
)  # fmt: skip
def test_an_action_is_found_in_what_models_write(text: str, action: Action) -> None:
    assert read(text) == action


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Action: Finish[The lamp was cold.]", "The lamp was cold."),
        ("Finish[The lamp was cold.]", "The lamp was cold."),
        ("Thought: enough.\nFinish[The lamp\n\nwas cold.]", "The lamp\n\nwas cold."),
        ("Action: Finish[It cost two pounds [unverified].]", "It cost two pounds [unverified]."),
        ("Action: Finish[It cost two pounds [unverified]", "It cost two pounds [unverified"),
        ("Action: Finish[It cost two pounds [unverified] in 1890", "It cost two pounds [unverified] in 1890"),
        ("Action: Finish[a) one\nb] two]", "a) one\nb] two"),
        ("Action: Finish[done]\nObservation: well done", "done"),
        ('Action: Finish[{"a": ["]"]}]', '{"a": ["]"]}'),
        ("Action: Finish[]", ""),
        ("Action: Finish\nThe lamp was cold.", "The lamp was cold."),
        ("The lamp was cold.", "The lamp was cold."),
        ("# Design\n\nAction: rising, then a fall.", "# Design\n\nAction: rising, then a fall."),
        ("", ""),
    ],
)
def test_an_answer_is_found_in_what_models_write(text: str, answer: str) -> None:
    turn = read(text)

    assert isinstance(turn, Finish)
    assert turn.answer == answer


@pytest.mark.parametrize("text", ["Thought: I wonder.", "Thought: hm\nAction:", "Action: [x]", "Action: to search"])
def test_a_form_begun_without_an_action_is_none(text: str) -> None:
    assert isinstance(read(text), NoAction)
