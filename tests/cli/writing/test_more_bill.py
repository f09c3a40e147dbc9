"""What writing on is said to take is what it takes: new chapters, and what closes the book anew at its new end."""

import json
import re
from contextlib import closing
from pathlib import Path
from shutil import copytree

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.app.access import library
from bookwright.app.estimates.existing_text import estimate_more
from bookwright.app.estimates.rehearsal import LONGEST_WALKED, BookEstimate
from bookwright.flows.intake.continuation import go_on
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.brief import make_brief
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import BookStorage
from tests.cli.conftest import Cli
from tests.manuscripts.novels import HABITS, write_novel
from tests.support.blueprint_folders import short_case
from tests.support.books import make_settings, new_library

MORE = 450
PREMISE = "A keeper finds a log."


def told_and_paid(home: Path, profile: str) -> tuple[BookEstimate, list[StepLine]]:
    """What going on with a finished book was said to take, and the steps that it took."""
    settings = make_settings(home, free_megabytes=0, keep_vault=False)
    new_library(settings).dispose()
    blueprint = str(short_case(home))
    with library(settings) as database, closing(ModelService(settings)) as models:
        brief = make_brief({"premise": PREMISE, "length": 500, "profile": profile, "blueprint": blueprint})
        book = find_or_create(database, brief)
        storage, around = BookStorage(database, book.id, brief.language), RunConfig(settings, database, models)
        run_book(book.id, around)
        before = steps_of(storage)
        told = estimate_more(storage, brief, MORE, settings)
        assert steps_of(storage) == before, "the book itself is as it was"
        with storage.write() as stores:
            go_on(stores, stores.books.get(book.id), MORE)
        run_book(book.id, around)
        return told, steps_of(storage)[len(before) :]


def steps_of(storage: BookStorage) -> list[StepLine]:
    with storage.read() as stores:
        return list(stores.steps.lines(limit=10_000))


@pytest.mark.parametrize("profile", ["economy", pytest.param("standard", marks=pytest.mark.soak)])
def test_the_low_figure_is_what_a_rehearsal_really_pays(tmp_path: Path, profile: str) -> None:
    told, paid = told_and_paid(tmp_path, profile)

    low = told.total.low
    assert low.calls == len(paid)
    assert low.input_tokens == pytest.approx(sum(line.input_tokens for line in paid), rel=0.001)
    assert low.output_tokens == pytest.approx(sum(line.output_tokens for line in paid), rel=0.001)
    assert told.total.high.calls >= len(paid)
    assert {"publish", "close"} <= {line.activity for line in paid if line.label == "1"}, "the end is among it"


@pytest.mark.soak
def test_of_much_a_beginning_is_walked_and_the_end_is_counted_once(cli: Cli) -> None:
    cli("write", "--premise", PREMISE, "--words", "9000", "--profile", "small", "--no-prefect", "--json")

    walked, scaled = (
        json.loads(cli("estimate", "--book", "a-keeper", "--more", more, "--json").out)
        for more in (LONGEST_WALKED, 2 * LONGEST_WALKED)
    )

    assert walked["rehearsed"] == pytest.approx(LONGEST_WALKED, rel=0.05)
    assert scaled["rehearsed"] < LONGEST_WALKED
    assert scaled["total"]["low"]["calls"] == pytest.approx(2 * walked["total"]["low"]["calls"], rel=0.15)


def test_the_command_line_tells_it_and_leaves_the_book_alone(cli: Cli, tmp_path: Path) -> None:
    options = ("--blueprint", short_case(tmp_path), "--words", "500", "--profile", "small", "--no-prefect", "--json")
    cli("write", "--premise", PREMISE, *options)
    before = cli("status", "a-keeper", "--json").out

    told = cli("estimate", "--book", "a-keeper", "--more", MORE)

    assert (told.code, "A rehearsal of 450 words" in told.out) == (0, True)
    assert cli("status", "a-keeper", "--json").out == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--more", "800"), "name it with --book"),
        (("--more", "800", "--book", "lamp", "--words", "900"), "the length is the book's own"),
        (("--more", "800", "--book", "lamp"), "is still to be written up to"),
    ],
)
def test_what_cannot_be_gone_on_with_is_refused(
    cli: Cli, book: BookStorage, options: tuple[str, ...], message: str
) -> None:
    refused = cli("estimate", *options)

    assert refused.code == 2
    assert message in refused.err


def test_a_rehearsal_asks_nobody_at_a_gate_and_calls_no_webhook(cli: Cli, tmp_path: Path) -> None:
    brief = tmp_path / "brief.toml"
    brief.write_text(
        f'premise = "{PREMISE}"\nlength = 600\nprofile = "small"\n'
        'gates = ["outline", "chapter"]\nwebhook = "http://127.0.0.1:9/"\n'
    )

    told = cli("estimate", brief)

    assert (told.code, "A rehearsal of 600 words" in told.out, told.err) == (0, True, "")


def test_an_authors_own_blueprint_is_rehearsed_by_its_name(cli: Cli, home: Path, tmp_path: Path) -> None:
    copytree(short_case(tmp_path), home / "blueprints" / "case")

    told = cli("estimate", "--blueprint", "case", "--premise", PREMISE, "--words", "600", "--profile", "small")

    assert (told.code, "A rehearsal of 600 words" in told.out, told.err) == (0, True, "")


def test_an_import_that_goes_on_tells_what_writing_takes_too(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "night watch.txt"
    file.write_bytes(write_novel(HABITS["en figures"], 3, 4).text.encode())

    looking = cli("import", file, "--profile", "small")
    writing = cli("import", file, "--profile", "small", "--words", "1200")

    assert "Looking at it takes about" in looking.err
    assert "Looking at it and writing 1,200 words takes about" in writing.err
    assert calls_in(writing.err) > calls_in(looking.err)


def calls_in(told: str) -> int:
    found = re.search(r"about ([0-9,]+) calls", told)
    assert found is not None
    return int(found[1].replace(",", ""))
