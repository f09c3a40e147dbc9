"""What a blueprint keeps for the end is counted from a sample: reading grows with the book, a verification does not."""

from contextlib import closing
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.cli.bill import Bill, Tally
from bookwright.cli.last_stages import with_last_stages
from bookwright.flows.hold import Surroundings
from bookwright.flows.limits import Limits
from tests.blueprint_folders import case
from tests.books import make_book, make_settings

CHAPTERS = [
    {"level": "chapter", "title": f"Night {number}", "text": "Rain fell on the pier. The lamp went out. " * 20}
    for number in range(3)
]
TASKS = 3
"""Members of the last stage."""


def counted(home: Path, *, profile: str, times: int, has_blueprint: bool = True) -> tuple[Tally, int]:
    """The last stages of a book so many times as long as its sample, and how many steps the sample itself took."""
    home.mkdir()
    settings = make_settings(home)
    blueprint = {"blueprint": str(case(home))} if has_blueprint else {}
    storage = make_book(settings, CHAPTERS, length=540 * times, profile=profile, **blueprint)
    with storage.read() as stores:
        written = stores.nodes.root().written
    assert written == 540
    with closing(ModelService(settings)) as models:
        around = Surroundings(settings, storage.database, models, limits=Limits(words_today=1))
        found = with_last_stages(Tally(written, 0, 0, {}), storage, around)
    with storage.read() as stores:
        steps = len(list(stores.steps.lines(limit=1_000)))
    storage.database.dispose()
    return found, steps


def test_reading_and_mending_grow_with_the_book_and_no_more_is_mended_than_may_be(tmp_path: Path) -> None:
    one, steps = counted(tmp_path / "one", profile="standard", times=1)
    ten, same_steps = counted(tmp_path / "ten", profile="standard", times=10)

    assert steps == same_steps == calls(one)
    assert steps < calls(ten) <= 10 * steps
    assert TASKS <= one.nodes < ten.nodes <= TASKS + 12


@pytest.mark.parametrize("has_blueprint", [True, False])
def test_where_no_model_reads_the_end_takes_no_call(tmp_path: Path, has_blueprint: bool) -> None:
    found, steps = counted(tmp_path / "book", profile="small", times=10, has_blueprint=has_blueprint)

    assert (calls(found), steps) == (0, 0)
    assert found.nodes == (TASKS if has_blueprint else 0)


def calls(found: Tally) -> int:
    return sum(found.roles.values(), Bill()).calls
