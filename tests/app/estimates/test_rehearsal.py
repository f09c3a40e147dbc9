"""A book is rehearsed as the models that it is estimated for would have it written."""

from contextlib import closing
from pathlib import Path

from bookwright.agents.backends.service import ModelService
from bookwright.app.access import unheard
from bookwright.app.estimates.rehearsal import LOW, estimate_book, rehearsal
from bookwright.flows.library import find_or_create, opened_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.brief import make_brief
from tests.support.books import make_settings
from tests.support.fake_provider import FakeProvider

BRIEF = make_brief({"premise": "A keeper reads a log in her own hand.", "length": 4_000, "profile": "economy"})
MODEL = "ollama:a-model"


def estimated(home: Path, window: int) -> int:
    """The least calls that are estimated for a model of that window."""
    settings = make_settings(home, model=MODEL, windows={MODEL: window})
    return estimate_book(BRIEF, settings).total.low.calls


def written(home: Path, window: int) -> int:
    """The calls that a stand-in of that window is asked."""
    settings = make_settings(home, model=LOW, windows={LOW: window})
    with opened_library(settings) as database, closing(ModelService(settings)) as models:
        return run_book(find_or_create(database, BRIEF).id, RunConfig(settings, database, models)).calls


def test_a_window_that_holds_no_whole_book_has_it_planned_in_the_estimate_as_in_the_book(tmp_path: Path) -> None:
    narrow, wide = 14_000, 200_000  # it is told where a quarter of the window holds its pages

    found = [estimated(tmp_path / str(window), window) for window in (narrow, wide)]

    assert found == [written(tmp_path / f"written-{window}", window) for window in (narrow, wide)]
    assert found[0] > found[1]


def test_a_model_that_is_known_to_its_server_alone_is_rehearsed_with_what_that_tells(tmp_path: Path) -> None:
    with FakeProvider() as provider:
        provider.told = {"/v1/models": {"data": [{"id": "own", "max_model_len": 65_536}]}}
        settings = make_settings(tmp_path, model="compatible:own", llm_base_url=provider.url)
        with rehearsal(BRIEF, BRIEF.length, settings, LOW, unheard) as around:
            assert around.settings.windows == {LOW: 65_536}
