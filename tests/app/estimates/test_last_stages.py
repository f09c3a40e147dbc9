"""What comes at the end is counted from a sample: reading grows with the book, closing it and a verification do not."""

from contextlib import closing
from pathlib import Path

from bookwright.agents.backends.service import ModelService
from bookwright.app.estimates.bill import Bill, Tally
from bookwright.app.estimates.last_stages import with_end
from bookwright.flows.open_book import RunConfig
from bookwright.flows.stopping import Limits
from tests.support.blueprint_folders import case
from tests.support.books import make_book, make_settings

CHAPTERS = [
    {"level": "chapter", "title": f"Night {number}", "text": "Rain fell on the pier. The lamp went out. " * 20}
    for number in range(3)
]
TASKS = 3
"""Members of the last stage."""


def counted(home: Path, *, profile: str, times: int, has_blueprint: bool = True) -> tuple[Tally, int]:
    """The end of a book so many times as long as its sample, and how many steps the sample itself took."""
    home.mkdir()
    settings = make_settings(home)
    blueprint = {"blueprint": str(case(home))} if has_blueprint else {}
    storage = make_book(settings, CHAPTERS, length=540 * times, profile=profile, **blueprint)
    with storage.read() as stores:
        written = stores.nodes.root().written
    assert written == 540
    with closing(ModelService(settings)) as models:
        around = RunConfig(settings, storage.database, models, limits=Limits(words_today=1))
        found = with_end(Tally(written, 0, 0, {}), storage, around, 540 * times)
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


def test_where_no_model_reads_the_last_stages_take_no_call(tmp_path: Path) -> None:
    staged, steps = counted(tmp_path / "staged", profile="small", times=10)
    plain, same_steps = counted(tmp_path / "plain", profile="small", times=10, has_blueprint=False)

    assert steps == same_steps == calls(staged) == calls(plain)
    assert steps > 0, "it is closed and gets its blurb"
    assert (staged.nodes, plain.nodes) == (TASKS, 0)


def calls(found: Tally) -> int:
    return sum(found.roles.values(), Bill()).calls
