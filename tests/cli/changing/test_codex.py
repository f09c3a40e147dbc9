"""`codex`, `secrets` and `foreshadowing`: the author's hand on what the story knows, while the book rests."""

import json
from pathlib import Path
from typing import Any

import pytest

from bookwright.flows.library import find_or_create
from bookwright.models.book import BookState
from bookwright.models.codex.record import RecordKind
from bookwright.models.step import Activity, Reply, StepKey
from bookwright.storage.engine.database import open_database
from bookwright.storage.lease import Lease
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from tests.cli.conftest import Cli
from tests.support.books import make_brief_of

SECRETS = """
[[secrets]]
content = "She wrote the log herself."
revealed_at = 2
forbidden_keywords = ["own hand"]

[[secrets]]
id = "heir"
content = "她是女王的女儿。"
importance = "critical"
"""


def told(cli: Cli, *arguments: Any) -> Any:
    outcome = cli(*arguments, "--json")
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def test_an_entry_is_added_changed_and_shown_with_its_history(cli: Cli, book: BookStorage) -> None:
    cli("codex", "add", "lamp", "Mira", "--alias", "米拉", "--section", "look=Tall.", "--visibility", "know")
    cli("codex", "edit", "lamp", "米拉", "--section", "fear=Water.", "--known-from", "2", "--set", "name=Myra")

    shown, versions = told(cli, "codex", "show", "lamp", "mira"), told(cli, "codex", "history", "lamp", "MYRA")
    sections = [(one["name"], one["visibility"], one["known_from"]) for one in shown["sections"]]
    assert (shown["name"], shown["version"], sections) == ("Myra", 2, [("look", 2, None), ("fear", 3, 2)])
    assert [(one["version"], one["origin"]) for one in versions] == [(1, "author"), (2, "author")]
    assert {'-name = "Mira"', '+name = "Myra"'} < set(versions[1]["diff"])
    assert [one["id"] for one in told(cli, "codex", "lamp")] == ["mira"]


def test_a_history_shows_changed_lines_whatever_they_begin_with(cli: Cli, book: BookStorage) -> None:
    cli("codex", "add", "lamp", "Mira", "--section", "look=Tall.\n-- said the log\n++ said the keeper")
    cli("codex", "edit", "lamp", "mira", "--section", "look=Tall.\n-- said the sea\n@@ said nobody")

    versions = told(cli, "codex", "history", "lamp", "mira")

    changed = {"--- said the log", "-++ said the keeper", "+-- said the sea", "+@@ said nobody"}
    assert {line.removesuffix('"""') for line in versions[1]["diff"]} == changed


def test_a_secret_has_a_number_for_an_id_and_is_kept_once(cli: Cli, book: BookStorage, tmp_path: Path) -> None:
    file = tmp_path / "secrets.toml"
    file.write_text(SECRETS, encoding="utf-8")
    cli("secrets", "add", "lamp", "She is dead.")
    cli("secrets", "remove", "lamp", "secret-1")
    cli("secrets", "add", "lamp", "--file", file)

    again = cli("secrets", "add", "lamp", "she wrote THE log herself.")

    assert [one["id"] for one in told(cli, "secrets", "list", "lamp")] == ["secret-2", "heir"], "no number twice"
    assert (again.code, "'secret-2' says the same" in again.err) == (2, True)
    rows = [line.split()[:2] for line in cli("secrets", "list", "lamp").out.splitlines()]
    assert rows[1:3] == [["2", "secret-2"], ["1", "heir"]], "by its number a secret is named without its id"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["secrets", "add", "lamp", "x", "--revealed-at", "99"], "has no more than"),
        (["secrets", "add", "lamp", "x", "--revealed-at", "1.1.9"], "has no such unit"),
        (
            ["codex", "add", "lamp", "Mira", "--section", "past=x", "--known-from", "99"],
            "known_from of 'past' is chapter",
        ),
        (["foreshadowing", "add", "lamp", "Bell", "--plant-at", "3", "--payoff-at", "1"], "before it is planted"),
        (
            ["foreshadowing", "add", "lamp", "Bell", "--plant-at", "1", "--payoff-at", "2", "--reinforce-at", "3"],
            "after it is paid off",
        ),
    ],
)
def test_a_place_that_the_book_cannot_have_is_refused(
    cli: Cli, book: BookStorage, arguments: list[str], said: str
) -> None:
    outcome = cli(*arguments)

    assert (outcome.code, said in outcome.err) == (2, True)
    assert told(cli, arguments[0], "list", "lamp") in (
        [],
        {"at": "1.2", "chapter": 2, "threads": [], "alerts": [], "suggestions": []},
    )


def test_what_was_begun_before_a_secret_was_added_is_begun_again(cli: Cli, book: BookStorage) -> None:
    with book.write() as stores:
        unit = stores.nodes.by_label("1.3")
        lease = Lease.take(stores.connection, "lamp", "worker 7 on elsewhere", 60)
    key = StepKey(book="lamp", node=unit.key, revision=1, activity=Activity.WRITE, round=0, step="revise_leak.1")
    Journal(book, lease).record(Attempt(key, 1, "writer", "story/x", ("ask",), Reply(text="@gap 1", model="none")))
    with book.write() as stores:
        lease.release(stores.connection)

    cli("secrets", "add", "lamp", "She is dead.")

    with book.read() as stores:
        assert stores.nodes.get(unit.key).revision == 2


def test_a_book_that_is_being_written_is_not_edited(cli: Cli, book: BookStorage) -> None:
    with book.write() as stores:
        Lease.take(stores.connection, "lamp", "worker 7 on elsewhere", 60)

    outcome = cli("secrets", "add", "lamp", "She is dead.")

    assert (outcome.code, "worker 7" in outcome.err) == (3, True)
    assert told(cli, "secrets", "list", "lamp") == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["secrets", "add", "lamp", "x", "--visibility", "4"], "is no visibility"),
        (["secrets", "add", "lamp", "x", "--revealed-at", "1.0"], "is no place"),
        (["secrets", "add", "lamp"], "content"),
        (["secrets", "edit", "lamp", "nobody", "--notes", "x"], "has no secret 'nobody'; there is none yet"),
        (["codex", "add", "lamp", "Mira", "--section", "Tall"], "--section takes NAME=TEXT"),
        (["codex", "add", "lamp", "Mira", "--phase", "youth"], "--phase goes with a --section"),
        (["codex", "add", "lamp", "Mira", "--section", "a=b", "--phase", "youth"], "has no phase 'youth'"),
        (["codex", "take", "lamp", "7"], "no suggestion 7 waits"),
        (["codex", "seen", "lamp", "1.99"], "no node '1.99'"),
        (["foreshadowing", "add", "lamp", "Ring", "--after", "x/gone"], "prerequisite"),
        (["foreshadowing", "list", "lamp", "--pacing", "brisk"], "is no pacing"),
        (["foreshadowing", "record", "lamp", "ring", "reveal", "--at", "1.1"], "has no thread 'ring'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_and_nothing_is_written(
    cli: Cli, book: BookStorage, arguments: list[str], said: str
) -> None:
    outcome = cli(*arguments)

    assert (outcome.code, said in outcome.err, outcome.err.count("\n")) == (2, True, 1)
    with book.read() as stores:
        assert [stores.codex.current(kind) for kind in RecordKind] == [[], [], []]


def test_a_file_of_secrets_goes_in_whole_or_not_at_all_and_comes_out_the_same(
    cli: Cli, book: BookStorage, tmp_path: Path
) -> None:
    good, bad, out = (tmp_path / name for name in ("good.toml", "bad.toml", "out.toml"))
    good.write_text(SECRETS, encoding="utf-8")
    bad.write_text(SECRETS + '[[secrets]]\ncontent = "x"\nvisibility = 9\n', encoding="utf-8")

    refused = cli("secrets", "import", "lamp", bad)
    assert (refused.code, told(cli, "secrets", "lamp")) == (2, [])
    cli("secrets", "import", "lamp", good)
    before = told(cli, "secrets", "lamp")
    cli("secrets", "export", "lamp", out)
    cli("secrets", "import", "lamp", out)

    assert [one["id"] for one in before] == ["secret-1", "heir"]
    assert told(cli, "secrets", "lamp") == before


def test_an_edit_of_a_version_that_is_no_longer_current_is_refused(cli: Cli, book: BookStorage) -> None:
    cli("secrets", "add", "lamp", "She is dead.", "--id", "dead")
    cli("secrets", "edit", "lamp", "dead", "--notes", "a", "--version", "1")

    outcome = cli("secrets", "edit", "lamp", "dead", "--notes", "b", "--version", "1")

    assert (outcome.code, "stands at version 2 by now" in outcome.err) == (2, True)
    assert told(cli, "secrets", "show", "lamp", "dead")["notes"] == "a"


def test_the_board_shows_where_threads_stand_and_what_wants_looking_after(cli: Cli, book: BookStorage) -> None:
    cli("foreshadowing", "add", "lamp", "The ring", "--seed", "A ring.", "--plant-at", "1", "--payoff-at", "3")
    cli("foreshadowing", "add", "lamp", "The bell", "--after", "the-ring/revealed", "--plant-at", "1")
    refused = cli("foreshadowing", "edit", "lamp", "the-ring", "--status", "revealed")
    cli("foreshadowing", "record", "lamp", "the-ring", "plant", "--at", "1.1", "--words", "A ring lay there.")

    board = told(cli, "foreshadowing", "lamp", "--pacing", "1/1")
    text = cli("foreshadowing", "lamp").out

    threads = {one["id"]: (one["status"], one["silence"], one["effective_level"]) for one in board["threads"]}
    assert "cannot become revealed; it can become abandoned, planted" in refused.err
    assert (board["chapter"], threads) == (2, {"the-ring": ("planted", 1, 2), "the-bell": ("registered", None, 0)})
    assert [(alert["type"], alert["foreshadowing_id"]) for alert in board["alerts"]] == [
        ("payoff_reminder", "the-ring"), ("long_silence", "the-ring"), ("missed_planting", "the-bell"),
    ]  # fmt: skip
    assert text.index("registered (1)") < text.index("planted (1)") < text.index("alerts")


def test_what_a_writer_may_know_of_a_unit_is_shown_apart_from_what_is_kept(cli: Cli, book: BookStorage) -> None:
    cli(
        "secrets",
        "add",
        "lamp",
        "She wrote the log herself.",
        "--id",
        "log",
        "--forbid",
        "herself",
        "--revealed-at",
        "2",
    )
    cli("codex", "add", "lamp", "Mira", "--section", "look=Tall. She did it herself.")

    first, second = (told(cli, "codex", "seen", "lamp", node) for node in ("1.1", "1.2"))

    assert [one["text"] for one in first["writer"]["entries"][0]["sections"]] == ["Tall."]
    assert "herself" not in json.dumps(first["writer"])
    assert first["reviewer"]["excluded_sections"] == ["character.Mira/look", "secret.log"]
    assert second["writer"]["facts"] == []
    assert [one["content"] for one in second["writer"]["reveals"]] == ["She wrote the log herself."]


def test_a_briefs_secrets_and_threads_are_in_the_codex_when_the_book_is_begun(cli: Cli, settings: Any) -> None:
    brief = make_brief_of(
        secrets=[{"content": "She wrote the log."}], foreshadowing=[{"title": "The ring"}], default_visibility=0
    )
    cli("db", "upgrade")
    database = open_database(settings)
    book = find_or_create(database, brief)
    again = find_or_create(database, brief)
    storage = BookStorage(database, book.id, book.brief.language)

    with storage.read() as stores:
        ids = [*(one.id for one in stores.codex.secrets()), *(one.id for one in stores.codex.threads())]
    assert (ids, again.id, book.state) == (["secret-1", "the-ring"], book.id, BookState.PAUSED)
    assert (book.brief.secrets, book.brief.foreshadowing, book.brief.default_visibility) == ((), (), 0)
    cli("codex", "add", book.id, "Noor", "--section", "look=Thin.")
    assert told(cli, "codex", "show", book.id, "noor")["sections"][0]["visibility"] == 0
    database.dispose()


def test_two_entries_that_mean_one_are_put_together_and_taken_apart_again(cli: Cli, book: BookStorage) -> None:
    cli("codex", "add", "lamp", "Mira", "--section", "look=Tall.")
    cli("codex", "add", "lamp", "The Stranger", "--section", "fear=Water.", "--id", "stranger")
    cli("secrets", "add", "lamp", "She is the heir.", "--id", "heir", "--about", "stranger")

    merged = told(cli, "codex", "merge", "lamp", "Mira", "stranger")
    listed = told(cli, "codex", "lamp")
    about = told(cli, "secrets", "show", "lamp", "heir")["related_entity"]
    for entry, version in (("mira", 1), ("stranger", 1)):
        assert cli("codex", "restore", "lamp", entry, version).code == 0

    assert (merged["removed"], merged["renamed_in"], about) == ("stranger", ["heir"], "mira")
    assert [(one["name"], one["aliases"]) for one in listed] == [("Mira", ["The Stranger"])]
    assert [one["name"] for one in listed[0]["sections"]] == ["look", "fear"]
    apart = {one["id"]: (one["name"], one["aliases"], one["version"]) for one in told(cli, "codex", "lamp")}
    assert apart == {"mira": ("Mira", [], 3), "stranger": ("The Stranger", [], 3)}
    versions = told(cli, "codex", "history", "lamp", "stranger")
    assert [(one["origin"], one["is_removed"]) for one in versions] == [
        ("author", False),
        ("author", True),
        ("author", False),
    ]


@pytest.mark.parametrize(("version", "said"), [("7", "it has 1 to 1"), ("1", "already")])
def test_a_version_that_stands_or_never_was_is_not_taken_up(
    cli: Cli, book: BookStorage, version: str, said: str
) -> None:
    cli("codex", "add", "lamp", "Mira")

    outcome = cli("codex", "restore", "lamp", "mira", version)

    assert (outcome.code, said in outcome.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("secrets", "add", "lamp", "She lied.", "--revealed-at", "99"), "has no more than"),
        (("secrets", "add", "lamp", "She lied.", "--revealed-at", "1.1.9"), "has no such unit"),
        (("secrets", "add", "lamp", "She lied.", "--revealed-at", "101%"), "is no place"),
        (
            ("foreshadowing", "add", "lamp", "The bell", "--plant-at", "2", "--payoff-at", "1"),
            "would be paid off (chapter 1) before it is planted (chapter 2)",
        ),
        (
            ("foreshadowing", "add", "lamp", "The bell", "--plant-at", "80%", "--payoff-at", "20%"),
            "before it is planted",
        ),
    ],
)
def test_a_place_that_a_book_cannot_have_is_refused_and_nothing_is_stored(
    cli: Cli, book: BookStorage, arguments: tuple[str, ...], problem: str
) -> None:
    outcome = cli(*arguments)

    assert outcome.code == 2
    assert problem in outcome.err
    with book.read() as stores:
        assert (stores.codex.secrets(), stores.codex.threads()) == ([], [])


def test_a_share_of_the_length_is_a_place(cli: Cli, book: BookStorage) -> None:
    cli("secrets", "add", "lamp", "She lied.", "--id", "lie", "--revealed-at", "95%")

    assert told(cli, "secrets", "show", "lamp", "lie")["revealed_at"] == "95%"
