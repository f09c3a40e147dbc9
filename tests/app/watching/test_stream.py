"""What events come to on the screen: text, tools with their times, waits and errors."""

from bookwright.app.watching.stream import PieceKind, StreamText
from bookwright.models.talk.event import (
    CompletedEvent,
    CompletedPayload,
    FailedEvent,
    FailedPayload,
    Message,
    MessageEvent,
    MessagePayload,
    ReasoningEvent,
    SpeakerRole,
)
from tests.app.watching.saying import DRAFT, happened, said


def heard(*events):
    stream = StreamText()
    for event in events:
        stream.hear(event)
    return stream.snapshot(0)


def pieces(*events):
    return [(piece.kind, piece.text) for piece in heard(*events).pieces]


def test_increments_of_a_step_are_one_text_below_its_name():
    found = pieces(happened("started"), said("Rain "), said("fell."), said("Why?", "1.3 plan/proposer"))

    assert found == [
        (PieceKind.HEAD, DRAFT),
        (PieceKind.TEXT, "Rain fell."),
        (PieceKind.HEAD, "1.3 plan/proposer"),
        (PieceKind.TEXT, "Why?"),
    ]


def test_thoughts_stand_apart_from_the_text():
    found = pieces(said("Hm. ", kind=ReasoningEvent), said("Hm.", kind=ReasoningEvent), said("Rain."))

    assert found[1:] == [(PieceKind.THOUGHT, "Hm. Hm."), (PieceKind.TEXT, "Rain.")]


def test_of_a_reply_that_acts_the_thought_and_the_tools_purpose_are_shown_and_not_its_form():
    found = pieces(
        happened("started", "1.4 execute/search"),
        said('Thought: I need a year.\nAction: web_search[{"query": ', "1.4 execute/search"),
        said('"lamps 1890"}]', "1.4 execute/search"),
        happened("finished", "1.4 execute/search"),
        happened("tool_use", "1.4 execute/search", '{"query": "lamps 1890"}', tool="web_search"),
        happened("started", "1.4 execute/search"),
        said("Action: Finish[In 1823 [1].]", "1.4 execute/search"),
        happened("finished", "1.4 execute/search"),
    )

    assert [text for kind, text in found if kind is PieceKind.THOUGHT] == ["I need a year.\n"]
    assert [text for kind, text in found if kind is PieceKind.NOTE] == ["web_search searches the web: lamps 1890"]
    assert "".join(text for kind, text in found if kind is PieceKind.TEXT) == "In 1823 [1]."


def test_prose_that_reads_like_the_form_stays_as_it_is():
    script = "Action: the lamp goes out.\nThought: why?"

    assert pieces(happened("started"), said(script))[-1] == (PieceKind.TEXT, script)


def test_the_text_of_a_broken_stream_is_void():
    found = pieces(
        said("Old.", "1.1 write/draft"), happened("started"), said("Rain f"), happened("restarted"), said("Snow.")
    )

    assert ("text", "Rain f") not in found
    assert found[-2:] == [(PieceKind.NOTE, "again: the stream broke"), (PieceKind.TEXT, "Snow.")]


def test_a_use_of_a_tool_has_its_time_and_its_status():
    running = heard(happened("tool_use", text='{"query": "灯"}', tool="web_search"))
    done = heard(
        happened("tool_use", text="{}", tool="Read"), happened("tool_use", text="{}", tool="Grep", at=1_500),
        happened("tool_result", text='{"status": "error"}', tool="Grep", at=1_900),
        happened("tool_result", text='{"status": "success"}', tool="Read", at=3_000),
    )  # fmt: skip

    assert [(use.tool, use.millis) for use in running.uses] == [("web_search", None)]
    assert [(use.tool, use.millis, use.status) for use in done.uses] == [
        ("Read", 2_000, "success"),
        ("Grep", 400, "error"),
    ]


def test_an_answer_of_a_tool_that_nobody_asked_and_one_that_is_no_json_break_nothing():
    done = heard(happened("tool_result", tool="Read"), happened("tool_use", tool="Read"),
                 happened("tool_result", text="{", tool="Read", at=900))  # fmt: skip

    assert [(use.millis, use.status) for use in done.uses] == [(0, "")]


def test_a_wait_is_told_until_something_comes():
    wait = happened("waiting", text="rate limit, 20 s")

    assert heard(wait).waits == "rate limit, 20 s"
    assert heard(wait, said("Rain.")).waits == ""


def test_an_error_is_told_until_something_goes_well():
    down = FailedEvent(agent_id="x", tab_id="lamp", task_id=DRAFT, payload=FailedPayload(error="it is down"))
    refused = happened("step", failure="unparsable", detail="no JSON")
    looked = happened("step", failure="tool_use", detail="Read")
    well = CompletedEvent(agent_id="x", tab_id="lamp", task_id=DRAFT, payload=CompletedPayload(text="Rain."))

    assert heard(down).error == "it is down"
    assert heard(refused).error == "unparsable: no JSON"
    assert heard(looked).error == ""
    assert heard(down, well).error == ""
    assert heard(down).pieces[-1].kind is PieceKind.ERROR


def test_what_could_steer_the_terminal_is_left_out():
    assert pieces(said("Rain\x1b[2J\x07 fell.\x9b"))[-1] == (PieceKind.TEXT, "Rain[2J fell.")


def test_the_text_is_bounded_whatever_comes():
    flood = [said("雨" * 500, f"1.{number} write/draft") for number in range(200)]
    one = [said("雨" * 500) for _ in range(200)]

    assert sum(len(text) for _, text in pieces(*flood)) <= 12_000
    assert sum(len(text) for _, text in pieces(*one)) <= 12_000 + len(DRAFT)


def test_of_a_talk_the_person_and_each_agent_are_named():
    asked = Message(id="1", tab_id="talk", agent_id="code", role=SpeakerRole.USER, text="Why?", timestamp=1)
    question = MessageEvent(agent_id="code", tab_id="talk", payload=MessagePayload(message=asked))

    found = pieces(question, said("Because.", task="abc"), said("I look.", task="abc", parent_agent_id="code"))

    assert found == [
        (PieceKind.PERSON, "Why?"), (PieceKind.HEAD, "draft"), (PieceKind.TEXT, "Because."),
        (PieceKind.HEAD, "code > draft"), (PieceKind.TEXT, "I look."),
    ]  # fmt: skip
