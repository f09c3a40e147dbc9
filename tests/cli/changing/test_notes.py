"""`note`: remarks at words of a text, and the orders that some of them are."""

import json
from pathlib import Path
from typing import Any

import pytest

from bookwright.storage.stores import BookStorage
from tests.cli.conftest import Cli, Outcome

PAGE = "Rain fell. The red lamp went out. Nobody on the quay saw it, and nobody asked. She slept till noon."


def facts(outcome: Outcome) -> Any:
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def put(cli: Cli, tmp_path: Path, text: str) -> None:
    """Make a text the first chapter's."""
    path = tmp_path / "page.txt"
    path.write_text(text, encoding="utf-8")
    assert cli("revise", "lamp", "1.1", "--text", path).code == 0


def noted(cli: Cli) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = facts(cli("note", "lamp", "--json"))["notes"]
    return found


@pytest.mark.usefixtures("book")
def test_a_note_is_kept_listed_and_laid_aside(cli: Cli, tmp_path: Path) -> None:
    put(cli, tmp_path, PAGE)
    kept = facts(cli("note", "lamp", "chapter 1", "--at", "red  lamp", "Which lamp?", "--json"))
    listed, elsewhere = cli("note", "lamp"), cli("note", "lamp", "1.3")
    removed = cli("note", "lamp", "--remove", kept["note"])

    assert (kept["node"], kept["at"], kept["words"], kept["state"]) == ("1.1", "red lamp", "Which lamp?", "open")
    assert "Which lamp?" in listed.out
    assert "Which lamp?" not in elsewhere.out
    assert (removed.code, noted(cli)) == (0, [])
    assert cli("note", "lamp", "--remove", kept["note"]).code == 2


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize(
    ("text", "is_found", "now"),
    [
        (f"Snow fell first. {PAGE}", True, "Nobody on the quay"),
        (PAGE.replace("Nobody on the quay", "Not one of the children"), False, "Not one of the children"),
        (PAGE.replace("Nobody on the quay saw it, and nobody asked. ", ""), False, ""),
        ("Another page.", False, ""),
    ],
)
def test_a_note_finds_its_place_among_other_words_or_says_that_it_cannot(
    cli: Cli, tmp_path: Path, text: str, is_found: bool, now: str
) -> None:
    put(cli, tmp_path, PAGE)
    cli("note", "lamp", "1.1", "--at", "Nobody on the quay", "Who is there?")
    put(cli, tmp_path, text)

    [note] = noted(cli)
    told = " ".join(cli("note", "lamp").out.split())

    assert (note["is_found"], note["now"]) == (is_found, now)
    assert ("do not stand" in told) == (not now)


def test_orders_are_told_to_whoever_revises_the_text_next_and_once(cli: Cli, tmp_path: Path, book: BookStorage) -> None:
    put(cli, tmp_path, PAGE)
    cli("note", "lamp", "1.1", "--at", "red lamp", "Make it green.", "--order")
    cli("note", "lamp", "1.1", "--at", "till noon", "Why so long?")
    made = facts(cli("revise", "lamp", "1.1", "--notes", "--json"))
    again = cli("revise", "lamp", "1.1", "--notes")

    with book.read() as stores:
        step = next(line.id for line in stores.steps.lines("1.1") if line.step.startswith("amend."))
        asked = "\n".join(stores.steps.prompt(step))
    assert made["document"]["origin"] == "note"
    assert "“red lamp”: Make it green." in asked
    assert "Why so long?" not in asked
    assert [(note["state"], note["is_seen_to"]) for note in noted(cli)] == [("ordered", True), ("open", False)]
    assert (again.code, "is an order" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["1.1", "Which?"], "say where and what"),
        (["--at", "lamp", "--order"], "say where and what"),
        (["--remove", "1", "--order"], "takes the number of a note"),
        (["1.1", "--at", "nobody", "Who?"], "stands there 2 times; quote more"),
        (["1.1", "--at", "a whale", "Who?"], "does not stand in the text"),
        (["1.1", "--at", "lamp", "  "], "has words"),
        (["1.4", "--at", "lamp", "x"], "nothing is written there"),
        (["1.9", "--at", "lamp", "x"], "no node '1.9'"),
        (["--remove", "9"], "no such"),
    ],
)
def test_what_is_no_note_is_refused(
    cli: Cli, tmp_path: Path, book: BookStorage, arguments: list[str], told: str
) -> None:
    put(cli, tmp_path, PAGE.lower())

    outcome = cli("note", "lamp", *arguments)

    assert (outcome.code, told in outcome.err) == (2, True), outcome.err
    assert noted(cli) == []
