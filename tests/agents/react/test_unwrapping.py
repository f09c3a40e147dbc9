"""What is shown of a reply while it streams in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.react.action import Action, Finish, write
from bookwright.agents.react.unwrapping import ReplyPart, Unwrapping


def shown(text, size, part=ReplyPart.ANSWER):
    """What is shown of a text that comes in pieces of so many characters."""
    unwrapping = Unwrapping()
    pieces = [piece for start in range(0, len(text), size) for piece in unwrapping.feed(text[start : start + size])]
    pieces += unwrapping.close()
    return "".join(piece.text for piece in pieces if piece.part is part)


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize(
    ("text", "thought", "answer"),
    [
        ("Rain fell.\n- a list\nAction matters.", "", "Rain fell.\n- a list\nAction matters."),
        ("Thought: who knows\nAction: web_search[{}]", "who knows\n", ""),
        ("Thought: enough\nAction: Finish[Rain [1] fell.\n\nTwice.]\n", "enough\n", "Rain [1] fell.\n\nTwice."),
        ("**Thought:** hm\n**Action:** Finish[ok]", "hm\n", "ok"),
        ("思考：够了\n行动：Finish[灯灭了。]", "够了\n", "灯灭了。"),
        ("Finish[x]", "", "x"),
        ("I look.\nAction: Read {\"path\": 1}", "", "I look.\n"),
        ("Thoughts on it: many", "", "Thoughts on it: many"),
        ("act", "", "act"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_the_form_is_taken_off_however_the_text_is_cut(text, thought, answer, size):
    assert shown(text, size) == answer
    assert shown(text, size, ReplyPart.THOUGHT) == thought


@given(answer=st.text(max_size=80), thought=st.text("abc \n", max_size=30), size=st.integers(1, 20))
def test_an_answer_in_the_form_is_shown_as_it_is(answer, thought, size):
    text = write(Finish(answer, thought))

    assert shown(text, size).rstrip(" \t\r\n`]").strip() == answer.rstrip(" \t\r\n`]").strip()


@given(text=st.text("ActionFinsh[]: \n*`x思考：", max_size=80), size=st.integers(1, 20))
def test_the_cut_makes_no_difference_to_a_text_of_any_kind(text, size):
    assert [shown(text, size, part) for part in ReplyPart] == [shown(text, len(text) or 1, part) for part in ReplyPart]


@given(st.text(max_size=40))
def test_what_a_tool_is_asked_for_is_never_shown(argument):
    text = write(Action("Read", f'{{"path": {argument!r}}}', "I look."))

    assert shown(text, 3) == ""
