"""The board says what wants looking after: a climax that nothing is paid off in, promises that nobody registered."""

import json

import pytest

from bookwright.models.codex.extraction import ConsistencyReport
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadStatus
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.settings import Settings
from bookwright.models.tree.plan import TaskType
from tests.cli.conftest import Cli
from tests.support.books import make_book

STRAY = "Little did she know what the bell was for."
PARTS = [
    {"level": "chapter", "title": "One", "text": f"Rain fell. {STRAY}"},
    {"level": "chapter", "title": "高潮：塔顶"},
]


@pytest.mark.parametrize(("title", "alerts"), [("高潮：塔顶", ["payoff_timing_suggestion"]), ("Two", [])])
def test_a_thread_without_a_payoff_is_named_before_the_chapter_that_is_planned_as_the_climax(
    cli: Cli, settings: Settings, title: str, alerts: list[str]
) -> None:
    storage = make_book(settings, [PARTS[0], PARTS[1] | {"title": title}], title="The Lamp", identity="lamp")
    with storage.write() as stores:
        stores.codex.add(Foreshadowing(id="coat", title="The coat", status=ThreadStatus.PLANTED), Origin.AUTHOR)
    storage.database.dispose()

    board = json.loads(cli("foreshadowing", "lamp", "--json").out)

    assert [alert["type"] for alert in board["alerts"]] == alerts


def test_a_sentence_that_promises_too_much_is_a_suggestion_until_a_thread_is_registered(
    cli: Cli, settings: Settings
) -> None:
    storage = make_book(settings, PARTS, title="The Lamp", identity="lamp")
    with storage.write() as stores:
        unit = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)[0]
        report = ConsistencyReport(unit=unit.label, strays=(STRAY,))
        new = NewDocument(
            node=unit.key, kind=DocumentKind.CONSISTENCY, text=report.as_text, data=report.model_dump_json()
        )
        stores.documents.add(new, None)
    storage.database.dispose()

    before, shown = json.loads(cli("foreshadowing", "lamp", "--json").out), cli("foreshadowing", "lamp").out
    cli("foreshadowing", "add", "lamp", "The bell", "--seed", STRAY)
    after = json.loads(cli("foreshadowing", "lamp", "--json").out)

    assert before["suggestions"] == [{"unit": "1.1", "excerpt": STRAY}]
    assert STRAY in shown
    assert after["suggestions"] == []


def test_what_a_unit_owes_the_threads_is_shown(cli: Cli, settings: Settings) -> None:
    make_book(settings, PARTS, title="The Lamp", identity="lamp").database.dispose()
    cli("foreshadowing", "add", "lamp", "The coat", "--seed", "a coat", "--plant-at", "2", "--payoff-at", "3")

    assert cli("foreshadowing", "due", "lamp", "1.2").out == "plant: the-coat\n"
    assert json.loads(cli("foreshadowing", "due", "lamp", "1.2", "--json").out)["should_plant"] == ["the-coat"]
    assert "owes the threads nothing" in cli("foreshadowing", "due", "lamp", "1.1", "--pacing", "0/8").out
