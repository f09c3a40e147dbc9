"""`revise`, `stale`, `refresh`, `history`, `diff` and `restore`, from outside."""

import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from sqlalchemy import insert

from bookwright.app.access import OpenBook
from bookwright.cli.writing import running
from bookwright.flows.deps import Deps
from bookwright.flows.revision.refresh import RefreshScope
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.errors import BookPaused
from bookwright.models.step import AMENDING_ROUNDS, Activity
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import document_inputs
from tests.cli.conftest import Cli
from tests.cli.shelf import attempt
from tests.support.books import make_settings


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """A file with other words."""
    path = tmp_path / "words.txt"
    path.write_text("She is not afraid of the sea.\n", encoding="utf-8")
    return path


def test_words_by_hand_become_the_next_version_and_the_old_one_stays(cli: Cli, book: BookStorage, words: Path) -> None:
    made = cli("revise", "lamp", "1.4", "--text", words, "--json")
    listed = json.loads(cli("history", "lamp", "1.4", "--json").out)["versions"]

    assert json.loads(made.out)["document"]["version"] == 3
    assert [(row["version"], row["origin"], row["base"]) for row in listed][-1] == (3, "author", 2)
    assert len(listed) == 3
    assert all(row["made_at"] for row in listed)


def test_the_same_words_make_no_version(cli: Cli, book: BookStorage, words: Path) -> None:
    cli("revise", "lamp", "1.4", "--text", words)

    again = cli("revise", "lamp", "1.4", "--text", words, "--json")

    assert (again.code, json.loads(again.out)["document"]) == (0, None)


def test_a_chapter_that_was_read_and_edited_is_given_back_without_its_heading(
    cli: Cli, book: BookStorage, tmp_path: Path
) -> None:
    before = cli("read", "lamp", "--node", "chapter 1").out
    heading, edited = before.strip().splitlines()[0], tmp_path / "edited.txt"
    edited.write_text(before + "\nAnd then it was dark.\n", encoding="utf-8")

    outcome = cli("revise", "lamp", "chapter 1", "--text", edited)

    after = cli("read", "lamp", "--node", "chapter 1").out
    assert outcome.code == 0, outcome.err
    assert heading
    assert (before.count(heading), after.count(heading)) == (1, 1)
    assert "And then it was dark." in after


def test_prose_by_hand_is_counted(cli: Cli, book: BookStorage, words: Path) -> None:
    with book.read() as stores:
        before = stores.nodes.root().written - stores.nodes.by_label("1.1").written

    cli("revise", "lamp", "1.1", "--text", words)

    with book.read() as stores:
        assert stores.nodes.by_label("1.1").written == 7
        assert stores.nodes.root().written == before + 7


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["1.9", "--note", "x"], "no node '1.9'"),
        (["1.3", "--note", "x"], "it has none yet"),
        (["1.1", "--kind", "design", "--note", "x"], "it has prose"),
        (["1", "--kind", "prose", "--note", "x"], "has its text in parts; name one of them: 1.1"),
        (["1.1"], "either --note"),
        (["1.1", "--note", " "], "note is empty"),
        (["1.1", "--text", "/nowhere/at/all"], "cannot be read"),
    ],
)
def test_what_cannot_be_revised_is_refused_before_anything_is_paid(
    cli: Cli, book: BookStorage, arguments: list[str], told: str
) -> None:
    outcome = cli("revise", "lamp", *arguments)

    assert outcome.code == 2
    assert told in outcome.err
    with book.read() as stores:
        assert stores.books.get("lamp").calls == 3


def test_a_book_that_is_written_is_not_revised(cli: Cli, book: BookStorage, words: Path) -> None:
    with book.write() as stores:
        Lease.take(stores.connection, "lamp", "process 1 on another", 60)

    outcome = cli("revise", "lamp", "1.4", "--text", words)

    assert outcome.code == 3
    assert "process 1 on another" in outcome.err


def test_a_version_is_restored_as_a_new_one(cli: Cli, book: BookStorage) -> None:
    restored = cli("restore", "lamp", "1.4", 1, "--json")

    assert json.loads(restored.out)["version"] == 3
    with book.read() as stores:
        now = stores.documents.current(stores.nodes.by_label("1.4").key, DocumentKind.DESIGN)
    assert now is not None
    assert now.text == "She is afraid."
    assert cli("restore", "lamp", "1.4", 9).code == 2
    assert cli("restore", "lamp", "1.4", 1).code == 2
    assert cli("restore", "lamp", "1.4").code == 2


def test_a_diff_shows_prose_by_words_and_designs_by_lines(cli: Cli, book: BookStorage, tmp_path: Path) -> None:
    prose = tmp_path / "prose.txt"
    prose.write_text("Rain fell. The [green] lamp went out.", encoding="utf-8")
    cli("revise", "lamp", "1.1", "--text", prose)

    assert "Rain fell. The [-[red]-]{+[green]+} lamp went out." in cli("diff", "lamp", "1.1").out
    design = cli("diff", "lamp", "1.4", 1, 2).out
    assert "-She is afraid." in design
    assert "+She waits for her brother." in design
    assert cli("diff", "lamp", "1.1", 1, 7).code == 2


def test_a_book_without_a_change_has_nothing_stale_and_a_refresh_asks_nobody(cli: Cli, book: BookStorage) -> None:
    listed = json.loads(cli("stale", "lamp", "--json").out)
    redone = json.loads(cli("refresh", "lamp", "--json").out)

    assert (listed["direct"], listed["indirect"], listed["bill"]["high"]["calls"]) == ([], [], 0)
    assert redone["redone"] == []


def test_what_is_interrupted_beside_the_walk_names_its_own_command(
    book: BookStorage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with book.read() as stores:
        opened = OpenBook(make_settings(tmp_path), book, stores.books.get("lamp"))

    def work(deps: Deps) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        raise BookPaused("asked to rest", f"{deps.desk.journal.way_on} goes on")

    with pytest.raises(typer.Exit) as left:
        running.run_beside(opened, work, "`bookwright refresh lamp`")

    assert left.value.exit_code == 130
    assert capsys.readouterr().err == "bookwright: asked to rest. `bookwright refresh lamp` goes on.\n"


@pytest.mark.parametrize("options", [(), ("1.1",), ("1.1", "--anew")])
def test_a_refresh_that_is_interrupted_names_the_command_that_goes_on_with_the_same(options: tuple[str, ...]) -> None:
    wanted = RefreshScope(options[0] if options else "1", "--anew" in options)

    assert wanted.options == options


def test_a_text_that_was_revised_and_is_to_be_written_anew_is_billed_by_its_writing(
    cli: Cli, book: BookStorage, words: Path
) -> None:
    def recorded(step: str, round_: int, kept: NewDocument | None = None) -> None:
        made = attempt(chapter, step, "It rained.", Activity.WRITE)
        made = replace(made, key=made.key.model_copy(update={"round": round_}))
        journal.record(made, (lambda stores, key: stores.documents.add(kept, key)) if kept else None)

    with book.write() as stores:
        lease = Lease.take(stores.connection, "lamp", "the test", 60)
        chapter = stores.nodes.by_label("1.1")
        [design] = stores.documents.of_nodes([stores.nodes.by_label("1.4").key], DocumentKind.DESIGN)
    journal, prose = Journal(book, lease), NewDocument(node=chapter.key, kind=DocumentKind.PROSE, text="It rained.")
    recorded("outline", 0)
    recorded("refine", 0, prose)
    note = {"text": "It poured.", "origin": DocumentOrigin.NOTE, "base": 2, "inputs": (design.id,)}
    recorded("amend.2", AMENDING_ROUNDS + 2, prose.model_copy(update=note))
    with book.write() as stores:
        lease.release(stores.connection)
    cli("revise", "lamp", "1.4", "--text", words)

    revised, anew = cli("refresh", "lamp", "1.1").err, cli("refresh", "lamp", "1.1", "--anew").err

    assert ". 1 calls, 1.5k tokens" in revised
    assert ". 3 calls, 4.5k tokens" in anew


def test_a_note_asks_for_no_more_than_is_written_at_once(cli: Cli, book: BookStorage) -> None:
    outcome = cli("revise", "lamp", "1.1", "--note", "Let it rain.", "--length", 1_000_000)

    assert outcome.code == 2
    assert "20000" in outcome.err


def test_a_book_whose_worker_died_is_waited_for(cli: Cli, book: BookStorage, words: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    with book.write() as stores:
        Lease.take(stores.connection, "lamp", f"process {dead.pid} on {socket.gethostname()}", 0.5)

    outcome = cli("revise", "lamp", "1.4", "--text", words)

    assert outcome.code == 0
    assert "has died" in outcome.err


def test_a_refresh_that_nobody_agrees_to_says_how_it_is_done_without_asking(
    cli: Cli, book: BookStorage, words: Path
) -> None:
    with book.write() as stores:
        design = stores.documents.current(stores.nodes.by_label("1.4").key, DocumentKind.DESIGN)
        text = stores.documents.current(stores.nodes.by_label("1.1").key, DocumentKind.PROSE)
        assert design is not None
        assert text is not None
        stores.connection.execute(insert(document_inputs), {"document": text.id, "input": design.id})
    cli("revise", "lamp", "1.4", "--text", words)

    outcome = cli("refresh", "lamp")

    assert outcome.code == 2
    assert "--yes refreshes without asking" in outcome.err


def test_what_the_walk_will_make_anew_is_left_to_it_and_said(cli: Cli, book: BookStorage, words: Path) -> None:
    with book.write() as stores:
        design = stores.documents.current(stores.nodes.by_label("1.4").key, DocumentKind.DESIGN)
        assert design is not None
        waiting = NewDocument(
            node=stores.nodes.by_label("1.3").key, kind=DocumentKind.WRITERS_BRIEF, text="She is afraid.",
            inputs=(design.id,),
        )  # fmt: skip
        brief = stores.documents.add(waiting, None)
    cli("revise", "lamp", "1.4", "--text", words)

    outcome = cli("refresh", "lamp", "--yes")

    with book.read() as stores:
        assert [version.id for version in stores.documents.versions(brief.node, brief.kind)] == [brief.id]
    assert "nothing was made anew" in outcome.err
    assert "1 of what is left `bookwright resume lamp` makes anew by itself" in outcome.err


def test_a_whole_refresh_takes_about_what_was_said_and_leaves_nothing_that_may_cost(cli: Cli, tmp_path: Path) -> None:
    def spent() -> int:
        facts = json.loads(cli("status", lamp, "--json").out)
        return int(facts["input_tokens"] + facts["output_tokens"])

    brief = ("--premise", "Three winters on a lighthouse.", "--words", "4500", "--profile", "economy")
    lamp = json.loads(cli("write", *brief, "--no-prefect", "--json").out)["book"]
    words = tmp_path / "chapter.txt"
    words.write_text(cli("read", lamp, "--node", "chapter 1").out + "\nNobody came for her.\n", encoding="utf-8")
    cli("revise", lamp, "chapter 1", "--text", words)

    before, sum_before = json.loads(cli("stale", lamp, "--json").out), spent()
    cli("refresh", lamp, "--yes")
    after, sum_after = json.loads(cli("stale", lamp, "--json").out), spent()

    low, high = (before["bill"][end]["input_tokens"] + before["bill"][end]["output_tokens"] for end in ("low", "high"))
    assert low < sum_after - sum_before < 1.2 * high
    assert before["to_do"] == len(before["direct"]) > 0
    assert {row["may_cost"] for row in (*before["direct"], *before["indirect"])} == {True}
    assert (after["to_do"], after["direct"], after["bill"]["high"]["calls"]) == (0, [], 0)
    assert not any(row["may_cost"] for row in after["indirect"])
    assert "nothing to refresh" in (told := cli("stale", lamp).out) or told.startswith("Nothing is stale")
