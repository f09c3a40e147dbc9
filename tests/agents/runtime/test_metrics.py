"""What streams are measured at, on a clock of our own and on a provider whose delays are known."""

import logging
import threading

import pytest

from bookwright.agents.backends.protocol import EventKind, Prompt, Request, Sampling, StreamEvent
from bookwright.agents.backends.service import Canceller, ModelService
from bookwright.agents.runtime.agent import Execution
from bookwright.agents.runtime.cast import CAST, CastAgent
from bookwright.agents.runtime.metrics import StreamMeter
from bookwright.agents.runtime.sinks import Sinks
from bookwright.agents.runtime.start import build_prompt_agent_start
from bookwright.agents.runtime.stream import Services
from bookwright.models.errors import BackendUnavailable
from bookwright.models.talk.session import SessionState
from tests.support.books import make_settings
from tests.support.fake_provider import FakeProvider

LOG_MONITOR = CastAgent(next(member for member in CAST if member.name == "log-monitor"))

MODEL = "openai:gpt-4.1"


@pytest.fixture
def provider(monkeypatch):
    """A provider that streams four pieces of ten characters, 50 ms after one another."""
    with FakeProvider(author=lambda prompt, schema: "x" * 40, piece_characters=10, piece_seconds=0.05) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
        yield fake


@pytest.fixture
def models(tmp_path):
    service = ModelService(make_settings(tmp_path))
    yield service
    service.close()


def started(models, database, sinks):
    agent = build_prompt_agent_start(LOG_MONITOR, Services(models, database))
    return agent.start("12:00 all is well", sinks, Execution("log", "tab", SessionState.new(), model=MODEL))


def test_a_meter_counts_by_its_clock():
    now = [100.0]
    meter = StreamMeter(lambda: now[0])

    for seconds, act in (
        (0.5, lambda: meter.hear(StreamEvent(EventKind.STARTED))),
        (1.0, lambda: meter.hear(StreamEvent(EventKind.REASONING, "hmm"))),
        (2.0, lambda: meter.hear(StreamEvent(EventKind.TEXT, "Rain "))),
        (2.5, lambda: meter.tool_started("t1", "LS")),
        (2.6, lambda: meter.tool_started("t2", "Read")),
        (3.0, lambda: (meter.tool_ended("t1"), meter.tool_ended("never"))),
        (4.0, lambda: meter.hear(StreamEvent(EventKind.TEXT, "fell."))),
    ):
        now[0] = 100 + seconds
        act()
    metrics = meter.finish()

    assert (metrics.assistant_chars, metrics.reasoning_chars, metrics.event_count) == (10, 3, 4)
    assert (metrics.first_event_millis, metrics.first_assistant_millis, metrics.total_duration_millis) == (
        500, 2_000, 4_000,
    )  # fmt: skip
    assert [(tool.id, tool.name, tool.duration_millis) for tool in metrics.tools] == [("t1", "LS", 500)]
    assert metrics.unpaired_tools == ("t2",)


def test_nothing_that_came_has_no_first_moment(caplog):
    caplog.set_level(logging.INFO, "bookwright.agents.runtime")
    meter = StreamMeter()
    meter.tool_started("t1", "LS")

    metrics = meter.finish()

    assert (metrics.first_event_millis, metrics.first_assistant_millis, metrics.event_count) == (None, None, 0)
    assert "[ToolUse] no result id=t1 name=LS" in caplog.messages


def test_the_figures_fit_the_delays_of_the_provider(provider, models, database):
    provider.script[0] = "slow:0.3"
    ends = []

    handle = started(models, database, Sinks(on_completed=lambda text, metrics: ends.append((text, metrics))))

    assert handle.completion.result(60)
    text, metrics = ends[0]
    assert metrics.assistant_chars == len(text) == 40
    assert metrics.reasoning_chars == 0
    assert metrics.event_count == 1 + 4 + 1  # begun, four pieces, finished
    assert metrics.first_event_millis + 300 <= metrics.first_assistant_millis
    assert metrics.first_assistant_millis + 3 * 50 <= metrics.total_duration_millis


def test_a_cancel_reaches_the_providers_connection_and_no_other_call(provider, models, database):
    provider.script = {0: "hang_mid", 1: "slow:0.2"}
    came, ends = threading.Event(), []
    sinks = Sinks(on_text=lambda text: came.set(), on_failed=lambda error, metrics: ends.append(error))
    handle = started(models, database, sinks)
    assert came.wait(60)
    other = started(models, database, Sinks())

    handle.cancel()

    assert handle.completion.result(60) is False
    assert other.completion.result(60) is True
    assert [error.kind for error in ends] == ["cancelled"]
    ledger = provider.wait_closed(2)
    assert [entry.is_whole for entry in ledger] == [False, True]


def test_a_call_that_is_begun_after_its_cancel_is_not_sent(provider, models):
    canceller = Canceller()
    canceller.cancel()
    request = Request(MODEL, "writer", "x", Prompt("s", ("u",)), Sampling(0.5, 10, 1))

    with pytest.raises(BackendUnavailable, match="cancelled"):
        models.ask(request, canceller=canceller)

    assert provider.ledger == []
