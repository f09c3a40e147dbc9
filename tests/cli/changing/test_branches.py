"""`fork`, `branches`, `compare` and `merge` as they are typed."""

import json
from pathlib import Path

import pytest

from bookwright.models.document import DocumentKind
from bookwright.storage.stores import BookStorage
from tests.cli.conftest import Cli
from tests.cli.shelf import tell_of_odo


def revise(cli: Cli, tmp_path: Path, book: str, words: str) -> None:
    """Give the second chapter other words."""
    (tmp_path / "words.txt").write_text(words)
    assert cli("revise", book, "chapter 2", "--kind", "prose", "--text", tmp_path / "words.txt").code == 0


@pytest.fixture
def branch(cli: Cli, book: BookStorage, tmp_path: Path) -> str:
    """A branch of the book, with another second chapter."""
    made = json.loads(cli("fork", "lamp", "--name", "she stays", "--json").out)
    revise(cli, tmp_path, made["book"], "She burned the log.")
    return str(made["book"])


def test_a_fork_is_told_and_listed_with_what_it_cost(cli: Cli, branch: str) -> None:
    listed = json.loads(cli("branches", "lamp", "--json").out)

    assert [row["name"] for row in listed["branches"]] == ["Night Watch", "she stays"]
    assert [row["calls"] for row in listed["branches"]] == [3, 0]
    assert [row["own"] for row in listed["branches"]] == [12, 4]
    assert listed["together"]["cost_micros"] == 13_500
    assert "she stays" in cli("branches", branch).out


def test_a_fork_from_a_chapter_says_how_to_go_on(cli: Cli, book: BookStorage) -> None:
    done = cli("fork", "lamp", "--at", "chapter 2")

    assert done.code == 0
    assert "writes it on" in done.err
    assert cli("fork", "lamp", "--at", "book").code == 2


def test_two_branches_are_compared_as_a_list_and_word_by_word(cli: Cli, branch: str) -> None:
    found = json.loads(cli("compare", "lamp", branch, "--json").out)
    words = cli("compare", "lamp", branch, "--unit", "chapter 2").out
    beside = cli("compare", "lamp", branch, "--unit", "chapter 2", "--beside").out

    assert found["differing"] == ["1.2"]
    assert "{+burned" in words
    assert "She read her own hand." in beside
    assert "She burned the log." in beside
    assert "1 unit of 2" in cli("compare", "lamp", branch).err
    assert cli("compare", "lamp").code == 2
    assert cli("compare", "lamp", branch, "--verdict").code == 2


def test_two_versions_of_a_unit_are_compared(cli: Cli, branch: str) -> None:
    found = json.loads(cli("compare", branch, "--unit", "chapter 2", "--versions", 1, 2, "--json").out)

    assert found["names"] == ["version 1", "version 2"]
    assert found["changes"][-1] != [found["a"], found["a"]]


def test_a_merge_is_shown_taken_and_taken_back(cli: Cli, branch: str, book: BookStorage) -> None:
    asked = cli("merge", branch, "--into", "lamp")
    done = json.loads(cli("merge", branch, "--into", "lamp", "--take", "chapter 2", "--yes", "--json").out)

    assert asked.code == 2
    assert "prose of 1.2" in asked.err
    assert done["texts"] == [{"node": "1.2", "kind": "prose", "of_both": False}]
    assert set(done) >= {"stale", "bill"}
    assert _second(book) == "She burned the log."
    assert cli("merge", "--undo", "--into", "lamp").code == 0
    assert _second(book) == "She read her own hand."
    assert cli("merge", "--undo", "--into", "lamp").code == 2


def test_a_merge_says_of_whom_the_codex_has_less_because_only_a_replaced_text_had_told_it(
    cli: Cli, branch: str, book: BookStorage
) -> None:
    tell_of_odo(book)

    told = cli("merge", branch, "--into", "lamp", "--yes").err
    cli("merge", "--undo", "--into", "lamp")
    facts = json.loads(cli("merge", branch, "--into", "lamp", "--yes", "--json").out)

    assert "only texts that were replaced told something of odo" in told
    assert facts["untold"] == ["odo"]


def _second(book: BookStorage) -> str:
    with book.read() as stores:
        found = stores.documents.current(stores.nodes.by_label("1.2").key, DocumentKind.PROSE)
        assert found is not None
        return found.text


def test_a_conflict_is_shown_with_both_sides_and_settled_as_told(
    cli: Cli, branch: str, book: BookStorage, tmp_path: Path
) -> None:
    revise(cli, tmp_path, "lamp", "She kept the log.")
    (tmp_path / "own.txt").write_text("She hid the log.")

    shown = cli("merge", branch, "--into", "lamp", "--yes")
    told = json.loads(cli("merge", branch, "--into", "lamp", "--json").out)

    assert shown.code == 2
    assert "She kept the log." in shown.out
    assert "She burned the log." in shown.out
    assert [one["place"] for one in told["conflicts"]] == ["1.2"]
    assert cli("merge", branch, "--into", "lamp", "--ours", "1.2", "--theirs", "1.2").code == 2
    assert cli("merge", branch, "--into", "lamp", "--yes", "--text", f"1.2={tmp_path / 'own.txt'}").code == 0
    assert _second(book) == "She hid the log."


def test_a_book_with_a_branch_is_not_deleted(cli: Cli, branch: str) -> None:
    refused = cli("delete", "lamp", "--yes")

    assert refused.code == 2
    assert branch in refused.err
    assert cli("delete", branch, "--yes").code == 0
    assert cli("delete", "lamp", "--yes").code == 0
