"""What is asked before a unit is begun, texts made small, how the units before ended; and how long a plan may be."""

from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.flows import walk_steps
from bookwright.flows.activities.close import close
from bookwright.flows.activities.divide import divide
from bookwright.flows.activities.prompt_sizes import condense
from bookwright.flows.activities.prose.brief import make_brief
from bookwright.flows.activities.prose.write import write
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.story.retelling import RepairOrders, Retelling
from bookwright.models.tree.plan import PlanNode, PlanOutput, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.prompts.card import Card
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

ASKED = '{"questions": ["What does Ines owe the owner?", "  Who holds   the second key? ", ""]}'
OWED = "§ Ines owes 7,000 crowns."
LONG_PREMISE = "Ines keeps the lamp. " * 400


def chapter_of(deps: Deps, root: TaskNode, level: str = "chapter") -> TaskNode:
    with deps.storage.write() as stores:
        item = PlanNode(task_type=TaskType.WRITE, title="The debt", goal="Ines is asked for it.", length=3_000)
        [unit] = stores.nodes.add(root, [item], level=level)
        return unit


def walk(tmp_path: Path, backend: ScriptedBackend, **brief: Any) -> tuple[TaskNode, Deps]:
    return begin(tmp_path, backend, length=20_000, **brief)


def asked_of(unit: TaskNode, deps: Deps) -> list[str]:
    with deps.stores() as stores:
        document = stores.documents.current(unit.key, DocumentKind.QUESTIONS)
        return document.text.splitlines() if document else []


def test_a_chapter_is_asked_about_once_before_it_is_planned(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={"questions": [ASKED]})
    root, deps = walk(tmp_path, backend)
    chapter = chapter_of(deps, root)

    walk_steps.recall(chapter, deps)
    walk_steps.recall(chapter, deps)

    assert backend.speakers == ["1.1 recall/questions"]
    assert asked_of(chapter, deps) == ["What does Ines owe the owner?", "Who holds the second key?"]
    deps.storage.database.dispose()


def test_neither_the_book_nor_a_scene_nor_a_unit_that_is_begun_is_asked_about(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={"questions": [ASKED]})
    root, deps = walk(tmp_path, backend)
    scene, begun = chapter_of(deps, root, "scene"), chapter_of(deps, root)
    with deps.storage.write() as stores:
        stores.nodes.change(begun.key, planning_round=1)

    for unit in (root, scene, begun):
        walk_steps.recall(unit, deps)

    assert backend.requests == []
    deps.storage.database.dispose()


def test_a_frugal_profile_asks_nothing(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={"questions": [ASKED]})
    root, deps = walk(tmp_path, backend, profile="economy")

    walk_steps.recall(chapter_of(deps, root), deps)

    assert backend.requests == []
    deps.storage.database.dispose()


def test_a_model_that_cannot_ask_stops_no_book_and_is_not_asked_for_ever(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={"questions": ["I wonder."]})
    root, deps = walk(tmp_path, backend)
    chapter = chapter_of(deps, root)

    walk_steps.recall(chapter, deps)
    walk_steps.recall(chapter, deps)

    assert len(backend.requests) == deps.desk.settings.max_repairs + 1
    assert asked_of(chapter, deps) == []
    deps.storage.database.dispose()


def test_a_premise_that_fits_no_prompt_is_made_small_once(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={"*": ["Ines keeps the lamp and owes for it."]})
    _, deps = walk(tmp_path, backend, premise=LONG_PREMISE)

    condense(deps)
    condense(deps)

    assert len(backend.requests) == 1
    assert LONG_PREMISE.strip() in backend.requests[0].prompt.blocks[-2]
    deps.storage.database.dispose()


def test_a_condensed_text_that_drops_a_binding_line_is_sent_back_with_that_line(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={"*": ["Ines keeps the lamp.", f"{OWED}\nInes keeps the lamp."]})
    _, deps = walk(tmp_path, backend, premise=f"{OWED}\n{LONG_PREMISE}")

    condense(deps)

    assert len(backend.requests) == 2
    assert OWED in backend.requests[-1].corrections[0].problem
    deps.storage.database.dispose()


def test_a_condensed_text_may_release_nothing(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={"*": [f"Ines keeps the lamp.\n§- {OWED} -> it is long"]})
    _, deps = walk(tmp_path, backend, premise=f"{OWED}\n{LONG_PREMISE}")

    condense(deps)

    assert len(backend.requests) == deps.desk.settings.max_repairs + 1
    deps.storage.database.dispose()


def test_binding_lines_that_do_not_fit_by_themselves_are_asked_of_no_model(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={"*": ["Ines keeps the lamp."]})
    _, deps = walk(tmp_path, backend, premise="\n".join(f"§ Ines owes {n} crowns to a man." for n in range(900)))

    condense(deps)

    assert len(backend.requests) == 1
    deps.storage.database.dispose()


def test_a_premise_that_fits_is_left_alone(tmp_path: Path) -> None:
    backend = ScriptedBackend(lines={"*": ["Shorter."]})
    _, deps = walk(tmp_path, backend)

    condense(deps)

    assert backend.requests == []
    deps.storage.database.dispose()


NEXT = PlanOutput(sub_tasks=(PlanNode(task_type=TaskType.WRITE, title="The Lens", goal="It cracks.", length=3_000),))
RETOLD = Retelling(happened="He left.")
TEXT = "Rain fell on the tower. " * 10


def add(deps: Deps, parent: TaskNode, level: str, ending: str = "", length: int = 3_000) -> TaskNode:
    """A unit below another; written, if it is told how it ends."""
    with deps.storage.write() as stores:
        item = PlanNode(task_type=TaskType.WRITE, title="The Debt", goal="It falls due.", length=length)
        [unit] = stores.nodes.add(parent, [item], level=level, length=length, unit_index=1)
        if ending:
            text = f"Rain fell. {ending}"
            stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.PROSE, text=text), None)
            stores.nodes.change(unit.key, status=NodeStatus.DONE.value)
            stores.nodes.add_written(unit, 10)
    return deps.fresh(unit)


def cards(backend: ScriptedBackend) -> list[Card]:
    return [request.facts["card"] for request in backend.requests]


def edited(backend: ScriptedBackend) -> Request:
    """What the editor of a chapter was asked."""
    [request] = [request for request in backend.requests if request.name.endswith("review/review")]
    return request


def begun(tmp_path: Path, **brief: Any) -> tuple[ScriptedBackend, TaskNode, Deps]:
    """An act of three written chapters, the first of them in scenes."""
    backend = ScriptedBackend(
        lines={
            "refiner": [NEXT],
            "refine": [TEXT],
            "cold_read": [RETOLD],
            "review": [RepairOrders()],
            "*": ["She waits there."],
        }
    )
    root, deps = begin(tmp_path, backend, **{"length": 120_000, **brief})
    act = add(deps, root, "act", length=30_000)
    chapter = add(deps, act, "chapter")
    add(deps, chapter, "scene", "She sat.")
    add(deps, chapter, "scene", "She rose.")
    add(deps, act, "chapter", "The bell rang.")
    add(deps, act, "chapter", "Nobody came.")
    return backend, act, deps


def test_a_chapter_is_reviewed_beside_how_the_chapters_before_it_ended(tmp_path: Path) -> None:
    backend, act, deps = begun(tmp_path)

    close(add(deps, act, "chapter", "He left."), deps)

    editing = edited(backend)
    assert editing.facts["card"].previous_endings == ("She rose.", "The bell rang.", "Nobody came.")
    assert "Nobody came." in editing.prompt.blocks[-1]
    deps.storage.database.dispose()


def test_an_act_is_divided_in_view_of_how_its_chapters_ended_so_far(tmp_path: Path) -> None:
    backend, act, deps = begun(tmp_path)

    divide(act, deps)

    assert backend.speakers[-1].endswith("divide/refiner")
    assert cards(backend)[-1].previous_endings == ("She rose.", "The bell rang.", "Nobody came.")
    assert "She rose. / The bell rang. / Nobody came." in backend.requests[-1].prompt.blocks[-1]
    deps.storage.database.dispose()


def test_what_was_written_anew_still_stands_in_its_place(tmp_path: Path) -> None:
    backend, act, deps = begun(tmp_path)
    with deps.storage.write() as stores:
        second = stores.nodes.children(act.key, TaskType.WRITE)[1]
        stores.documents.add(NewDocument(node=second.key, kind=DocumentKind.PROSE, text="It rang twice."), None)

    close(add(deps, act, "chapter", "He left."), deps)

    assert edited(backend).facts["card"].previous_endings == ("She rose.", "It rang twice.", "Nobody came.")
    deps.storage.database.dispose()


@pytest.mark.parametrize(
    ("premise", "length", "allowed"),
    [
        ("A keeper counts ships.", 60, 30),
        ("A keeper counts ships.", 700, 100),
        ("守塔人在数船。", 60, 60),
        ("塔守は船を数える。", 60, 60),
        ("등대지기가 배를 센다.", 60, 60),
        ("守塔人在数船。", 700, 100),
    ],
)
def test_a_plan_has_room_to_decide_something_in_every_script(
    tmp_path: Path, premise: str, length: int, allowed: int
) -> None:
    said = {"A": "She waits.", "守": "她在等。", "塔": "彼女は待つ。", "등": "그녀는 기다린다."}[premise[0]]
    backend = ScriptedBackend(lines={"*": [said * (length // 8 + 1)]})
    root, deps = begin(tmp_path, backend, premise=premise)

    unit = add(deps, root, "paragraph", length=length)

    make_brief(unit, deps)
    write(unit, deps)

    [plan] = [request for request in backend.requests if request.name.endswith("write/plan")]
    assert plan.facts["card"].plan_length == allowed
    deps.storage.database.dispose()
