"""What `status`, `tree`, `show`, `read`, `log`, `prompt` and `export` say about a book."""

import json
import socket
import subprocess
import sys

import pytest

from bookwright.storage.lease import Lease
from tests.support.fake_prefect import queued


def test_status_lists_the_books_newest_first(cli, book):
    assert cli("status").out.splitlines()[1].split()[:3] == ["lamp", "paused", "12"]

    [facts] = json.loads(cli("status", "--json").out)
    assert (facts["book"], facts["written"], facts["length"], facts["unit"]) == ("lamp", 12, 9000, "words")
    assert (facts["calls"], facts["cost_micros"], facts["input_tokens"]) == (3, 13_500, 3_600)


def test_status_of_no_books_creates_nothing(cli, home):
    outcome = cli("status", "--json")

    assert (outcome.code, json.loads(outcome.out)) == (0, [])
    assert not home.exists()


def test_status_of_one_book_names_place_cost_and_roles(cli, book):
    text = cli("status", "la").out

    for fact in ('chapter 3 "The Ship" (1.3)', "$0.0135", "3 calls", "12 of 9,000 words", "not begun"):
        assert fact in text
    facts = json.loads(cli("status", "lamp", "--json").out)
    assert facts["next"] == "1.3 plan"
    assert facts["roles"][0] | {"failed": 1} == facts["roles"][0]
    assert [place["node"] for place in facts["path"]] == ["1", "1.3"]


def test_status_tells_a_dead_writer_from_a_living_one(cli, book):
    with book.write() as stores:
        stores.books.change("lamp", state="writing")
    assert json.loads(cli("status", "lamp", "--json").out)["state"] == "interrupted"

    with book.write() as stores:
        lease = Lease.take(stores.connection, "lamp", "somebody", 60)
    assert json.loads(cli("status", "lamp", "--json").out)["state"] == "writing"

    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    with book.write() as stores:
        lease.release(stores.connection)
        Lease.take(stores.connection, "lamp", f"process {dead.pid} on {socket.gethostname()}", 60)
    assert json.loads(cli("status", "lamp", "--json").out)["state"] == "interrupted"


def test_the_tree_is_in_reading_order_and_can_be_cut(cli, book):
    labels = [node["node"] for node in json.loads(cli("tree", "lamp", "--planning", "--json").out)]
    assert labels == ["1", "1.1", "1.2", "1.3", "1.4"]

    assert len(cli("tree", "lamp", "--depth", 0).out.splitlines()) == 1
    assert '1.4 design "Motive"' in cli("tree", "lamp", "--planning").out
    assert "Motive" not in cli("tree", "lamp").out


@pytest.mark.parametrize("words", ["chapter 1", "Chapter 1", "ch. 1", "第1章", "1.1"])
def test_every_notation_of_a_chapter_names_the_same_node(cli, book, words):
    named = json.loads(cli("show", "lamp", words, "--json").out)["node"]
    read = json.loads(cli("read", "lamp", "--node", words, "--json").out)

    assert (named["label"], read["node"]) == ("1.1", "1.1")
    assert json.loads(cli("show", "lamp", named["title"].upper(), "--json").out)["node"]["label"] == "1.1"
    assert f'chapter 1 "{named["title"]}" (1.1)' in cli("tree", "lamp").out
    assert cli("history", "lamp", words).code == cli("log", "lamp", words).code == 0


def test_a_title_that_may_be_more_than_one_chapter_lists_them(cli, book):
    outcome = cli("show", "lamp", "the")

    assert (outcome.code, outcome.out) == (2, "")
    assert "'the' may be any of" in outcome.err
    assert "chapter 1 " in outcome.err


def test_a_register_takes_the_same_notation(cli, book):
    title = json.loads(cli("show", "lamp", "1.1", "--json").out)["node"]["title"]

    told = [
        json.loads(cli("secrets", "add", "lamp", f"She lied {number}.", "--revealed-at", place, "--json").out)
        for number, place in enumerate(["chapter 2", "2", title])
    ]

    assert [one["revealed_at"] for one in told] == [2, 2, "1.1"]


def test_a_node_is_shown_with_all_versions_and_attempts(cli, book):
    facts = json.loads(cli("show", "lamp", "1.4", "--json", "--texts").out)

    assert [(entry["kind"], entry["version"]) for entry in facts["documents"]] == [("design", 1), ("design", 2)]
    assert facts["texts"] == {"design": "She waits for her brother."}
    assert [(step["attempt"], step["failure"]) for step in facts["steps"]] == [(1, "unparsable"), (2, None)]
    text = cli("show", "lamp", "1.4").out
    assert "Say why she stays." in text
    assert "FAILED unparsable: is no JSON" in text


def test_steps_below_a_node_are_not_its_own(cli, book):
    assert json.loads(cli("show", "lamp", "1", "--json").out)["steps"] == []


def test_reading_takes_brackets_literally(cli, book):
    text = cli("read", "lamp").out

    assert text.startswith("Night Watch\n\nChapter 1: The Lamp\n\nRain fell. The [red] lamp went out.\n")
    assert cli("read", "lamp", "--node", "1.2").out == "\nChapter 2: The Log\n\nShe read her own hand.\n"
    assert json.loads(cli("read", "lamp", "--node", "1.2", "--json").out)["text"].endswith("her own hand.\n")


def test_the_log_gives_a_line_an_attempt_and_can_be_narrowed(cli, book):
    assert len(cli("log", "lamp").out.splitlines()) == 3
    assert [json.loads(line)["step"] for line in cli("log", "lamp", "1.1", "--json").out.splitlines()] == ["draft"]
    first = json.loads(cli("log", "lamp", "--json").out.splitlines()[0])
    assert len(cli("log", "lamp", "--after", first["id"]).out.splitlines()) == 2


def test_a_prompt_is_shown_as_it_was_asked(cli, book):
    step = json.loads(cli("log", "lamp", "1.1", "--json").out)["id"]

    assert cli("prompt", "lamp", step).out == "The frame.\n\nAsk for draft.\n"
    assert json.loads(cli("prompt", "lamp", step, "--json").out)["reply"] == "Rain fell."
    assert "Rain fell." in cli("prompt", "lamp", step, "--reply").out


def test_an_export_lies_in_the_data_folder_or_where_it_is_told(cli, book, home, tmp_path):
    facts = json.loads(cli("export", "lamp", "--to", "txt", "--json").out)
    assert facts["file"] == str(home / "exports" / "lamp.txt")
    assert facts["bytes"] == (home / "exports" / "lamp.txt").stat().st_size

    assert cli("export", "lamp", "--to", "md", "--output", tmp_path / "x.md").code == 0
    assert "Rain fell." in (tmp_path / "x.md").read_text()


@pytest.mark.parametrize(
    "arguments",
    [("status", "nobody"), ("tree", "nobody"), ("show", "nobody", "1"), ("read", "nobody"), ("log", "nobody"),
     ("prompt", "nobody", "1"), ("export", "nobody"), ("brief", "nobody"), ("archive", "nobody"),
     ("delete", "nobody", "--yes"), ("pause", "nobody"), ("resume", "nobody")],
)  # fmt: skip
def test_an_unknown_book_is_bad_input_and_creates_nothing(cli, home, arguments):
    outcome = cli(*arguments)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("bookwright: there is no book 'nobody'")
    assert not home.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "lamp", "1.9"), "book 'lamp' has no node '1.9'"),
        (("read", "lamp", "--node", "1.3"), 'nothing of chapter 3 "The Ship" (1.3) in book'),
        (("log", "lamp", "9"), "there is no chapter 9; the book has"),
        (("show", "lamp", "nothing"), "nothing of the book is called 'nothing'"),
        (("prompt", "lamp", "999"), "book 'lamp' has no step 999"),
        (("prompt", "lamp", "first"), "nothing of the book is called 'first'"),
        (("prompt", "lamp", "1.2"), 'no step of chapter 2 "The Log" (1.2) is on record'),
        (("export", "lamp", "--to", "pdf"), "no export format is called 'pdf'"),
        (("tree", "lamp", "--depth", "-1"), "Invalid value for '--depth'"),
    ],
)
def test_what_is_not_in_the_book_is_bad_input(cli, book, arguments, message):
    outcome = cli(*arguments)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"bookwright: {message}")
    assert len(outcome.err.splitlines()) == 1


def test_status_calls_a_book_that_was_handed_in_again_queued_until_it_is_taken(cli, settings, book):
    with queued(settings, "lamp", "ship"):
        assert [line.split()[:2] for line in cli("status").out.splitlines()[1:]] == [
            ["lamp", "queued"],
            ["ship", "queued"],
        ]
        assert [row["state"] for row in json.loads(cli("status", "--json").out)] == ["queued", "queued"]
        cli("pause", "lamp")
        assert cli("status", "lamp").out.splitlines()[2].split(maxsplit=1)[1].strip() == "queued - asked to rest"

        with book.write() as stores:
            stores.books.change("lamp", state="writing")
            known = stores.books.get("lamp").stop_requested_at  # its run was handed in after that
            Lease.take(stores.connection, "lamp", "somebody", 60, wished_since=known)
        assert json.loads(cli("status", "lamp", "--json").out)["state"] == "writing"


def test_status_shows_what_is_left_of_the_studios_cap(cli, book, monkeypatch):
    assert "studio" not in cli("status").out
    monkeypatch.setenv("BOOKWRIGHT_STUDIO_USD", "5")

    for text in (cli("status").out, cli("status", "lamp").out):
        assert "$0.0135 of $5.00 spent, $0.00 handed to running books" in text
    facts = json.loads(cli("status", "lamp", "--json").out)["studio"]
    assert (facts["cap_micros"], facts["spent_micros"], facts["cap_tokens"]) == (5_000_000, 13_500, None)


@pytest.mark.parametrize("node", ["chapter 1", "1.1", "The Lamp"])
def test_the_prompt_of_a_node_is_that_of_its_newest_step(cli, book, node):
    outcome = cli("prompt", "lamp", node)

    assert outcome.out == cli("prompt", "lamp", "3").out
    assert (
        outcome.err == 'step 3, the newest of chapter 1 "The Lamp" (1.1); `bookwright log lamp 1.1` lists the others\n'
    )


def test_every_list_names_a_chapter_as_verbs_take_it(cli, book):
    logged = cli("log", "lamp").out.splitlines()[-1]

    assert "  chapter 1 write/draft  " in logged
    assert cli("log", "lamp", "chapter 1").out.splitlines() == [logged]
    assert cli("show", "lamp", "chapter 1").out.startswith('node    chapter 1 "The Lamp" (1.1)')
