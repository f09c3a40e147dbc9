"""What the program answers, whole or cut, and what it cost."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bookwright.agents.backends.claude.program import lines_of
from bookwright.agents.backends.protocol import EventKind, Sampling, StreamEvent
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.models.errors import BudgetExceeded
from bookwright.models.settings import Price
from tests.agents.backends.claude.asking import MODEL, TEXT, Make
from tests.agents.backends.conftest import ask_for
from tests.support.fake_claude import FakeClaude, runs


def wait_until(is_so: Callable[[], bool]) -> bool:
    """Give something ten seconds to become so."""
    for _ in range(200):
        if is_so():
            return True
        time.sleep(0.05)
    return False


def test_a_reply_carries_text_usage_cost_turns_and_session(service: ModelService) -> None:
    events: list[StreamEvent] = []

    reply = service.ask(ask_for(MODEL), listener=events.append)

    assert reply.text == TEXT
    assert reply.finish_reason == "stop"
    assert (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.cache_write_tokens) == (1_012, 700, 300)
    assert (reply.usage.output_tokens, reply.usage.is_estimate) == (len(TEXT) // 4, False)
    assert (reply.cost, reply.num_turns, reply.session_id) == (12_500, 1, "5e55-1d")
    assert reply.first_event_millis is not None
    assert "".join(event.text for event in events if event.kind is EventKind.TEXT) == TEXT
    assert sum(event.kind is EventKind.TEXT for event in events) > 5


@pytest.mark.parametrize(
    "trouble", ["late:0.2", "lone", "garbage", "odd", "huge_line", "no_result", "double", "lingers", "deaf"]
)
def test_the_answer_is_whole_whatever_is_printed_around_it(
    trouble: str, claude: FakeClaude, make_service: Make
) -> None:
    claude.script[-1] = trouble
    service = make_service(claude_path=str(claude.path), max_attempts=1)

    reply = service.ask(ask_for(MODEL))

    assert (reply.text, reply.finish_reason) == (TEXT, "stop")


def test_what_is_not_counted_is_estimated_and_priced_by_the_list(claude: FakeClaude, service: ModelService) -> None:
    claude.script[-1] = "uncounted"

    reply = service.ask(ask_for(MODEL))

    assert reply.usage.is_estimate
    assert reply.usage.output_tokens > 0
    assert reply.cost
    assert reply.cost != 12_500


def test_a_price_of_the_settings_goes_before_what_the_program_tells(claude: FakeClaude, make_service: Make) -> None:
    service = make_service(claude_path=str(claude.path), prices={MODEL: Price(input=0, output=0)})

    assert service.ask(ask_for(MODEL)).cost == 0


def test_a_cap_is_held_for_what_the_program_adds_to_a_prompt(claude: FakeClaude, service: ModelService) -> None:
    request = ask_for(MODEL)

    with pytest.raises(BudgetExceeded):
        service.ask(request, BudgetLedger(None, 20_000))

    assert claude.calls == []
    assert service.ask(request, BudgetLedger(None, 40_000)).text == TEXT


def test_one_empty_result_is_made_good_by_the_second(claude: FakeClaude, service: ModelService) -> None:
    claude.script[0] = "empty"

    assert service.ask(ask_for(MODEL)).text == TEXT
    assert claude.helped == 1


def test_a_refusal_is_a_reply_of_its_kind(claude: FakeClaude, service: ModelService) -> None:
    claude.script = {
        0: "declined",
        1: "error:API Error: Claude Code is unable to respond: it violates our Usage Policy",
    }

    assert service.ask(ask_for(MODEL)).finish_reason == "refusal"
    assert service.ask(ask_for(MODEL)).finish_reason == "refusal"


def test_an_answer_at_its_limit_is_left_at_once_with_what_was_counted(
    claude: FakeClaude, service: ModelService
) -> None:
    claude.script = {0: "limit", 1: "error:API Error: Claude's response exceeded the 400 output token maximum."}

    reply = service.ask(ask_for(MODEL))
    told = service.ask(ask_for(MODEL))

    assert (reply.text, reply.finish_reason) == (TEXT[: len(TEXT) // 2], "length")
    assert (reply.usage.output_tokens, reply.usage.is_estimate) == (77, False)
    assert (reply.cost or 0) > 0
    assert told.finish_reason == "length"
    assert wait_until(lambda: not runs(claude.calls[0].pid))


def test_an_answer_without_an_end_is_cut_off(claude: FakeClaude, service: ModelService) -> None:
    claude.script[-1] = "endless"

    reply = service.ask(ask_for(MODEL, sampling=Sampling(0.7, 100, 1)))

    assert reply.finish_reason == "length"
    assert len(reply.text) < 40_000


def test_an_older_program_may_be_silent_until_its_message_is_whole(tmp_path: Path, make_service: Make) -> None:
    with FakeClaude(tmp_path, author=lambda prompt, schema: TEXT, options="--model", script={-1: "tools"}) as old:
        service = make_service(claude_path=str(old.path), idle_seconds=0.05)
        old.author = lambda prompt, schema: TEXT

        reply = service.ask(ask_for(MODEL))

    assert (reply.text, reply.num_turns) == (TEXT, 2)


def test_lines_are_cut_where_they_end_however_they_arrive() -> None:
    whole = b'{"a": 1}\n\n' + b"x" * 40 + b"\nlast"

    async def found(size: int) -> list[str]:
        stream = asyncio.StreamReader(limit=20)
        reading = asyncio.ensure_future(_listed(stream))
        for start in range(0, len(whole), size):
            stream.feed_data(whole[start : start + size])
            await asyncio.sleep(0)
        stream.feed_eof()
        return await reading

    for size in range(1, len(whole) + 1):
        assert asyncio.run(found(size)) == ['{"a": 1}', "last"]


async def _listed(stream: asyncio.StreamReader) -> list[str]:
    return [line async for line in lines_of(stream)]
