"""`timeline`: an author says when units are set, and sees the order of the story."""

import json
from typing import Any

from bookwright.storage.stores import BookStorage
from tests.cli.conftest import Cli


def rows(cli: Cli) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(cli("timeline", "lamp", "--json").out)["rows"]
    return found


def test_an_author_sets_times_and_sees_the_flashback(cli: Cli, book: BookStorage) -> None:
    assert "No unit has a time yet" in cli("timeline", "lamp").out
    cli("timeline", "lamp", "1.1", "--when", "Monday, 12 March 1923")
    cli("timeline", "lamp", "1.2", "--when", "ten years before chapter 1")

    done = cli("timeline", "lamp", "1.3", "--when", "Friday, 13 March 1923")

    assert done.code == 0
    assert "error in 1.3: Friday, 13 March 1923" in done.out
    assert [(row["label"], row["turn"]) for row in rows(cli)] == [("1.2", "flashback"), ("1.1", "on"), ("1.3", "on")]
    assert "(flashback, ten years before chapter 1)" in cli("tree", "lamp").out
    assert cli("timeline", "lamp").out.index("ten years") < cli("timeline", "lamp").out.index("Monday")
    assert '"when": "ten years before chapter 1"' in cli("show", "lamp", "1.2", "--json").out


def test_what_cannot_be_compared_is_kept_in_words_until_it_is_sorted(cli: Cli, book: BookStorage) -> None:
    fox = cli("timeline", "lamp", "1.1", "--when", "the Year of the Fox")
    cli("timeline", "lamp", "1.2", "--when", "the Year of the Hare")
    before = rows(cli)

    cli("timeline", "lamp", "1.1", "--when", "the Year of the Fox", "--order", "2")
    cli("timeline", "lamp", "1.2", "--when", "the Year of the Hare", "--order", "1")

    assert "--order NUMBER sorts them" in fox.err
    assert {row["turn"] for row in before} == {"open"}
    assert [row["label"] for row in rows(cli)][:2] == ["1.2", "1.1"]
    cli("timeline", "lamp", "1.1", "--clear")
    assert {row["label"]: row["when"] for row in rows(cli)}["1.1"] == ""


def test_what_cannot_be_set_is_refused_and_nothing_is_changed(cli: Cli, book: BookStorage) -> None:
    refused = [
        cli("timeline", "lamp", "1.1", "--when", "a day after 1.1"),
        cli("timeline", "lamp", "1.9", "--when", "day 1"),
        cli("timeline", "lamp", "1.1"),
        cli("timeline", "lamp", "--when", "day 1"),
        cli("timeline", "lamp", "1.1", "--when", "  "),
        cli("timeline", "lamp", "1.1", "--when", "day 1", "--clear"),
        cli("timeline", "lamp", "1.1", "--clear", "--order", "3"),
    ]

    assert all(outcome.code != 0 and outcome.err and "Traceback" not in outcome.err for outcome in refused)
    assert {row["when"] for row in rows(cli)} == {""}


def test_what_happens_and_who_knows_it_is_said_of_records_and_looked_at_from_any_time(
    cli: Cli, book: BookStorage
) -> None:
    cli("timeline", "lamp", "1.1", "--when", "day 1")
    cli("codex", "add", "lamp", "Mira", "--section", "scar=A burn.", "--happens-at", "day 3")
    cli("secrets", "add", "lamp", "She set the fire.", "--id", "fire", "--known-by", "Tom=day 5", "--known-by", "Mira")

    [secret] = json.loads(cli("secrets", "lamp", "--json").out)
    now = cli("codex", "seen", "lamp", "1.1").out

    assert [(own["name"], own["since"] and own["since"]["when"]) for own in secret["known_by"]] == [
        ("Tom", "day 5"), ("Mira", None),
    ]  # fmt: skip
    assert "scar: A burn." not in now
    assert "character.Mira" in now
    assert "scar: A burn." in cli("codex", "seen", "lamp", "1.1", "--story-now", "day 4").out
