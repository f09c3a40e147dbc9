"""When a call is tried again, how long it rests, and whom it turns to."""

import asyncio
from collections.abc import Callable

import pytest

from bookwright.agents.backends.protocol import EventKind, Listener, StreamEvent
from bookwright.agents.backends.retry import RetryPolicy, complete_with_retries
from bookwright.models.errors import BackendError, BackendUnavailable, BudgetExceeded, RequestRejected
from bookwright.models.step import Reply
from tests.agents.backends.conftest import Rests

Outcome = Exception | str


class Play:
    """Plays outcomes in turn; a text is a reply, before an error `partial` is spoken."""

    def __init__(self, *outcomes: Outcome, partial: str = "") -> None:
        self.partial = partial
        self.outcomes = list(outcomes)
        self.asked: list[str] = []
        self.heard: list[StreamEvent] = []
        self.failures: list[tuple[str, int, str]] = []

    async def attempt(self, model: str, listener: Listener) -> Reply:
        self.asked.append(model)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, str):
            return Reply(text=outcome, model=model)
        if self.partial:
            listener(StreamEvent(EventKind.TEXT, self.partial))
        raise outcome

    def run(self, rests: Rests, *models: str, dice: Callable[[], float] = lambda: 0.0, attempts: int = 4) -> Reply:
        policy = RetryPolicy(attempts, 120, sleep=rests.sleep, random=dice)
        return asyncio.run(complete_with_retries(models, self.attempt, policy, self.heard.append, self._fail))

    def _fail(self, model: str, number: int, error: BackendError) -> None:
        self.failures.append((model, number, getattr(error, "kind", type(error).__name__)))

    def kinds(self) -> list[EventKind]:
        return [event.kind for event in self.heard]


def down(kind: str = "server", retry_after: float | None = None) -> BackendUnavailable:
    return BackendUnavailable("it is down", kind=kind, retry_after=retry_after)


def test_a_passing_fault_is_tried_again(rests: Rests) -> None:
    play = Play(down(), down("overloaded"), "Rain fell.")

    reply = play.run(rests, "a:1")

    assert reply.text == "Rain fell."
    assert play.failures == [("a:1", 1, "server"), ("a:1", 2, "overloaded")]
    assert play.kinds() == [EventKind.WAITING, EventKind.WAITING]


def test_rests_grow_and_stay_within_half_to_all_of_the_step(rests: Rests) -> None:
    Play(*(down() for _ in range(9)), "ok").run(rests, "a:1", attempts=10)
    slow = Rests()
    Play(*(down() for _ in range(9)), "ok").run(slow, "a:1", attempts=10, dice=lambda: 1.0)

    assert rests == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
    assert slow == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_retry_after_is_honoured_and_never_undercut(rests: Rests) -> None:
    Play(down("rate_limit", 7), down("rate_limit", 7), "ok").run(rests, "a:1", dice=lambda: 0.5)

    assert list(rests) == pytest.approx([7.35, 7.35])


def test_a_rest_beyond_the_cap_ends_the_call_and_says_how_long(rests: Rests) -> None:
    play = Play(down("rate_limit", 600))

    with pytest.raises(BackendUnavailable, match="600 s, more than the 120 s") as caught:
        play.run(rests, "a:1")
    assert rests == []
    assert caught.value.retry_after == 600


def test_a_rest_beyond_the_cap_turns_to_the_next_model_at_once(rests: Rests) -> None:
    play = Play(down("rate_limit", 600), "From the other.")

    assert play.run(rests, "a:1", "b:2").model == "b:2"
    assert play.asked == ["a:1", "b:2"]
    assert rests == []


def test_each_model_has_all_its_attempts(rests: Rests) -> None:
    play = Play(down(), down(), down(), "ok")

    play.run(rests, "a:1", "b:2", attempts=2)

    assert play.asked == ["a:1", "a:1", "b:2", "b:2"]
    assert [number for _, number, _ in play.failures] == [1, 2, 1]


def test_the_last_failure_is_told_with_the_number_of_attempts(rests: Rests) -> None:
    with pytest.raises(BackendUnavailable, match=r"it is down \(after 4 attempts\)") as caught:
        Play(*(down("timeout") for _ in range(4))).run(rests, "a:1")

    assert caught.value.kind == "timeout"


def test_a_rejection_is_not_tried_again(rests: Rests) -> None:
    play = Play(RequestRejected("no"))

    with pytest.raises(RequestRejected):
        play.run(rests, "a:1")
    assert play.failures == [("a:1", 1, "RequestRejected")]


def test_a_rejection_turns_to_the_next_model(rests: Rests) -> None:
    play = Play(RequestRejected("too long"), "ok")

    assert play.run(rests, "a:1", "b:2").model == "b:2"
    assert "too long" in play.heard[-1].text


def test_an_exceeded_budget_ends_the_call_whatever_models_are_left(rests: Rests) -> None:
    play = Play(down(), BudgetExceeded("no money"))

    with pytest.raises(BudgetExceeded):
        play.run(rests, "a:1", "b:2")
    assert play.asked == ["a:1", "a:1"]


def test_what_a_broken_stream_said_is_taken_back(rests: Rests) -> None:
    play = Play(down("broken_stream"), "Rain fell.", partial="Rain f")

    play.run(rests, "a:1")

    assert play.kinds() == [EventKind.TEXT, EventKind.RESTARTED, EventKind.WAITING]


def test_nothing_is_taken_back_where_nothing_was_said(rests: Rests) -> None:
    play = Play(down(), "ok")

    play.run(rests, "a:1")

    assert EventKind.RESTARTED not in play.kinds()
