"""`gates`, `approve`, `reject`, and what `write` does at a gate."""

import json
import os
import pty
import re
import select
import time
from pathlib import Path

import pytest

from bookwright.cli.access import open_book
from bookwright.cli.steering.gates import decide_here
from bookwright.models.gate import FallbackHistory, GateKind, GateState, Refusal
from tests.cli.conftest import Cli, Outcome
from tests.support.forks import Forks

pytestmark = pytest.mark.usefixtures("library")

BRIEF = ("--premise", "A keeper of a lighthouse counts ships.", "--words", "900", "--profile", "economy")
WRITE = ("write", *BRIEF, "--no-prefect", "--gate", "outline")
BOOK = "a-keeper-of-a-lighthouse"


def facts(outcome: Outcome) -> dict:
    found: dict = json.loads(outcome.out)
    return found


def test_a_book_that_waits_leaves_with_a_code_of_its_own_and_says_how_to_decide(cli: Cli) -> None:
    outcome = cli(*WRITE)

    assert outcome.code == 5
    assert re.search(
        r"^bookwright: gate 1, outline of the book, waits for a decision\. `bookwright approve ", outcome.err, re.M
    )
    assert "or `bookwright reject" in outcome.err


def test_the_gate_stands_in_the_json_of_write_status_and_gates(cli: Cli) -> None:
    written = cli(*WRITE, "--json")
    status, listed = facts(cli("status", BOOK, "--json")), json.loads(cli("gates", "--json").out)

    assert (written.code, facts(written)["state"]) == (5, "waiting")
    assert facts(written)["gate"] == status["gates"][0] == listed[0]
    assert (status["state"], listed[0]["kind"], listed[0]["state"]) == ("waiting", "outline", "waiting")


def test_an_approved_book_goes_on_to_its_end(cli: Cli) -> None:
    cli(*WRITE)
    approved = cli("approve", BOOK)
    resumed = cli("resume", BOOK, "--no-prefect", "--json")

    assert (approved.code, approved.out) == (0, "")
    assert re.fullmatch(r"gate 1, outline of the book, is approved; `bookwright resume .*` goes on\n", approved.err)
    assert resumed.code == 0
    assert cli("gates").err == "no gate waits\n"


def test_a_rejected_plan_waits_again_once_it_is_made_anew(cli: Cli) -> None:
    cli(*WRITE)
    rejected = facts(cli("reject", BOOK, "outline", "--note", "Less weather.", "--json"))
    resumed = cli("resume", BOOK, "--no-prefect")

    assert (rejected["state"], rejected["note"], rejected["by"], rejected["went_on"]) == (
        "rejected", "Less weather.", "command", "",
    )  # fmt: skip
    assert (resumed.code, "gate 2, outline of the book" in resumed.err) == (5, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("reject", BOOK), "a rejection needs a note"),
        (("reject", BOOK, "--note", " \x00 "), "a rejection needs a note"),
        (("reject", BOOK, "--note", "x" * 10_001), "it may have 10,000"),
        (("approve", BOOK, "99"), "no gate '99' of book"),
        (("approve", BOOK, "chapter"), "no gate 'chapter' of book"),
        (("approve", BOOK, "--text", "nothing.txt"), "cannot be read"),
        (("approve", "no-such-book"), "there is no book"),
        (("gates", "--show"), "--show takes a book"),
    ],
)
def test_what_decides_nothing_is_refused_and_the_gate_waits_on(
    cli: Cli, arguments: tuple[str, ...], words: str
) -> None:
    cli(*WRITE)
    outcome = cli(*arguments)

    assert (outcome.code, words in outcome.err) == (2, True)
    assert [gate["state"] for gate in json.loads(cli("gates", "--json").out)] == ["waiting"]


def test_a_second_decision_is_told_of_the_first(cli: Cli) -> None:
    cli(*WRITE)
    cli("approve", BOOK, "1")
    outcome = cli("reject", BOOK, "1", "--note", "No.")

    assert (outcome.code, "was approved already; the first decision stands" in outcome.err) == (2, True)


def test_what_a_gate_is_about_is_shown(cli: Cli) -> None:
    cli(*WRITE)

    shown, as_json = cli("gates", BOOK, "--show").out, facts(cli("gates", BOOK, "--show", "--json"))

    assert shown.startswith("1.1 design: ")
    assert as_json["subject"] == shown.rstrip("\n")


def test_a_text_of_ones_own_takes_the_place_of_a_refused_draft(cli: Cli, home: Path, tmp_path: Path) -> None:
    cli(*WRITE, "--until", "book:1")
    cli("approve", BOOK)
    with open_book(BOOK) as opened, opened.storage.write() as stores:
        history = FallbackHistory(draft="It was the mayor.", refusals=(Refusal(reasons=("It names him.",)),))
        stores.gates.open(stores.nodes.root(), GateKind.HUMAN_FALLBACK, history=history)
    file = tmp_path / "own.txt"
    file.write_text("﻿It was nobody.\n", encoding="utf-8")

    shown = cli("gates", BOOK, "--show").out
    assert cli("approve", BOOK, "--text", file).code == 0

    assert shown == "It was the mayor.\n\nRefusal 1:\n- It names him.\n"
    with open_book(BOOK) as opened, opened.storage.read() as stores:
        assert stores.gates.all()[-1].ruling.text == "It was nobody."


def test_a_draft_stands_before_its_refusals_and_hits_of_one_kind_in_one_line(cli: Cli, home: Path) -> None:
    cli(*WRITE, "--until", "book:1")
    cli("approve", BOOK)
    hits = tuple(f"keyword (critical) [secret-1]: 'forger' stands here: “the forger {number}”" for number in range(200))
    with open_book(BOOK) as opened, opened.storage.write() as stores:
        history = FallbackHistory(
            draft="It was the mayor.", refusals=(Refusal(reasons=(*hits, "over_hinting: it winks")),)
        )
        stores.gates.open(stores.nodes.root(), GateKind.HUMAN_FALLBACK, history=history)

    shown = cli("gates", BOOK, "--show").out.splitlines()

    kind = "- keyword (critical) [secret-1]: 'forger' stands here, 200 times"
    places = "“the forger 0”, “the forger 1”, “the forger 2” and 197 more"
    assert shown == ["It was the mayor.", "", "Refusal 1:", f"{kind}: {places}", "- over_hinting: it winks"]


def test_a_chapter_stands_before_what_its_reviews_say(cli: Cli) -> None:
    cli("write", *BRIEF[:4], "--profile", "standard", "--no-prefect", "--gate", "chapter")

    shown = facts(cli("gates", BOOK, "--show", "--json"))
    page = cli("gates", BOOK, "--show").out

    assert shown["subject"].strip() == page.strip()
    assert shown["reviews"][0].startswith("scores: overall ")
    assert page.index("What its reviews say:") > 500
    assert all(f"- {line}" in page for line in shown["reviews"])


def test_the_question_has_no_answer_of_its_own(cli: Cli) -> None:
    cli(*WRITE)
    answers = iter(["", "y", "reject", " ", "show", "rej", "Less weather."])
    with open_book(BOOK) as opened:
        with opened.storage.read() as stores:
            [gate] = stores.gates.waiting()
        assert decide_here(gate, opened.storage, lambda question: next(answers))

        with opened.storage.read() as stores:
            found = stores.gates.get(gate.id)
    assert (found.state, found.note, found.by) == (GateState.REJECTED, "Less weather.", "prompt")
    assert next(answers, None) is None


def test_a_gate_is_left_for_later_at_the_prompt(cli: Cli) -> None:
    cli(*WRITE)
    with open_book(BOOK) as opened:
        with opened.storage.read() as stores:
            [gate] = stores.gates.waiting()

        assert not decide_here(gate, opened.storage, lambda question: "later")
        with opened.storage.read() as stores:
            assert stores.gates.get(gate.id).is_waiting


def test_write_asks_in_a_terminal_and_goes_on_at_once(home: Path, prefect_forks: Forks) -> None:
    master, slave = pty.openpty()
    process = prefect_forks.begin(["bookwright", *WRITE], os.environ, [slave] * 3)
    os.close(slave)
    said = _talk(master, {"approve, reject, show or later": "approve\n"})
    code = process.wait()
    os.close(master)

    assert code == 0, said
    assert "rests: gate 1, outline of the book" in said
    assert "is finished" in said


def _talk(terminal: int, answers: dict[str, str]) -> str:
    """Answer what is asked, once each, and return all that was said."""
    said, deadline = "", time.monotonic() + 240
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        said += piece.decode("utf-8", "replace")
        for question in [question for question in answers if question in said]:
            os.write(terminal, answers.pop(question).encode())
    return said
