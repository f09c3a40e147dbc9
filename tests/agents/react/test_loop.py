"""Thinking, acting, observing: bounded, and kept turn by turn."""

import json

import pytest

from bookwright.agents.backends.protocol import EventKind, StreamEvent
from bookwright.agents.react.action import OBSERVATION, Action, read
from bookwright.agents.react.loop import MAX_STEPS, answered
from bookwright.agents.react.observation import observation
from bookwright.agents.tools.outside import Outside
from bookwright.agents.tools.tool import success
from bookwright.models.step import Reply
from tests.agents.react.kit import PRICE, ROOM, Kept, Look, Teller, action, finish, make_loop


def test_what_a_tool_brings_stands_before_the_next_question() -> None:
    teller, kept, look = Teller([action(), finish("Nine pence.")]), Kept(), Look()

    reply = make_loop(teller, kept, look).run()

    assert answered(reply).text == "Nine pence."
    assert look.asked == ["oil"]
    first, second = teller.asked
    assert first == ()
    assert second[0].reply == action()
    assert second[0].problem == f"{OBSERVATION}success: Looked for 'oil'.\nfound: {PRICE}"
    assert [(use.tool, use.status, use.ordinal) for use in kept.uses] == [("look", "success", 1)]


def test_what_a_model_made_up_after_its_action_is_not_shown_again() -> None:
    teller = Teller([f"{action()}\nObservation: free of charge\nAction: Finish[free]", finish("Nine pence.")])

    make_loop(teller, Kept()).run()

    assert teller.asked[1][0].reply == action()


@pytest.mark.parametrize(
    "bad", ["Thought: I wonder.", action(tool="lok"), "Action: look[oil]", 'Action: look[{"qery": "oil"}]', "Action:"]
)
def test_a_bad_action_becomes_an_observation(bad: str) -> None:
    teller, kept, look = Teller([bad, action(), finish("Nine pence.")]), Kept(), Look()

    reply = make_loop(teller, kept, look).run()

    assert answered(reply).text == "Nine pence."
    assert [use.status for use in kept.uses] == ["error", "success"]
    assert teller.asked[1][0].problem.startswith(f"{OBSERVATION}error ")
    assert look.asked == ["oil"]


def test_the_twelfth_reply_is_told_to_finish_and_after_it_the_answer_is_asked_for_without_tools() -> None:
    teller, kept, look = Teller([action()] * MAX_STEPS + ["Nine pence."]), Kept(), Look()

    reply = make_loop(teller, kept, look).run()

    assert reply.text == "Nine pence."
    assert len(teller.asked) == MAX_STEPS + 1
    assert [bool(tools) for tools in teller.given] == [True] * MAX_STEPS + [False]
    assert len(look.asked) == MAX_STEPS - 1
    assert ["One reply is left" in asked[-1].problem for asked in teller.asked[1:]] == [
        *([False] * (MAX_STEPS - 2)), True, False,
    ]  # fmt: skip
    assert kept.uses[-1].status == "error"


def test_a_loop_that_goes_on_counts_the_steps_that_were_taken() -> None:
    teller = Teller([action()])

    make_loop(teller, Kept()).run(taken=MAX_STEPS - 1)

    assert len(teller.asked) == 2


@pytest.mark.parametrize("reply", [Reply(text=""), Reply(text="I cannot.", finish_reason="refusal"),
                                   Reply(text='Action: look[{"que', finish_reason="length")])  # fmt: skip
def test_what_is_no_whole_reply_ends_the_loop_and_is_judged_by_who_asked(reply: Reply) -> None:
    kept = Kept()

    assert make_loop(lambda said, tools: reply, kept).run() == reply

    assert kept.replies == []


def test_listeners_hear_of_each_use_before_and_after() -> None:
    heard: list[StreamEvent] = []

    make_loop(Teller([action(), finish("x")]), Kept(), heard=heard).run()

    assert [(event.kind, event.tool) for event in heard] == [
        (EventKind.TOOL_USE, "look"), (EventKind.TOOL_RESULT, "look"),
    ]  # fmt: skip
    assert json.loads(heard[0].text) == {"query": "oil"}
    assert json.loads(heard[1].text)["data"] == {"found": PRICE}


def test_a_long_observation_is_cut_and_what_strangers_wrote_stays_marked() -> None:
    outside = Outside("ab12")

    told = observation(success({"content": outside.mark("word " * 2_000)}, outside.notice), ROOM)

    assert len(told) < ROOM + 200
    assert told.endswith("</outside-ab12>")
    assert told.count("<outside-ab12>") == 2  # once in the notice


def test_the_first_of_several_calls_counts() -> None:
    turn = read(f"{action('one')}\n{action('two')}\n{finish('three')}")

    assert turn == Action("look", '{"query": "one"}', "what did it cost?")
