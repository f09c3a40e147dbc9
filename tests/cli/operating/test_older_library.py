"""A library of an earlier version (revision 0013, half a book): opened, gone on with, exported."""

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.places import RECORDED

BOOK = "a-keeper-finds-a-log-that-is-written-in-1235da"


@pytest.fixture
def older(home: Path) -> None:
    home.mkdir()
    script = gzip.decompress((RECORDED / "library-0013.sql.gz").read_bytes()).decode()
    with closing(sqlite3.connect(home / "bookwright.db")) as database:
        database.executescript(script)


def steps_of(cli: Cli) -> list[dict[str, Any]]:
    return [json.loads(line) for line in cli("log", BOOK, "--json").out.splitlines()]


@pytest.mark.usefixtures("older")
def test_its_book_is_gone_on_with_and_nothing_is_paid_again(cli: Cli) -> None:
    before = json.loads(cli("status", BOOK, "--json").out)
    asked = steps_of(cli)

    done = cli("resume", BOOK, "--no-prefect", "--json")

    assert (done.code, before["state"]) == (0, "paused")
    after, steps = json.loads(cli("status", BOOK, "--json").out), steps_of(cli)
    assert after["state"] == "finished"
    assert before["written"] < 2_300 < after["written"] < 2_500
    assert [step["id"] for step in steps][: len(asked)] == [step["id"] for step in asked]
    assert len(steps) > len(asked) > 10


@pytest.mark.usefixtures("older")
def test_what_is_there_of_it_is_exported_and_comes_back(cli: Cli, tmp_path: Path) -> None:
    text, whole = tmp_path / "book.md", tmp_path / "book.json"

    assert cli("export", BOOK, "--to", "md", "--output", text).code == 0
    assert cli("export", BOOK, "--to", "json", "--output", whole).code == 0
    assert cli("import", whole, "--as", "again").code == 0

    assert len(text.read_text("utf-8").split()) > 1_200
    assert json.loads(cli("status", "again", "--json").out)["written"] == 1_259


@pytest.mark.usefixtures("older")
def test_a_step_of_that_version_is_not_rendered_anew_and_says_so(cli: Cli, tmp_path: Path) -> None:
    step = steps_of(cli)[0]["id"]
    edited = tmp_path / "edited.md.j2"
    edited.write_text("Say it otherwise.")

    shown = json.loads(cli("prompt", BOOK, step, "--with", edited, "--json").out)

    assert shown["is_of_older_version"] is True
