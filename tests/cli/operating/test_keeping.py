"""`backup`, `restore`, `reindex` and `prune` as they are typed."""

import json

import pytest
from typer.testing import CliRunner

from bookwright.cli.main import app
from bookwright.failpoints import Failpoint
from bookwright.models.errors import InvalidInput
from bookwright.storage.backup.backup_file import read_manifest
from bookwright.storage.lease import Lease


@pytest.fixture
def shelf(book):
    """The book, which nobody holds open."""
    book.database.dispose()
    return book


def hold(book):
    with book.database.write(Failpoint.EDIT_BOOK) as connection:
        Lease.take(connection, "lamp", "another worker", 600)


def test_a_backup_is_written_where_it_was_asked_for(cli, shelf, tmp_path):
    outcome = cli("backup", tmp_path / "kept.zip", "--json")

    facts = json.loads(outcome.out)
    assert outcome.code == 0
    assert facts["file"] == str(tmp_path / "kept.zip")
    assert (facts["books"][0]["id"], facts["database"]) == ("lamp", "sqlite")
    assert len(facts["sha256"]) == 64
    assert facts["file_bytes"] == (tmp_path / "kept.zip").stat().st_size


def test_a_backup_without_a_name_lies_in_the_data_folder(cli, shelf, home, tmp_path):
    first = cli("backup").out.strip()
    in_folder = cli("backup", tmp_path).out.strip()

    assert first.startswith(str(home / "backups" / "bookwright-"))
    assert in_folder.startswith(str(tmp_path / "bookwright-"))
    assert read_manifest(home / "backups" / first.rpartition("/")[2]).books[0].id == "lamp"


def test_nothing_to_back_up_is_bad_input_and_makes_nothing(cli, home, tmp_path):
    outcome = cli("backup", tmp_path / "kept.zip")

    assert (outcome.code, outcome.out) == (2, "")
    assert "no book was begun" in outcome.err
    assert not (tmp_path / "kept.zip").exists()
    assert not home.exists()


def test_a_restore_says_what_it_did_and_what_it_kept(cli, shelf, tmp_path):
    cli("backup", tmp_path / "kept.zip")
    cli("delete", "lamp", "--yes")

    outcome = cli("restore", tmp_path / "kept.zip", "--yes", "--json")

    facts = json.loads(outcome.out)
    assert (outcome.code, facts["books"]) == (0, ["lamp"])
    assert ".replaced-" in facts["kept"]
    assert json.loads(cli("status", "--json").out)[0]["book"] == "lamp"


def test_a_restore_asks_and_takes_no_for_an_answer(cli, shelf, tmp_path):
    cli("backup", tmp_path / "kept.zip")
    cli("delete", "lamp", "--yes")

    refused = CliRunner().invoke(app, ["restore", str(tmp_path / "kept.zip")], input="n\n")

    assert isinstance(refused.exception, InvalidInput)
    assert "nothing was restored" in str(refused.exception)
    assert json.loads(cli("status", "--json").out) == []


def test_a_restore_is_refused_while_a_book_is_held(cli, shelf, tmp_path):
    cli("backup", tmp_path / "kept.zip")
    hold(shelf)

    outcome = cli("restore", tmp_path / "kept.zip", "--yes")

    assert outcome.code == 3
    assert "another worker" in outcome.err


def test_a_file_that_is_no_backup_is_bad_input(cli, shelf, tmp_path):
    (tmp_path / "kept.zip").write_text("nothing")

    outcome = cli("restore", tmp_path / "kept.zip", "--yes")

    assert outcome.code == 2
    assert "is no whole backup" in outcome.err


def test_reindex_tells_what_it_took(cli, shelf):
    first, again = (json.loads(cli("reindex", "lamp", "--json").out) for _ in range(2))

    assert (first["book"], first["passages"], first["embedded"]) == ("lamp", 4, 4)  # summaries and pages
    assert again == first | {"embedded": 0}


def test_reindex_is_refused_while_the_book_is_held(cli, shelf):
    hold(shelf)

    assert cli("reindex", "lamp").code == 3


def test_prune_lets_go_of_old_prompts_and_shows_it(cli, shelf):
    outcome = cli("prune", "lamp", "--keep-last", 1, "--json")

    facts = json.loads(outcome.out)
    assert (outcome.code, facts["held"]) == (0, [])
    assert [(each["book"], each["steps"], each["texts"]) for each in facts["books"]] == [("lamp", 2, 1)]
    assert facts["file_bytes_after"] <= facts["file_bytes_before"]
    assert "(no longer kept)" in cli("prompt", "lamp", 1).out
    assert "Ask for draft." in cli("prompt", "lamp", 3).out
    assert "no JSON" in cli("prompt", "lamp", 1, "--reply").out


def test_prune_passes_over_what_is_held(cli, shelf):
    hold(shelf)

    all_books, one = cli("prune", "--keep-last", 0, "--json"), cli("prune", "lamp", "--keep-last", 0)

    assert (all_books.code, json.loads(all_books.out)["held"]) == (0, ["lamp"])
    assert one.code == 3


def test_prune_must_be_told_what_to_keep(cli, shelf):
    outcome = cli("prune")

    assert outcome.code == 2
    assert "--keep-last" in outcome.err
