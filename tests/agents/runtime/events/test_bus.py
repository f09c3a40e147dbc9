"""The bus: what it refuses, who hears what in which order, and that nobody waits for anybody."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.runtime.events.bus import EventBus, EventQueue
from bookwright.models.errors import InvalidEvent
from bookwright.models.talk.event import EventType, TextEvent, as_json, read_event, speakable
from tests.agents.runtime.saying import PLACE, completed, happened, text, thought


@pytest.fixture
def bus():
    bus = EventBus()
    yield bus
    bus.close()


@pytest.fixture
def gate():
    """What holds a sleeper up until the test is over."""
    gate = threading.Event()
    yield gate
    gate.set()


WIRE = {"type": "agent:text", "agentId": "a", "tabId": "t", "payload": {"text": "x"}}


@pytest.mark.parametrize(
    "bad",
    [
        None, {}, "agent:text", WIRE | {"type": "agent:sing"}, WIRE | {"payload": "x"}, WIRE | {"payload": {}},
        WIRE | {"agentId": ""}, WIRE | {"tabId": None}, WIRE | {"version": "2.0"}, WIRE | {"mood": "good"},
        WIRE | {"timestamp": -1}, WIRE | {"type": "agent:event", "payload": {"name": "x", "data": {"a": object()}}},
        TextEvent.model_construct(agent_id=3, tab_id="t", payload="x"),
    ],
)  # fmt: skip
def test_what_is_no_event_is_refused_and_heard_by_nobody(bus, bad):
    heard = []
    bus.on("*", heard.append)

    with pytest.raises(InvalidEvent, match="no event"):
        bus.emit(bad)

    assert bus.drain()
    assert heard == []


def test_an_event_may_be_emitted_as_it_stands_on_the_wire(bus):
    heard = []
    bus.on(EventType.TEXT, heard.append)

    bus.emit(WIRE)

    assert bus.drain()
    [event] = heard
    assert (event.type, event.agent_id, event.payload.text, event.version) == (EventType.TEXT, "a", "x", "1.0")
    assert read_event(as_json(event).encode()) == event


def test_each_hears_its_types_in_order_and_once_only_once(bus):
    everything, texts, first = [], [], []
    bus.on("*", everything.append)
    bus.on("agent:text", texts.append)
    bus.on("agent:reasoning", texts.append)
    bus.once("agent:text", first.append)

    said = [thought(), text("a"), happened("waiting"), text("b"), completed()]
    for event in said:
        bus.emit(event)

    assert bus.drain()
    assert everything == said
    assert texts == [said[0], said[1], said[3]]
    assert first == [said[1]]


def test_who_was_taken_off_hears_nothing_more(bus):
    heard = []
    bus.on("agent:text", heard.append)
    bus.on("agent:reasoning", heard.append)
    bus.off("agent:text", heard.append)

    bus.emit(text())
    bus.emit(thought())
    assert bus.drain()
    bus.off("agent:reasoning", heard.append)
    bus.emit(thought())

    assert [event.type for event in heard] == [EventType.REASONING]
    assert bus.standings == []


def test_an_unknown_type_cannot_be_listened_to(bus):
    with pytest.raises(ValueError, match="agent:sing"):
        bus.on("agent:sing", print)


@pytest.mark.parametrize("fault", [ValueError, SystemExit, KeyboardInterrupt])
def test_one_that_raises_goes_on_hearing_and_the_others_hear_all(bus, fault):
    tried, heard = [], []

    def raises(event):
        tried.append(event)
        raise fault

    bus.on("*", raises)
    bus.on("*", heard.append)

    for _ in range(3):
        bus.emit(text())

    assert bus.drain()
    assert (len(tried), len(heard)) == (3, 3)
    assert [each.failed for each in bus.standings] == [3, 0]


def test_one_that_sleeps_holds_up_nobody_and_misses_only_the_oldest_text(bus, gate):
    late, heard = [], []

    def sleeps(event):
        gate.wait(60)
        late.append(event)

    bus.on("*", sleeps, capacity=100)
    bus.on("*", heard.append)
    bus.emit(happened("started"))
    for number in range(1_000):
        bus.emit(text(f"{number} "))
    bus.emit(completed())

    while len(heard) < 1_002:
        bus.drain(0.1)
    [sleeper, _] = bus.standings
    assert 900 <= sleeper.dropped <= 902
    assert not bus.drain(0.01)
    gate.set()
    assert bus.drain(60)
    assert late[0] == heard[0]
    assert late[-1] == heard[-1]
    assert late[1:-1] == heard[-len(late) + 1 : -1]
    assert len(late) == 1_002 - sleeper.dropped


def test_a_full_queue_keeps_every_end_and_its_order():
    queue = EventQueue(3)

    said = [completed("1"), happened("a"), text("x"), completed("2"), happened("b"), completed("3"), completed("4")]
    for event in said:
        queue.put(event)

    assert queue.take_all() == [completed_ for completed_ in said if completed_.type is EventType.COMPLETED]
    assert queue.dropped == 3


@given(st.lists(st.sampled_from(["text", "event", "end"]), max_size=60), st.integers(1, 10))
def test_whatever_is_put_what_is_left_is_in_order_and_no_end_is_missing(kinds, capacity):
    made = {"text": text, "event": lambda: happened("x"), "end": completed}
    said = [made[kind]() for kind in kinds]
    queue = EventQueue(capacity)
    queue.put(happened("begin"))
    said.insert(0, queue.take())

    for event in said[1:]:
        queue.put(event)

    left = queue.take_all() if said[1:] else []
    ends = kinds.count("end")
    places = [next(place for place, event in enumerate(said) if event is each) for each in left]
    assert places == sorted(places)
    assert sum(event.type is EventType.COMPLETED for event in left) == ends
    assert len(left) <= max(capacity, ends)
    assert len(left) + queue.dropped == len(kinds)


def test_events_of_many_threads_all_arrive_and_each_threads_in_order(bus):
    heard = []
    bus.on("*", heard.append, capacity=10_000)

    def speak(name):
        for number in range(500):
            bus.emit(text(str(number), agent_id=name))

    threads = [threading.Thread(target=speak, args=(f"agent-{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert bus.drain(60)
    for number in range(4):
        own = [int(event.payload.text) for event in heard if event.agent_id == f"agent-{number}"]
        assert own == list(range(500))


def test_a_handler_may_emit_subscribe_and_close(bus):
    heard = []

    def answers(event):
        bus.emit(happened("heard"))
        bus.on("agent:event", heard.append)
        bus.close()

    bus.once("agent:text", answers)
    bus.emit(text())

    assert bus.close(60)
    bus.emit(text())
    assert len(heard) <= 1


def test_a_closed_bus_lets_everybody_hear_what_was_said_and_takes_no_more():
    bus, heard = EventBus(), []
    bus.on("*", heard.append)

    for _ in range(500):
        bus.emit(text())
    ended = bus.close()
    bus.emit(text())
    bus.on("*", heard.append)

    assert ended
    assert len(heard) == 500
    assert not [each for each in threading.enumerate() if "bookwright-bus" in each.name and "append" in each.name]


def test_a_closed_bus_leaves_one_that_sleeps(gate):
    bus = EventBus()
    bus.on("*", lambda event: gate.wait(60))
    bus.emit(text())

    assert bus.close(0.05) is False


def test_text_that_json_refuses_is_made_speakable(bus):
    event = TextEvent(payload={"text": speakable("a\ud800b\x00灯")}, **PLACE)

    assert read_event(as_json(event).encode()).payload.text == "a?b\x00灯"
