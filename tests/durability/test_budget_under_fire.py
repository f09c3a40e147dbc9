"""Caps in money and tokens hold to the cent, judged by the provider's own ledger at prices of the test's own.

Source: issue "Nothing lost, nothing paid twice", item 4; DESIGN sections 7 and 16.
"""

import json
import os
import signal
import time
from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from bookwright import failpoints
from bookwright.agents.backends.retry import RetryPolicy
from bookwright.agents.backends.service import ModelService
from bookwright.failpoints import Failpoint
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.amount import Amount
from bookwright.models.book import Book, BookState
from bookwright.models.brief import Brief, make_brief
from bookwright.models.errors import BackendUnavailable, BookHeld, BookPaused
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.studio import Studio, StudioStanding
from bookwright.storage.tables import steps
from tests.durability.children import calls_in, in_child, provider
from tests.support.fake_provider import FakeProvider
from tests.support.novelist import write as novelist
from tests.support.postgres import PostgresServer

PRICES = {"fake": (3, 15), "dear": (6, 30)}
"""Dollars for a million tokens of prompt and of output, by model."""
TROUBLES = {2: "429", 4: "reset", 6: "no_usage", 9: "error_event", 11: "503", 12: "503"}
"""Of each 20 calls; two in a row make a call go to the dear model."""
FIRE = {20 * round_ + at: trouble for round_ in range(50) for at, trouble in TROUBLES.items()}
AUTHOR = ("--author", f"{__name__}:author")
TITLES = ("Tern", "Skua", "Knot")
ALONE = "Smew"
"""A book that nobody shares a cap with: a short one, which still takes long enough to meet each of the caps."""
BACKINGS = ["sqlite", pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.soak])]
Call = dict[str, Any]


@pytest.fixture(params=BACKINGS)
def database_url(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    if request.param == "sqlite":
        return ""
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.url(server.new_database(request.getfixturevalue("postgres_template")))


def settings_of(home: Path, url: str, **values: Any) -> Settings:
    """Settings in which a call is tried twice and then goes to a model twice as dear."""
    prices = {f"compatible:{name}": {"input": prompt, "output": output} for name, (prompt, output) in PRICES.items()}
    return load_settings(
        home=home, model="compatible:fake", fallbacks={"default": ("compatible:dear",)}, prices=prices,
        llm_base_url=url, embedding="hashing", lease_seconds=1, free_megabytes=0, **values,
    )  # fmt: skip


def brief_of(title: str) -> Brief:
    premise = f"A keeper reads the log of the {title}."
    return make_brief(
        {
            "premise": premise,
            "title": title,
            "length": 2_500 if title == ALONE else 6_000,
            "max_unit_length": 2_400,
            "profile": "economy",
            "max_planning_rounds": 1,
        }
    )


def author(prompt: str, schema: dict[str, Any] | None) -> str:
    """Answer as the novelist does, and plan something to be designed wherever tasks are planned."""
    answers = (novelist(prompt + " " * number, schema) for number in range(50))
    return next(text for text in answers if '"task_type"' not in text or '"design"' in text)


async def _no_rest(seconds: float) -> None:
    """Try again at once."""


def write(settings: Settings, title: str) -> None:
    """Write a book or go on with it until it is finished or rests, waiting for a dead worker's lease."""
    database = open_library(settings)
    models = ModelService(settings, policy=RetryPolicy(max_attempts=2, sleep=_no_rest))
    book = find_or_create(database, brief_of(title))
    while True:
        try:
            run_book(book.id, RunConfig(settings, database, models))
        except BookPaused as rest:
            if not isinstance(rest.__cause__, BackendUnavailable):
                break  # its row says why
            # beside other books one call may meet a trouble at every try: whoever waits for the book goes on
        except BookHeld:
            time.sleep(0.1)
        else:
            break
    models.close()
    database.dispose()


def write_in_children(settings: Settings, spec: str = "") -> list[int]:
    """Write all books side by side, a process each, the first one armed; returns how they ended."""

    def work(title: str) -> None:
        os.setpgid(0, 0)
        failpoints.arm(spec if title == TITLES[0] else "")
        write(settings, title)

    pids = [in_child(partial(work, title)) for title in TITLES]
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]


def look(settings: Settings) -> tuple[list[Book], StudioStanding, Amount]:
    """Return the books, where the studio stands, and what the journals hold, row by row."""
    database = open_library(settings)
    with database.read() as connection:
        tokens = func.sum(steps.c.input_tokens + steps.c.output_tokens)
        journal = connection.execute(select(func.sum(steps.c.cost), tokens)).one()
        found = BookRepository(connection).all(), Studio(connection).standing()
    database.dispose()
    return *found, Amount(*map(int, journal))


def cap_book(settings: Settings, title: str, **budget: Any) -> None:
    database = open_library(settings)
    book = find_or_create(database, brief_of(title))
    with database.write(Failpoint.EDIT_BOOK) as connection:
        BookRepository(connection).edit_brief(book.id, book.brief.changed(budget=budget))
    database.dispose()


def billed(calls: list[Call]) -> Amount:
    """What the provider asks for, by its own count; nothing for what it refused."""
    cost = tokens = 0
    for call in calls:
        prompt, output = PRICES[str(call["model"])]
        cost += call["billed_input"] * prompt + call["billed_output"] * output
        tokens += call["billed_input"] + call["billed_output"]
    return Amount(cost, tokens)


def paid_again(calls: list[Call]) -> int:
    """How many whole answers were paid for more than once."""
    whole = Counter(call["prompt_hash"] for call in calls if call["is_whole"])
    return sum(count - 1 for count in whole.values())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["usd", "tokens"])
def test_a_book_under_fire_never_passes_its_cap_however_often_it_is_raised(kind: str, tmp_path: Path) -> None:
    caps = {"usd": [0.12, 0.2, 50.0], "tokens": [15_000, 30_000, 9_000_000]}[kind]
    rests: list[str] = []
    with FakeProvider(script=FIRE, author=author) as fake:
        settings = settings_of(tmp_path, fake.url)
        for cap in caps:
            cap_book(settings, ALONE, **{kind: cap})
            before = len(fake.ledger)

            write(settings, ALONE)

            calls = [asdict(entry) for entry in fake.ledger]
            [book], _, journal = look(settings)
            bill = billed(calls)
            assert bill.cost <= journal.cost
            assert (bill.cost <= cap * 1_000_000) if kind == "usd" else (bill.tokens <= cap)
            assert journal == Amount(book.cost, book.tokens)
            assert len(calls) > before, "the raised cap let nothing through"
            rests.append(book.reason)

    assert book.state is BookState.FINISHED
    assert [reason for reason in rests[:-1] if f"the budget of {book.id}" not in reason] == []
    assert {call["trouble"] for call in calls} == {"", *TROUBLES.values()}
    assert {call["model"] for call in calls} == {"fake", "dear"}
    assert paid_again(calls) == 0


@pytest.mark.slow
def test_books_side_by_side_share_one_cap_and_finish_once_it_is_raised(database_url: str, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    with provider(ledger, *AUTHOR, "--script", json.dumps(FIRE)) as url:
        low = settings_of(tmp_path / "home", url, database_url=database_url, studio_usd=0.9)
        first = write_in_children(low, "before:call_model:5=kill")
        books, _, _ = look(low)
        tight = billed(calls_in(ledger))
        write_in_children(low)
        rested, standing, _ = look(low)
        low_calls = calls_in(ledger)

        high = settings_of(tmp_path / "home", url, database_url=database_url, studio_usd=50.0)
        last = write_in_children(high)
    calls = calls_in(ledger)
    books, end, journal = look(high)

    assert first == [-signal.SIGKILL, 0, 0]
    assert tight.cost <= billed(low_calls).cost <= 900_000
    assert {book.state for book in rested} <= {BookState.FINISHED, BookState.PAUSED}
    assert any(book.state is BookState.PAUSED for book in rested)
    for book in rested:
        if book.state is BookState.PAUSED:
            assert "of studio_usd $0.90" in book.reason  # or four places, where two would not tell what is missing
            assert "raise studio_usd" in book.advice
            assert f"bookwright resume {book.id}" in book.advice
    assert standing.handed_out == end.handed_out == Amount()
    assert last == [0, 0, 0]
    assert [book.state for book in books] == [BookState.FINISHED] * 3
    assert len(calls) > len(low_calls)
    assert paid_again(calls) == 0
    assert end.spent == journal


@pytest.mark.soak
def test_a_kill_between_paid_and_recorded_costs_at_most_that_one_call_beyond_the_cap(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    with provider(ledger, *AUTHOR) as url:
        settings = settings_of(tmp_path / "home", url, studio_usd=0.6)
        ends = write_in_children(settings, "after:call_model:2=kill")
        write_in_children(settings)
    calls = calls_in(ledger)
    _, standing, journal = look(settings)
    prices = [billed([call]).cost for call in calls]

    assert ends[0] == -signal.SIGKILL
    assert standing.spent == journal
    assert journal.cost <= 600_000
    assert 0 < billed(calls).cost - journal.cost <= max(prices)
