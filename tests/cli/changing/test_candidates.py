"""`candidates`: several drafts of the same pages, from outside."""

import json
from pathlib import Path
from typing import Any

import pytest

from bookwright.storage.stores import BookStorage
from tests.cli.conftest import Cli, Outcome

pytestmark = pytest.mark.usefixtures("library")

BRIEF = ("--premise", "A keeper of a lighthouse counts ships.", "--words", "900", "--profile", "economy")
BOOK = "a-keeper-of-a-lighthouse"
WRITE = ("write", *BRIEF, "--no-prefect")


def facts(outcome: Outcome) -> Any:
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def calls(cli: Cli) -> int:
    return int(facts(cli("status", BOOK, "--json"))["calls"])


def test_a_candidate_is_looked_at_and_taken_and_what_rests_on_the_text_goes_stale(cli: Cli) -> None:
    cli(*WRITE, "--candidates", 2)
    sight = facts(cli("candidates", BOOK, "book", "--json"))
    stood = cli("read", BOOK).out
    drafts = [facts(cli("candidates", BOOK, "book", "--show", number, "--json"))["text"] for number in (1, 2)]
    paid = calls(cli)

    other = 3 - sight["preferred"]
    taken = facts(cli("candidates", BOOK, "1", "--take", other, "--json"))
    again = cli("candidates", BOOK, "1", "--take", other)
    after = facts(cli("candidates", BOOK, "1", "--json"))

    assert [(one["number"], one["angle"]) for one in sight["candidates"]] == [(1, "plain"), (2, "attack")]
    assert len(sight["comparisons"][0]["opinions"]) == 2
    assert drafts[0] != drafts[1]
    assert (taken["candidate"], taken["base"], taken["version"]) == (other, 1, 2)
    assert taken["stale"] >= 1
    assert (after["chosen"], after["taken"], after["by"]) == (other, other, "author")
    assert drafts[other - 1].split()[-1] in cli("read", BOOK).out
    assert (again.code, "already" in again.err) == (2, True)
    assert calls(cli) == paid, "nobody was asked"
    restored = cli("restore", BOOK, "1", 1, "--kind", "prose")
    assert restored.code == 0
    assert cli("read", BOOK).out == stood


def test_candidates_are_written_later_beside_a_text_that_stays(cli: Cli) -> None:
    cli(*WRITE)
    before, paid = cli("read", BOOK).out, calls(cli)
    none = cli("candidates", BOOK, "1")
    refused = cli("candidates", BOOK, "1", "--count", 3)
    assert calls(cli) == paid, "nobody agreed to the bill"
    made = facts(cli("candidates", BOOK, "1", "--count", 3, "--yes", "--json"))
    once = calls(cli)
    again = facts(cli("candidates", BOOK, "1", "--count", 2, "--json"))

    assert (none.code, "has no candidates" in none.err) == (2, True)
    assert (refused.code, "nothing was asked" in refused.err) == (2, True)
    assert "2 drafts and 4 readings" in refused.err, "the draft of the walk is the first candidate"
    assert once - paid == 6
    assert (len(made["candidates"]), made["by"], made["taken"]) == (3, "nobody", 0)
    assert again == made
    assert calls(cli) == once
    assert cli("read", BOOK).out == before


def test_the_author_chooses_at_a_gate_and_candidates_lists_them(cli: Cli) -> None:
    waiting = cli(*WRITE, "--candidates", 2, "--gate", "candidates")
    sight = facts(cli("candidates", BOOK, "1", "--json"))
    shown = cli("gates", BOOK, "--show").out
    early = cli("candidates", BOOK, "1", "--take", 1)
    none = cli("approve", BOOK, "--candidate", 7)
    chosen = cli("approve", BOOK, "--candidate", 3 - sight["preferred"])
    resumed = cli("resume", BOOK, "--no-prefect")
    after = facts(cli("candidates", BOOK, "1", "--json"))
    listed = facts(cli("candidates", BOOK, "--json"))

    assert waiting.code == 5
    assert sight["gate"] == 1
    assert all(f"Candidate {number}, " in shown for number in (1, 2))
    assert (early.code, "approve" in early.err) == (2, True)
    assert (none.code, "no candidate 7" in none.err) == (2, True)
    assert (chosen.code, resumed.code) == (0, 0)
    assert (after["chosen"], after["by"]) == (3 - sight["preferred"], "author")
    assert [unit["node"] for unit in listed["units"]] == ["1"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["1.1", "--count", "3", "--show", "1"], "takes one of"),
        (["--take", "1"], "say of which unit"),
        (["1.4", "--count", "2"], "has no prose"),
        (["1", "--count", "2"], "has its text in parts"),
        (["1.9"], "no node '1.9'"),
        (["1.1", "--count", "9"], "--count"),
    ],
)
def test_what_cannot_have_candidates_is_refused_before_anything_is_paid(
    cli: Cli, book: BookStorage, arguments: list[str], told: str
) -> None:
    outcome = cli("candidates", "lamp", *arguments)

    assert (outcome.code, told in outcome.err) == (2, True), outcome.err
    with book.read() as stores:
        assert stores.books.get("lamp").calls == 3


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--candidates", "5"], "5"),
        (["--candidates-for", "the good parts"], "names no units of a book"),
        (["--gate", "chaptre 3"], "can be outline"),
        (["--candidates", "2", "--profile", "small"], "too weak"),
    ],
)
def test_a_wish_that_means_nothing_is_refused_before_there_is_a_book(cli: Cli, options: list[str], told: str) -> None:
    outcome = cli("write", "--premise", "A keeper counts.", "--words", "900", "--no-prefect", *options)

    assert (outcome.code, told in outcome.err) == (2, True), outcome.err
    assert "no book" in cli("status").err + cli("status").out


def test_a_bill_counts_the_drafts_and_the_readings(cli: Cli) -> None:
    plain, twice = (
        facts(cli("estimate", *BRIEF, *more, "--model", "rehearsal:exact", "--json"))["total"]["low"]["calls"]
        for more in ((), ("--candidates", 3))
    )

    assert twice - plain == 2 + 4


def test_candidates_move_with_the_json_of_their_book(cli: Cli, tmp_path: Path) -> None:
    cli(*WRITE, "--candidates", 2)
    before = facts(cli("candidates", BOOK, "1", "--json"))
    cli("export", BOOK, "--to", "json", "--output", tmp_path / "book.json")
    cli("delete", BOOK, "--yes")
    imported = cli("import", tmp_path / "book.json")

    assert imported.code == 0, imported.err
    assert facts(cli("candidates", BOOK, "1", "--json")) == before
    assert cli("candidates", BOOK, "1", "--take", 2).code == 0
