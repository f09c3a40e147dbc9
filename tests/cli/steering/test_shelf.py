"""Editing a brief, putting a book away, deleting it: only while it rests."""

import json
import socket
import subprocess
import sys
import tomllib

import pytest
from typer.testing import CliRunner

from bookwright.app.status.books import begin_anew
from bookwright.cli.main import app
from bookwright.models.book import BookState
from bookwright.models.brief import parse_brief
from bookwright.models.errors import InvalidInput
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.index.embedding import make_embedder
from bookwright.storage.index.vector_index import ChromaIndex
from bookwright.storage.lease import Lease
from bookwright.storage.repositories.books import BookRepository
from tests.support.books import finish, make_book
from tests.support.forks import forking_python


def held(storage):
    with storage.write() as stores:
        Lease.take(stores.connection, storage.book, "worker 7 on elsewhere", 60)


def stored(storage):
    with storage.read() as stores:
        return stores.books.get(storage.book), stores.nodes.root()


def test_a_brief_is_shown_as_toml_that_makes_the_same_brief(cli, book):
    outcome = cli("brief", "lamp")

    assert parse_brief(outcome.out) == stored(book)[0].brief
    assert json.loads(cli("brief", "lamp", "--json").out)["brief"] == tomllib.loads(outcome.out)


def test_keys_are_set_one_by_one(cli, book):
    outcome = cli(
        "brief", "lamp", "--set", "budget.usd=2.5", "--set", "ending=She leaves.", "--set", "title=1984",
        "--set", "models.writer=rehearsal:miss",
    )  # fmt: skip

    found, root = stored(book)
    assert outcome.code == 0
    assert (found.brief_version, found.brief.budget.usd, found.brief.ending) == (2, 2.5, "She leaves.")
    assert (found.title, root.title, found.brief.models) == ("1984", "1984", {"writer": "rehearsal:miss"})


def test_an_empty_value_takes_a_cap_or_a_role_away(cli, book):
    cli("brief", "lamp", "--set", "budget.usd=2.5", "--set", "models.writer=rehearsal:miss")

    assert cli("brief", "lamp", "--set", "budget.usd=", "--set", "models.writer=").code == 0

    found, _ = stored(book)
    assert (found.brief.budget.usd, found.brief.models) == (None, {})


def test_a_file_changes_the_keys_that_it_names(cli, book, tmp_path):
    (tmp_path / "edit.toml").write_text('style = "Short sentences."\n[budget]\ntokens = 9000\n')

    assert cli("brief", "lamp", "--edit", tmp_path / "edit.toml").code == 0

    found, _ = stored(book)
    brief = found.brief
    assert (brief.style, brief.budget.tokens, brief.pen_name) == ("Short sentences.", 9_000, "A. Hand")


def test_a_title_that_the_book_found_survives_other_changes(cli, settings):
    storage = make_book(settings, "Rain.")
    with storage.write() as stores:
        stores.books.change("lamp", title="Found")

    cli("brief", "lamp", "--set", "pen_name=B")

    assert stored(storage)[0].title == "Found"


def test_a_longer_book_goes_on_after_what_was_to_be_its_last_chapter(cli, book):
    with book.write() as stores:
        last = stores.nodes.by_label("1.3")
        stores.nodes.change(last.key, is_last=True)

    assert cli("brief", "lamp", "--set", "length=12000").code == 0

    with book.read() as stores:
        assert (stores.nodes.root().length, stores.nodes.by_label("1.3").is_last) == (12_000, False)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("length=5", "length in the brief: Input should be greater than or equal to 50"),
        ("length=2000000", "it is divided into chapters already, which suit another length"),
        ("language=ja", "is begun in English"),
        ("titel=x", "the brief has an unknown key 'titel'; did you mean 'title'?"),
        ("budget.usd=-1", "budget.usd in the brief"),
        ("models.writer=nobody:x", "no provider is called 'nobody'"),
        ("models.writer=openai:gpt-5.1", "openai needs an API key: set OPENAI_API_KEY"),
        ("nonsense", "--set takes key=value"),
        ("title=a\x07b", "holds the control character"),
    ],
)
def test_an_impossible_change_is_refused_and_nothing_is_changed(cli, book, change, why):
    before = stored(book)

    outcome = cli("brief", "lamp", "--set", change)

    assert outcome.code == 2
    assert why in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert stored(book) == before


def test_a_finished_book_keeps_its_length(cli, settings):
    storage = make_book(settings, "Rain.")
    finish(storage)

    outcome = cli("brief", "lamp", "--set", "length=20000")

    assert (outcome.code, "it is written to its end" in outcome.err) == (2, True)


def test_the_last_chapter_once_written_ends_the_length(cli, book):
    with book.write() as stores:
        last = stores.nodes.by_label("1.3")
        stores.nodes.change(last.key, is_last=True, status=NodeStatus.DONE.value)

    assert "its last chapter is written" in cli("brief", "lamp", "--set", "length=12000").err


@pytest.mark.parametrize(
    "arguments", [("brief", "lamp", "--set", "style=x"), ("archive", "lamp"), ("delete", "lamp", "--yes")]
)
def test_a_held_book_is_left_alone(cli, book, arguments):
    held(book)
    before = stored(book)[0].brief

    outcome = cli(*arguments)

    assert outcome.code == 3
    assert "is being written by worker 7 on elsewhere" in outcome.err
    assert stored(book)[0].brief == before


def test_an_archived_book_is_listed_only_on_demand(cli, book):
    assert cli("archive", "lamp").code == 0
    assert json.loads(cli("status", "--json").out) == []
    assert len(json.loads(cli("status", "--all", "--json").out)) == 1

    assert cli("unarchive", "lamp").code == 0
    assert len(json.loads(cli("status", "--json").out)) == 1


def test_a_deleted_book_leaves_no_row_and_no_index_behind(cli, book, settings):
    folder = ChromaIndex("lamp", make_embedder(settings).name, settings).folder
    folder.mkdir(parents=True)
    (folder / "chroma.sqlite3").write_bytes(b"x")

    assert json.loads(cli("delete", "lamp", "--yes", "--json").out) == {"book": "lamp", "deleted": True, "left": []}

    assert not folder.exists()
    assert cli("status", "lamp").code == 2
    with book.database.read() as connection:
        for table in ("nodes", "steps", "documents", "texts", "briefs"):
            assert connection.exec_driver_sql(f"select count(*) from {table}").scalar_one() == 0


def test_deleting_asks_and_takes_no_for_an_answer(book):
    refused = CliRunner().invoke(app, ["delete", "lamp"], input="n\n")

    assert isinstance(refused.exception, InvalidInput)
    assert "nothing was deleted" in str(refused.exception)
    assert stored(book)[0].state is BookState.PAUSED


def test_deleting_takes_yes_for_an_answer(book):
    assert CliRunner().invoke(app, ["delete", "lamp"], input="y\n").exit_code == 0

    with book.database.read() as connection:
        assert BookRepository(connection).all() == []


def test_pausing_asks_the_worker_and_says_when_there_is_none(cli, book):
    assert "nobody writes it; a run that waits for a worker or is just beginning rests" in cli("pause", "lamp").err
    assert stored(book)[0].stop_requested

    held(book)
    facts = json.loads(cli("pause", "lamp", "--json").out)

    assert facts == {"book": "lamp", "stop_requested": True, "held_by": "worker 7 on elsewhere"}
    assert stored(book)[0].stop_requested
    assert json.loads(cli("status", "lamp", "--json").out)["state"] == "stopping"


@pytest.mark.parametrize("seconds", [60, -1])
def test_pausing_a_book_whose_worker_has_died_asks_whoever_takes_it_next(cli, book, seconds):
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    owner = f"process {gone.pid} on {socket.gethostname()}" if seconds > 0 else "process 1 on elsewhere"
    with book.write() as stores:
        stores.books.set_state(book.book, BookState.WRITING)
        Lease.take(stores.connection, book.book, owner, seconds)

    outcome = cli("pause", "lamp")

    assert f"rests already; {owner} has died; a run that waits for a worker" in outcome.err
    assert stored(book)[0].stop_requested
    assert json.loads(cli("pause", "lamp", "--json").out)["held_by"] is None
    assert cli("status", "lamp").out.splitlines()[2].split(maxsplit=1)[1].strip() == "interrupted - asked to rest"
    begin_anew(book.database, "lamp")
    assert not stored(book)[0].stop_requested


def test_a_book_that_is_handed_in_anew_is_to_rest_still_if_its_living_worker_was_asked(cli, book):
    held(book)
    cli("pause", "lamp")

    begin_anew(book.database, "lamp")

    assert stored(book)[0].stop_requested


@pytest.mark.parametrize("given", ["<&-", "</dev/null"])
def test_a_question_that_nobody_can_answer_is_a_no_that_names_the_option(book, home, given):
    python = sys.executable if given == "<&-" else forking_python()  # a fork is handed an open file in any case
    line = f"exec {python} -m bookwright delete lamp {given}"

    asked = subprocess.run(["sh", "-c", line], capture_output=True, text=True)

    assert asked.returncode == 2
    assert "nothing was deleted; --yes deletes without asking" in asked.stderr
    assert (home / "bookwright.db").exists()


def test_gates_are_added_and_taken_away_one_by_one(cli, book):
    with book.write() as stores:
        stores.nodes.change(stores.nodes.by_label("1.3").key, status="open")

    added = cli("brief", "lamp", "--gate", "chapter", "--gate", "1.3", "--gate", "every climax", "--json")
    removed = cli("brief", "lamp", "--no-gate", "1.3", "--json")
    ahead = cli("brief", "lamp", "--gate", "chapters of 9")

    assert json.loads(added.out)["brief"]["gates"] == ["chapter", "1.3", "climaxes"]
    assert json.loads(removed.out)["brief"]["gates"] == ["chapter", "climaxes"]
    assert "nothing stands there yet" in ahead.err


@pytest.mark.parametrize(
    ("option", "gate", "why"),
    [
        ("--gate", "1.1", "is closed already, so a gate '1.1' would never open"),
        ("--gate", "chapter 1", "is closed already"),
        ("--gate", "1.4", "gates of this kind stand behind units"),
        ("--gate", "chaptre", "names no units of a book"),
        ("--no-gate", "chapter", "the brief has no gate 'chapter'; it has none"),
    ],
)
def test_a_gate_that_could_never_open_is_refused_and_nothing_is_changed(cli, book, option, gate, why):
    before = stored(book)

    outcome = cli("brief", "lamp", option, gate)

    assert (outcome.code, why in outcome.err) == (2, True), outcome.err
    assert stored(book) == before
