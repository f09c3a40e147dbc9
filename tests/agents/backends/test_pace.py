"""How often a provider is asked: turns that everybody on a database shares, and the waiting for them."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import pytest

from bookwright.agents.backends.protocol import FailedAttempt, StreamEvent
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.pace import DatabasePacer, Permit, Turns
from bookwright.flows.library import open_library
from bookwright.models.errors import BackendUnavailable, InvalidSetting
from bookwright.models.settings import Settings, load_settings
from bookwright.models.step import Usage
from bookwright.storage.engine.database import Database
from tests.agents.backends.conftest import ANTHROPIC, ask_for
from tests.support.fake_provider import FakeProvider

RATES = {"anthropic": 6.0, "openai": 60.0}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(home=tmp_path, requests_per_minute=RATES)


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    database = open_library(settings)
    yield database
    database.dispose()


def test_turns_are_an_interval_apart_whoever_takes_them_and_each_provider_has_its_own(
    database: Database, settings: Settings
) -> None:
    workers = [DatabasePacer(database, settings) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        turns = sorted(pool.map(lambda number: workers[number % 3].take("anthropic").seconds, range(6)))
    other = workers[0].take("openai")

    assert [round(turn / 10) for turn in turns] == [0, 1, 2, 3, 4, 5]
    assert (other.seconds, other.is_ours) == (0.0, True)


@dataclass
class Handing:
    """Hands out the turns that it was given."""

    turns: list[Permit]
    asked: list[str] = field(default_factory=list)

    def take(self, provider: str) -> Permit:
        self.asked.append(provider)
        return self.turns.pop(0)


def waited(settings: Settings, pacer: Handing, model: str) -> list[str]:
    told: list[str] = []
    asyncio.run(Turns(settings, pacer).wait(model, lambda event: told.append(event.text)))
    return told


def test_a_turn_that_is_not_ours_is_asked_for_again_and_an_unlimited_provider_is_not_held(settings: Settings) -> None:
    pacer = Handing([Permit(0.01, is_ours=False), Permit(0.01, is_ours=False), Permit()])

    waited(settings, pacer, "anthropic:claude-sonnet-5-5")
    waited(settings, pacer, "deepseek:deepseek-v4-pro")

    assert pacer.asked == ["anthropic"] * 3
    assert pacer.turns == []


def test_a_call_that_waits_for_its_turn_can_be_cancelled(settings: Settings, provider: FakeProvider) -> None:
    service = ModelService(settings, pacer=Handing([Permit(60.0)]))
    failures: list[FailedAttempt] = []

    def cancel_at_the_wait(event: StreamEvent) -> None:
        Thread(target=service.cancel).start()

    with pytest.raises(BackendUnavailable) as caught:
        service.ask(ask_for(ANTHROPIC), None, cancel_at_the_wait, failures.append)
    service.close()

    assert caught.value.kind == "cancelled"
    assert [(own.attempt, own.reply.usage, own.reply.cost) for own in failures] == [(1, Usage(), 0)]


@pytest.mark.parametrize("rate", [0, -1])
def test_a_rate_is_more_than_nothing(tmp_path: Path, rate: int) -> None:
    make: Callable[[], Settings] = lambda: load_settings(home=tmp_path, requests_per_minute={"openai": rate})  # noqa: E731
    with pytest.raises(InvalidSetting, match="requests_per_minute"):
        make()
