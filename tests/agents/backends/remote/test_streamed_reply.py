"""What is gathered of a stream whose events come in odd ways."""

from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta, ThinkingPart, ToolCallPart
from pydantic_ai.messages import ToolCallPartDelta as CallDelta

from bookwright.agents.backends.protocol import EventKind, StreamEvent
from bookwright.agents.backends.remote.streamed_reply import StreamedReply


def test_only_the_first_of_two_tool_calls_counts() -> None:
    streamed = StreamedReply(lambda event: None)

    streamed.add(PartStartEvent(index=0, part=ToolCallPart("Verdict", '{"score": ')))
    streamed.add(PartStartEvent(index=1, part=ToolCallPart("Verdict", '{"score": 9}')))
    streamed.add(PartDeltaEvent(index=0, delta=CallDelta(args_delta="3}")))

    assert streamed.text == '{"score": 3}'


def test_a_call_wins_over_the_talk_before_it() -> None:
    streamed = StreamedReply(lambda event: None)

    streamed.add(PartStartEvent(index=0, part=TextPart("Let me answer.")))
    streamed.add(PartStartEvent(index=1, part=ToolCallPart("Verdict", {"score": 3})))

    assert streamed.text == '{"score": 3}'


def test_thoughts_are_kept_apart_from_the_text() -> None:
    heard: list[StreamEvent] = []
    streamed = StreamedReply(heard.append)

    streamed.add(PartStartEvent(index=0, part=ThinkingPart("Hm.")))
    streamed.add(PartStartEvent(index=1, part=TextPart("Rain")))
    streamed.add(PartDeltaEvent(index=1, delta=TextPartDelta(" fell.")))

    assert (streamed.text, streamed.reasoning) == ("Rain fell.", "Hm.")
    assert [event.kind for event in heard] == [EventKind.REASONING, EventKind.TEXT, EventKind.TEXT]


def test_a_prefill_that_comes_back_in_pieces_is_taken_off() -> None:
    streamed = StreamedReply(lambda event: None, prefill="Ines walked")

    for piece in ("In", "es wal", "ked to", " the pier."):
        streamed.add(PartDeltaEvent(index=0, delta=TextPartDelta(piece)))

    assert streamed.text == " to the pier."


def test_what_only_begins_like_the_prefill_is_kept() -> None:
    streamed = StreamedReply(lambda event: None, prefill="Ines walked")

    for piece in ("Ines", " ran."):
        streamed.add(PartDeltaEvent(index=0, delta=TextPartDelta(piece)))

    assert streamed.text == "Ines ran."
