"""Turns at a provider by Prefect's global limits, and by the database where its server is away."""

from pathlib import Path

import pytest
from prefect.client.orchestration import get_client
from prefect.settings import get_current_settings

from bookwright.agents.backends.spending.pace import DatabasePacer
from bookwright.flows.library import opened_library
from bookwright.flows.prefect.pace import PrefectPacer, shared_pacer
from bookwright.flows.prefect.server import PrefectApi, api_url, free_port
from bookwright.models.settings import load_settings
from tests.agents.backends.test_pace import Handing, Permit

pytestmark = pytest.mark.prefect


def test_workers_share_a_limit_of_the_server_that_is_made_for_them(prefect_server: None, home: Path) -> None:
    settings, url = load_settings(requests_per_minute={"openai": 6}), str(get_current_settings().api.url)
    nobody = Handing([])
    first, second = (PrefectPacer(PrefectApi(url), nobody, settings) for _ in range(2))

    turns = [first.take("openai"), second.take("openai"), first.take("openai")]

    with get_client(sync_client=True) as client:
        limit = client.read_global_concurrency_limit_by_name("bookwright-openai")
    assert [turn.is_ours for turn in turns] == [True, False, False]
    assert all(turn.seconds > 0 for turn in turns[1:])
    assert (limit.limit, limit.slot_decay_per_second) == (1, 0.1)
    assert nobody.asked == []


def test_the_database_hands_out_turns_while_the_server_is_away(home: Path) -> None:
    settings, instead = load_settings(requests_per_minute={"openai": 6}), Handing([Permit(1.0), Permit(2.0)])
    pacer = PrefectPacer(PrefectApi(api_url(free_port())), instead, settings)

    turns = [pacer.take("openai"), pacer.take("openai")]

    assert [turn.seconds for turn in turns] == [1.0, 2.0]
    assert instead.asked == ["openai", "openai"]


def test_where_no_server_is_known_or_no_rate_is_set_the_database_alone_is_asked(home: Path) -> None:
    with opened_library(load_settings()) as database:
        assert isinstance(shared_pacer(database, load_settings()), DatabasePacer)
