"""The service: one door, one loop, one bill for each call."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from threading import Event, Thread, current_thread

import pytest

from bookwright.agents.backends.protocol import EventKind, FailedAttempt, Listener, Prompt, Request, StreamEvent
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.models.errors import BackendUnavailable, BudgetExceeded, UnknownModel
from bookwright.models.step import Reply, Usage
from tests.agents.backends.conftest import ANTHROPIC, BOTH, OPENAI, ask_for
from tests.support.fake_provider import FakeProvider

Make = Callable[..., ModelService]


class Scripted:
    """A backend that plays outcomes in turn."""

    def __init__(self, *outcomes: Reply | Exception) -> None:
        self.outcomes = list(outcomes)
        self.requests: list[Request] = []
        self.is_closed = False

    async def complete(self, request: Request, listener: Listener) -> Reply:
        self.requests.append(request)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        listener(StreamEvent(EventKind.TEXT, outcome.text))
        return outcome

    async def close(self) -> None:
        self.is_closed = True


class Endless(Scripted):
    """A backend that says a word and never ends."""

    def __init__(self) -> None:
        super().__init__()
        self.has_begun = Event()

    async def complete(self, request: Request, listener: Listener) -> Reply:
        listener(StreamEvent(EventKind.TEXT, "Once "))
        self.has_begun.set()
        await asyncio.Event().wait()
        raise AssertionError


def after(event: Event, act: Callable[[], None]) -> None:
    """Act from another thread once the event has come."""

    def run() -> None:
        event.wait()
        act()

    Thread(target=run).start()


def reply(cost: int | None = None) -> Reply:
    return Reply(text="Rain fell.", usage=Usage(input_tokens=100, output_tokens=20), cost=cost)


def test_importing_the_service_loads_no_sdk_and_one_comes_without_a_client_of_its_that_nobody_asks_for() -> None:
    code = (
        "import sys, bookwright.agents.backends.service, bookwright.agents.backends.catalogue;"
        "print([m for m in ('pydantic_ai', 'openai', 'anthropic', 'httpx2', 'genai_prices') if m in sys.modules]);"
        "from bookwright.agents.backends.remote.provider import Dialect, load_sdk;"
        "load_sdk(Dialect.OPENAI); print('openai' in sys.modules, 'aiohttp' in sys.modules)"
    )

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout.splitlines() == ["[]", "True False"]


def test_a_given_backend_answers_for_its_provider(make_service: Make) -> None:
    backend = Scripted(reply())
    service = make_service({"scripted": backend})

    assert service.ask(ask_for("scripted:any")).text == "Rain fell."
    assert backend.requests[0].model == "scripted:any"


def test_an_unknown_provider_is_refused_before_anything_runs(make_service: Make) -> None:
    service = make_service({"scripted": Scripted()})

    with pytest.raises(UnknownModel):
        service.ask(ask_for("scripted:any", fallbacks=("nobody:any",)))


def test_a_reply_is_priced_by_its_model(provider: FakeProvider, make_service: Make) -> None:
    answer = make_service().ask(ask_for(ANTHROPIC))

    usage = answer.usage
    assert answer.cost == 3 * usage.input_tokens + 15 * usage.output_tokens


def test_a_cost_that_the_backend_knows_is_kept(make_service: Make) -> None:
    assert make_service({"scripted": Scripted(reply(cost=77))}).ask(ask_for("scripted:any")).cost == 77


def test_a_fallback_answers_under_its_own_name(make_service: Make) -> None:
    first = Scripted(*[BackendUnavailable("down") for _ in range(4)])
    second = Scripted(reply())
    failures: list[FailedAttempt] = []
    service = make_service({"one": first, "two": second})

    service.ask(ask_for("one:a", fallbacks=("two:b",)), on_failure=failures.append)

    assert second.requests[0].model == "two:b"
    assert [(failure.model, failure.attempt) for failure in failures] == [("one:a", n) for n in (1, 2, 3, 4)]


def test_failures_are_told_on_the_callers_thread_while_the_call_goes_on(make_service: Make) -> None:
    backend = Scripted(BackendUnavailable("down"), reply())
    told: list[Thread] = []

    make_service({"scripted": backend}).ask(ask_for("scripted:any"), on_failure=lambda _: told.append(current_thread()))

    assert told == [current_thread()]


def test_an_error_of_the_failure_listener_ends_the_call(make_service: Make) -> None:
    backend = Scripted(BackendUnavailable("down", retry_after=1), *[BackendUnavailable("down")] * 3)

    def refuse(failure: FailedAttempt) -> None:
        raise KeyError(failure.model)

    with pytest.raises(KeyError):
        make_service({"scripted": backend}).ask(ask_for("scripted:any"), on_failure=refuse)


def test_a_call_that_could_break_the_budget_is_not_sent(provider: FakeProvider, make_service: Make) -> None:
    with pytest.raises(BudgetExceeded):
        make_service().ask(ask_for(OPENAI), BudgetLedger(cap_usd=0.001))

    assert provider.ledger == []


def test_the_worst_case_counts_the_room_for_thoughts(provider: FakeProvider, make_service: Make) -> None:
    ledger = BudgetLedger(cap_tokens=8_000)

    with pytest.raises(BudgetExceeded, match=r"9,0\d\d tokens"):
        make_service().ask(ask_for("openai:gpt-6.1-terra"), ledger)


def test_the_budget_is_settled_at_what_it_was(provider: FakeProvider, make_service: Make) -> None:
    ledger = BudgetLedger(cap_usd=1.0, cap_tokens=100_000)

    answer = make_service().ask(ask_for(OPENAI), ledger)

    assert ledger.spent.cost == answer.cost
    assert ledger.spent.tokens == answer.usage.input_tokens + answer.usage.output_tokens
    assert (ledger.held.cost, ledger.held.tokens) == (0, 0)


def test_a_refused_try_costs_nothing(provider: FakeProvider, make_service: Make) -> None:
    provider.script = {0: "429", 1: "503"}
    ledger = BudgetLedger(cap_usd=1.0)

    answer = make_service().ask(ask_for(OPENAI), ledger)

    assert ledger.spent.cost == answer.cost


@pytest.mark.parametrize("model", BOTH)
def test_a_broken_stream_is_booked_by_estimate(model: str, provider: FakeProvider, make_service: Make) -> None:
    provider.script = {0: "reset"}
    ledger = BudgetLedger(cap_usd=1.0)
    failures: list[FailedAttempt] = []

    answer = make_service().ask(ask_for(model), ledger, on_failure=failures.append)

    lost = failures[0].reply.cost
    assert lost
    assert ledger.spent.cost == (answer.cost or 0) + lost
    assert ledger.held.cost == 0


def test_an_unknown_price_is_refused_under_a_cap_and_let_through_without(
    provider: FakeProvider, make_service: Make
) -> None:
    service = make_service()

    with pytest.raises(BudgetExceeded, match="price is unknown"):
        service.ask(ask_for("compatible:any"), BudgetLedger(cap_usd=5))
    assert service.ask(ask_for("compatible:any"), BudgetLedger()).cost is None
    assert len(provider.ledger) == 1


@pytest.mark.parametrize("model", BOTH)
def test_a_cancel_from_another_thread_reaches_the_provider(
    model: str, provider: FakeProvider, make_service: Make
) -> None:
    provider.script = {0: "hang_mid"}
    service = make_service()
    ledger = BudgetLedger(cap_usd=1.0)
    failures: list[FailedAttempt] = []

    def cancel_at_first_text(event: StreamEvent) -> None:
        if event.kind is EventKind.TEXT:
            Thread(target=service.cancel).start()

    with pytest.raises(BackendUnavailable) as caught:
        service.ask(ask_for(model), ledger, cancel_at_first_text, failures.append)

    assert caught.value.kind == "cancelled"
    assert not provider.wait_closed(1)[0].is_whole
    assert [(f.attempt, bool(f.reply.text)) for f in failures] == [(1, True)]
    assert ledger.spent.cost == failures[0].reply.cost
    assert ledger.held.cost == 0


def test_after_a_cancel_the_service_goes_on(provider: FakeProvider, make_service: Make) -> None:
    backend = Endless()
    service = make_service({"endless": backend})
    after(backend.has_begun, service.cancel)

    with pytest.raises(BackendUnavailable):
        service.ask(ask_for("endless:any"))

    assert service.ask(ask_for(OPENAI)).text


def test_closing_ends_calls_and_backends(make_service: Make) -> None:
    backend = Endless()
    service = make_service({"endless": backend})
    after(backend.has_begun, service.close)

    with pytest.raises(BackendUnavailable):
        service.ask(ask_for("endless:any"))
    service.close()

    assert backend.is_closed


def test_the_providers_counts_correct_the_estimates(make_service: Make) -> None:
    text = "The keeper turned the lamp and counted the hours. " * 20
    generous = Reply(text="Rain.", usage=Usage(input_tokens=600, output_tokens=2))
    service = make_service({"scripted": Scripted(generous)})

    service.ask(ask_for("scripted:any", prompt=Prompt("", (text,))))

    assert service.counter.ratio("scripted:any") > 2


def test_many_threads_may_ask_at_once_and_the_cap_holds(provider: FakeProvider, make_service: Make) -> None:
    service = make_service()
    worst = BudgetLedger(cap_tokens=10**9)
    service.ask(ask_for(OPENAI), worst)
    ledger = BudgetLedger(cap_tokens=2_000)
    refused: list[int] = []

    def ask(number: int) -> None:
        try:
            service.ask(ask_for(OPENAI), ledger)
        except BudgetExceeded:
            refused.append(number)

    threads = [Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert refused
    assert ledger.spent.tokens <= 2_000
    assert len(provider.ledger) == 1 + 12 - len(refused)
