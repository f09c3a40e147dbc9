"""Tabs: one execution at a time, the others in line, and the whole way to the message store."""

import threading
from dataclasses import replace

import pytest

from bookwright.agents.runtime.agent import AgentRegistry
from bookwright.agents.runtime.executor import Lanes, TabExecutor, TabStatus
from bookwright.agents.runtime.messages import MessageStore
from bookwright.models.errors import InvalidInput
from bookwright.models.talk.event import EventType, SpeakerRole
from bookwright.models.talk.session import SessionState
from tests.agents.runtime.conftest import HANG, Speaker, running
from tests.agents.runtime.saying import completed, happened, text, thought


@pytest.fixture
def tabs(runnable, bus):
    """An executor over one agent with these lines."""

    def make(speaker, lanes=None):
        agents = AgentRegistry()
        agents.register("keeper", lambda: runnable(speaker))
        return TabExecutor(agents, bus, lanes)

    return make


def test_what_is_said_comes_to_the_store_by_way_of_the_bus_and_is_listed_by_tab(tabs, bus):
    store, executor = MessageStore(bus), tabs(Speaker(["It burns."]))
    bus.on("*", store.hear)
    told = []
    bus.on(EventType.MESSAGE_ADDED, told.append)

    assert executor.execute("Does it?", running()).result(60)

    while not bus.drain() or len(told) < 2:
        pass
    assert [(each.role, each.text) for each in store.messages("tab")] == [
        (SpeakerRole.REASONING, "hm"), (SpeakerRole.ASSISTANT, "It burns."),
    ]  # fmt: skip
    assert [event.payload.message for event in told] == store.messages("tab")
    assert store.messages("another") == []


def test_executions_of_a_tab_run_one_after_another_in_order_and_resume_its_session(tabs, turns):
    executor, execution = tabs(speaker := Speaker(["One.", "Two.", "Three."])), running()

    ends = [executor.execute(given, execution) for given in ("a", "b", "c")]

    assert [end.result(60) for end in ends] == [True] * 3
    assert [text for _, text in turns(execution.session.id)] == ["a", "One.", "b", "Two.", "c", "Three."]
    assert [len(request.corrections) for request in speaker.requests] == [0, 1, 2]


def test_a_tab_says_what_it_does_and_what_waits_in_it(tabs):
    gate = threading.Event()
    executor, execution = tabs(speaker := Speaker(["One."], gate=gate)), running()
    assert executor.state("tab") is None

    first = executor.execute("a", execution)
    assert speaker.began.wait(60)
    waiting = [executor.execute(given, execution) for given in ("b", "c")]
    busy = executor.state("tab")
    cancelled = [end.cancel() for end in waiting]
    gate.set()

    assert first.result(60) is True
    assert (busy.status, busy.waiting, cancelled) == (TabStatus.BUSY, 2, [True, True])
    while (idle := executor.state("tab")).status is TabStatus.BUSY:
        pass
    assert idle.session == SessionState(id=execution.session.id, initialized=True)
    assert len(speaker.requests) == 1


def test_a_cancelled_execution_makes_way_for_the_next(tabs):
    executor, execution = tabs(speaker := Speaker([HANG, "Two."])), running()
    first = executor.execute("a", execution)
    assert speaker.began.wait(60)
    second = executor.execute("b", execution)

    executor.cancel("tab")

    assert (first.result(60), second.result(60)) == (False, True)


def test_a_cancel_that_comes_before_the_execution_has_begun_is_not_lost(tabs):
    lanes = Lanes()
    executor = tabs(Speaker([HANG]), lanes)

    with lanes.enter("tab"):
        ended = executor.execute("a", running())
        executor.cancel("tab")

    assert ended.result(60) is False


def test_a_cancel_where_nothing_runs_is_not_remembered(tabs):
    executor, execution = tabs(Speaker(["One.", "Two."])), running()
    executor.cancel("tab")
    assert executor.execute("a", execution).result(60) is True
    while executor.state("tab").status is TabStatus.BUSY:
        pass
    executor.cancel("tab")
    assert executor.execute("b", execution).result(60) is True


def test_a_cancel_while_the_agent_starts_is_not_lost(bus, runnable):
    starts, may_go_on, speaker = threading.Event(), threading.Event(), Speaker([HANG])

    class Slow:
        def start(self, given, sinks, execution):
            handle = runnable(speaker).start(given, sinks, execution)
            starts.set()
            assert may_go_on.wait(60)
            return handle

    agents = AgentRegistry()
    agents.register("keeper", Slow)
    executor = TabExecutor(agents, bus)
    ended = executor.execute("a", running())
    assert starts.wait(60)
    executor.cancel("tab")
    may_go_on.set()

    assert ended.result(60) is False


def test_an_execution_that_is_no_longer_wanted_is_passed_over(tabs):
    gate = threading.Event()
    executor, execution = tabs(speaker := Speaker(["One."], gate=gate)), running()
    first = executor.execute("a", execution)
    assert speaker.began.wait(60)
    second, third = (executor.execute(given, execution) for given in "bc")

    assert second.cancel()
    assert not first.cancel()
    gate.set()

    assert (first.result(60), third.result(60)) == (True, True)
    assert len(speaker.requests) == 2


def test_what_fails_at_the_start_is_told_and_the_tab_goes_on(tabs, bus):
    executor, failed = tabs(Speaker(["One."])), []
    bus.on(EventType.FAILED, failed.append)

    first = executor.execute("a", running(SessionState(id="gone", initialized=True)))
    second = executor.execute("b", running())

    assert (first.result(60), second.result(60)) == (False, True)
    assert bus.drain()
    assert [event.payload.kind for event in failed] == ["SessionNotFound"]


def test_an_unknown_agent_is_refused_at_once_with_the_nearest(tabs):
    with pytest.raises(InvalidInput, match="did you mean 'keeper'"):
        tabs(Speaker(["x"])).execute("a", replace(running(), agent_id="keper"))


def test_a_fork_inside_a_book_waits_for_the_lane(tabs):
    lanes, order = Lanes(), []
    executor, execution = tabs(speaker := Speaker(["One.", "Two."]), lanes), running()
    assert executor.execute("a", execution).result(60)
    fork = running(SessionState(id=execution.session.id, initialized=True), fork_session=True)

    with lanes.enter("tab"):
        aside = executor.execute("aside", fork)
        aside.add_done_callback(lambda _: order.append("fork"))
        while not lanes.is_busy("tab") or executor.state("tab").waiting:
            pass
        order.append("call")
        asked = len(speaker.requests)

    assert aside.result(60) is True
    assert (asked, order) == (1, ["call", "fork"])
    assert executor.state("tab").session.id == execution.session.id


def test_a_lane_is_entered_in_the_order_in_which_it_was_asked_for():
    lanes, order = Lanes(), []

    def enter(number):
        with lanes.enter("lamp"):
            order.append(number)

    with lanes.enter("lamp"):
        threads = []
        for number in range(5):
            threads.append(threading.Thread(target=enter, args=(number,)))
            threads[-1].start()
            while len(lanes._waiting["lamp"]) < number + 2:
                pass
        with lanes.enter("another"):
            pass
    for thread in threads:
        thread.join()

    assert order == list(range(5))
    assert not lanes.is_busy("lamp")


def test_a_store_makes_messages_of_pieces():
    store = MessageStore()

    for event in (
        thought("well "),
        thought("now"),
        text("a "),
        happened("tool_use", "{}", tool="LS"),
        text("b"),
        text("c"),
    ):
        store.hear(event)
    under_way = [(each.role.value, each.text) for each in store.messages("lamp")]
    store.hear(happened("restarted"))
    store.hear(text("d"))
    store.hear(completed("all of it"))

    before = [("reasoning", "well now"), ("assistant", "a "), ("tool", "LS: {}")]
    assert under_way == [*before, ("assistant", "bc")]
    assert [(each.role.value, each.text) for each in store.messages("lamp")] == [*before, ("assistant", "all of it")]


def test_a_store_is_bounded():
    store = MessageStore(most=3)

    for number in range(9):
        store.hear(completed(str(number)))
    for _ in range(30):
        store.hear(text("x" * 10_000))

    *whole, long = store.messages("lamp")
    assert [each.text for each in whole] == ["6", "7", "8"]
    assert (len(long.text) <= 200_000, long.is_cut) == (True, True)
