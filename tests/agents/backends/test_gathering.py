"""What is gathered of a stream whose events come in odd ways."""

from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta, ThinkingPart, ToolCallPart
from pydantic_ai.messages import ToolCallPartDelta as CallDelta

from bookwright.agents.backends.gathering import Gathering
from bookwright.agents.backends.protocol import EventKind, StreamEvent


def test_only_the_first_of_two_tool_calls_counts() -> None:
    gathering = Gathering(lambda event: None)

    gathering.add(PartStartEvent(index=0, part=ToolCallPart("Verdict", '{"score": ')))
    gathering.add(PartStartEvent(index=1, part=ToolCallPart("Verdict", '{"score": 9}')))
    gathering.add(PartDeltaEvent(index=0, delta=CallDelta(args_delta="3}")))

    assert gathering.text == '{"score": 3}'


def test_a_call_wins_over_the_talk_before_it() -> None:
    gathering = Gathering(lambda event: None)

    gathering.add(PartStartEvent(index=0, part=TextPart("Let me answer.")))
    gathering.add(PartStartEvent(index=1, part=ToolCallPart("Verdict", {"score": 3})))

    assert gathering.text == '{"score": 3}'


def test_thoughts_are_kept_apart_from_the_text() -> None:
    heard: list[StreamEvent] = []
    gathering = Gathering(heard.append)

    gathering.add(PartStartEvent(index=0, part=ThinkingPart("Hm.")))
    gathering.add(PartStartEvent(index=1, part=TextPart("Rain")))
    gathering.add(PartDeltaEvent(index=1, delta=TextPartDelta(" fell.")))

    assert (gathering.text, gathering.reasoning) == ("Rain fell.", "Hm.")
    assert [event.kind for event in heard] == [EventKind.REASONING, EventKind.TEXT, EventKind.TEXT]


def test_a_prefill_that_comes_back_in_pieces_is_taken_off() -> None:
    gathering = Gathering(lambda event: None, prefill="Ines walked")

    for piece in ("In", "es wal", "ked to", " the pier."):
        gathering.add(PartDeltaEvent(index=0, delta=TextPartDelta(piece)))

    assert gathering.text == " to the pier."


def test_what_only_begins_like_the_prefill_is_kept() -> None:
    gathering = Gathering(lambda event: None, prefill="Ines walked")

    for piece in ("Ines", " ran."):
        gathering.add(PartDeltaEvent(index=0, delta=TextPartDelta(piece)))

    assert gathering.text == "Ines ran."
