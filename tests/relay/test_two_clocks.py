"""A book with two flashbacks: its slips of time are found, its clean twin has none, and both clocks are kept apart."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.agents.relay.continuity import ContinuityDirector, hint_lines
from bookwright.agents.relay.registers import planned_secrets
from bookwright.agents.relay.times.timeline import timeline_of
from bookwright.agents.workflows import REVISION_MARK
from bookwright.flows.deps import Deps
from bookwright.models.codex.entries import CodexEntry, EntryKind, Knower, Phase, Secret, Section
from bookwright.models.codex.extraction import CHECKS, ConsistencyReport
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind
from bookwright.models.story_time.timeline import StoryTurn
from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import Place
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from tests.flows.walking import begin
from tests.relay.scripted import CALM, asked, by_label, chapters, data, known, script, told, write
from tests.support.fakes import ScriptedBackend

LENGTH = 60
TIMES = (
    "Monday, 12 March 1923", "Tuesday, 13 March 1923", "ten years before chapter 2", "14 March 1923",
    "two days after chapter 3", "15 March 1923",
)  # fmt: skip
MIRA = CodexEntry(
    id="mira", kind=EntryKind.CHARACTER, name="Mira", sections=(Section(name="birth", text="Born in May 1891."),),
    phases=(Phase(name="keeper"), Phase(name="fugitive", begins=Place(chapter=4))),
)  # fmt: skip
TOM = CodexEntry(
    id="tom", kind=EntryKind.CHARACTER, name="Tom",
    sections=(Section(name="death", text="Drowned on 13 March 1923.", known_from=Place(chapter=2)),),
)  # fmt: skip
WRECK = Secret(
    id="wreck", content="Garrick sank the Ada for the insurance.", revealed_at=Place(chapter=1),
    happens_at=StoryTime(when="1918"), known_by=(Knower(name="Tom", since=StoryTime(when="chapter 4")),),
)  # fmt: skip


def seen(*people: dict[str, Any], when: str = "") -> str:
    """What an extraction says of a chapter's people and time."""
    checks = [{"check": check, "result": "passed"} for check in CHECKS]
    return json.dumps({"when": when, "people": list(people), "checks": checks})


def here(name: str, age: int | None = None, *knows: str) -> dict[str, Any]:
    """Somebody who is there."""
    return {"name": name, "age": age, "is_present": True, "knows": list(knows)}


CLEAN = {
    "1.2": seen(here("Mira", 31), here("Tom"), when="Monday, 12 March 1923"),
    "1.3": seen(here("Mira", None, "wreck"), here("Tom")),
    "1.4": seen(here("Mira", 21), here("Tom"), when="the spring of 1913"),
    "1.5": seen(here("Mira", 31, "wreck"), {"name": "Tom"}),
    "1.6": seen(here("Tom"), when="two days later"),
    "1.7": seen(here("Mira", None, "wreck"), {"name": "Tom"}),
}
SLIPPED = CLEAN | {
    "1.3": seen(here("Mira"), here("Tom", None, "wreck")),
    "1.4": seen(here("Mira", 30), here("Tom")),
    "1.5": seen(here("Mira", 31), here("Tom"), when="Friday, 16 March 1923"),
    "1.6": seen(here("Tom", None, "wreck"), here("Mira", 21)),
    "1.7": seen(here("Mira", 33)),
}
PLANTED = {
    ("1.3", "Tom knows wreck"),
    ("1.4", "Mira, 30"), ("1.5", "Friday, 16 March 1923"), ("1.5", "Tom is there"), ("1.6", "Tom knows wreck"),
    ("1.7", "Mira, 33"),
}  # fmt: skip


def lay_out(root: TaskNode, deps: Deps) -> None:
    """Give a new book a codex and six chapters, two of which go back."""
    with deps.storage.write() as stores:
        plans = [
            PlanNode(task_type=TaskType.WRITE, title=f"Part {n}", goal="Go on.", story_time=when)
            for n, when in enumerate(("", *TIMES))
        ]
        design = PlanNode(task_type=TaskType.DESIGN, title="Who lies", goal="Settle who lies.")
        stores.nodes.add(root, [design], level=Level.BOOK.value, unit=root.key)
        stores.nodes.add(root, plans[1:], level=Level.CHAPTER.value, length=LENGTH, unit_index=lambda i: i + 1)
        for record in (MIRA, TOM, WRECK):
            stores.codex.add(record, Origin.AUTHOR)


@pytest.fixture
def timed(tmp_path: Path) -> Iterator[Callable[..., Deps]]:
    """Opens a book whose chapters have their times, with a profile and what a model sees in its chapters."""
    opened: list[Deps] = []

    def start(extractions: dict[str, str], texts: dict[str, str] | None = None, **brief: Any) -> Deps:
        written = by_label(texts or {}, CALM)

        def revised(request: Request) -> str:
            return f"Nothing.\n{REVISION_MARK}\n{written(request)}"

        backend = script(refine=written, draft=written, revise=revised, extract=by_label(extractions, seen()))
        values = {"length": 6 * LENGTH, "max_unit_length": LENGTH, "title": "The Lamp"} | brief
        root, deps = begin(tmp_path, backend, **values)
        lay_out(root, deps)
        opened.append(deps)
        return deps

    yield start
    opened[-1].storage.database.dispose()


def found_in(deps: Deps) -> set[tuple[str, str]]:
    """All slips that were put on record at the chapters' close."""
    reports = [ConsistencyReport.model_validate_json(data(deps, n, DocumentKind.CONSISTENCY)) for n in range(1, 7)]
    return {(report.unit, check.text) for report in reports for check in report.details}


def test_every_planted_slip_of_time_is_found_where_it_stands(timed: Callable[..., Deps]) -> None:
    deps = timed(SLIPPED)

    write(deps, 1, 2, 3, 4, 5, 6)

    assert found_in(deps) == PLANTED
    with deps.stores() as stores:
        line = timeline_of(stores, deps.storage.book, deps.brief.language)
    assert {(one.label, one.text) for one in line.findings} == PLANTED, "the whole book finds what its chapters found"


def test_the_clean_twin_has_none(timed: Callable[..., Deps]) -> None:
    deps = timed(CLEAN)

    write(deps, 1, 2, 3, 4, 5, 6)

    assert found_in(deps) == set()
    with deps.stores() as stores:
        line = timeline_of(stores, deps.storage.book, deps.brief.language)
    assert line.findings == ()
    told = [(row.label, row.turn is StoryTurn.BACK) for row in line.rows]
    assert told == [("1.4", True), ("1.6", True), ("1.2", False), ("1.3", False), ("1.5", False), ("1.7", False)]


def test_code_alone_finds_ages_and_datelines_where_no_model_extracts(timed: Callable[..., Deps]) -> None:
    texts = {
        "1.4": told("Mira was thirty years old that spring."),
        "1.5": "16 March 1923\n\n" + told("Mira, thirty-one, trimmed the wick."),
    }
    deps = timed({}, texts, profile="economy")

    write(deps, 1, 2, 3, 4)

    with deps.stores() as stores:
        line = timeline_of(stores, deps.storage.book, deps.brief.language)
    assert {(one.label, one.text) for one in line.findings} == {("1.4", "Mira, 30"), ("1.5", "16 March 1923")}


def test_a_flashback_is_told_when_it_is_set_and_holds_the_phase_of_its_time(timed: Callable[..., Deps]) -> None:
    deps = timed(CLEAN)
    write(deps, 1, 2, 3, 4)

    with deps.stores() as stores:
        phases = {label: stores.codex.seen_at(label)[0].phase for label in ("1.3", "1.4", "1.5", "1.6", "1.7")}
    assert isinstance(deps.desk.models, ScriptedBackend)
    (request,) = asked(deps.desk.models, "extract", "1.4")

    assert phases == {"1.3": "keeper", "1.4": "keeper", "1.5": "fugitive", "1.6": "keeper", "1.7": "fugitive"}
    assert "1.4: ten years before chapter 2" in request.prompt.user
    assert "wreck: Garrick sank the Ada" in request.prompt.user, "nobody there can know it yet"
    assert chapters(deps)[2].story_time == StoryTime(when="ten years before chapter 2")


def test_a_secret_that_is_out_is_marked_in_a_flashback_as_what_nobody_there_can_know(
    timed: Callable[..., Deps],
) -> None:
    deps = timed(CLEAN)

    with deps.stores() as stores:
        director = ContinuityDirector()
        sights = {label: director.sight(label, stores.codex, deps.brief) for label in ("1.3", "1.4", "1.6", "1.7")}
        hints = {label: hint_lines(sight, "en") for label, sight in sights.items()}
        planned = planned_secrets(stores.codex.secrets(), "1.4", stores.codex.reading_order())

    told = {label: next(line for line in lines if "Garrick sank the Ada" in line) for label, lines in hints.items()}
    assert [label for label, line in told.items() if "nobody can know it" in line] == ["1.4", "1.6"]
    assert [label for label, line in told.items() if "Does not know it yet here: Tom" in line] == ["1.3"]
    assert planned[0].is_later


def test_what_a_flashback_files_replaces_nothing_of_now(timed: Callable[..., Deps]) -> None:
    def limping(aspect: str, fact: str, phase: str = "") -> str:
        entry = {"kind": "character", "name": "Mira", "phase": phase, "facts": [{"aspect": aspect, "fact": fact}]}
        return json.dumps({"entries": [entry], "checks": []})

    deps = timed({"1.2": limping("leg", "She limps."), "1.4": limping("leg", "She runs like a hare.", "girl")})

    write(deps, 1, 2, 3)

    assert {"leg": "She limps.", "leg (ten years before chapter 2)": "She runs like a hare."}.items() <= known(deps)[
        "Mira"
    ].items()
    with deps.stores() as stores:
        assert stores.codex.seen_at("1.7")[0].phase == "fugitive"
