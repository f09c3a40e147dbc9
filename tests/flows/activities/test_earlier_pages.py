"""How the units before ended, told to whoever can end another way; and how long a plan may be."""

from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.flows.activities.close import close
from bookwright.flows.activities.divide import divide
from bookwright.flows.activities.prose.brief import make_brief
from bookwright.flows.activities.prose.write import write
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.story.retelling import RepairOrders, Retelling
from bookwright.models.tree.plan import PlanNode, PlanOutput, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.prompts import Card
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

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
