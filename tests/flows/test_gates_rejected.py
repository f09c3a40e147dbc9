"""What a rejection at a gate has made anew, and what of the book it leaves as it was."""

import pytest

from bookwright.failpoints import Failpoint
from bookwright.models.document import DocumentKind
from bookwright.models.gate import GateKind, GateState
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.stores import Stores
from tests.flows.gated import CHAPTERS, NOTE, SHORT, Desk, Sit, living, sums_hold
from tests.support.books import make_book, make_settings


def test_a_rejected_plan_is_made_anew_with_the_note_and_what_it_was(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()
    planned = [node.goal for node in living(desk, TaskType.DESIGN, TaskType.SEARCH)]
    asked = len(desk.asked.requests)

    desk.reject(gate, NOTE)
    second = desk.wait()

    replaced = [node.goal for node in living(desk, TaskType.DESIGN, TaskType.SEARCH)]
    assert planned
    assert len(replaced) > 0
    assert {name.partition("/")[0] for name in desk.steps_since(asked)} == {"1 plan"}
    for prompt in desk.prompts_since(asked):
        assert NOTE in prompt
        assert all(goal in prompt for goal in planned)
    assert (second.id > gate.id, second.revision, second.state) == (True, 2, GateState.WAITING)


def test_a_rejected_design_is_planned_on_and_what_is_designed_stays(sit: Sit) -> None:
    desk = sit(**CHAPTERS, gates=["book_design"])
    gate = desk.wait()
    designed = [node.key for node in living(desk, TaskType.DESIGN)]
    asked = len(desk.asked.requests)

    desk.reject(gate, NOTE)
    second = desk.wait()

    tasks = living(desk, TaskType.DESIGN)
    assert [node.key for node in tasks][: len(designed)] == designed
    assert len(tasks) > len(designed)
    planning = desk.prompts_since(asked, "1 plan/")
    assert planning
    assert all(NOTE in prompt for prompt in planning)
    assert second.revision == 2
    desk.approve(second)
    desk.run()
    dividing = desk.prompts_since(asked, "1 divide/")
    assert dividing
    assert all(NOTE in prompt for prompt in dividing)


def prose_of(desk: Desk, label: str) -> str:
    with desk.storage.read() as stores:
        document = stores.documents.current(stores.nodes.by_label(label).key, DocumentKind.PROSE)
    assert document is not None
    return document.text


def test_a_rejected_chapter_alone_is_written_again_with_the_old_text_in_view(sit: Sit) -> None:
    desk = sit(**CHAPTERS, max_planning_rounds=1, gates=["chapter"])
    first = desk.wait()
    desk.approve(first)
    gate = desk.wait()
    kept, old = prose_of(desk, first.label), prose_of(desk, gate.label)
    asked = len(desk.asked.requests)

    desk.reject(gate, NOTE)
    again = desk.wait()

    assert (again.label, again.revision) == (gate.label, 2)
    assert {name.partition("/")[0] for name in desk.steps_since(asked)} <= {
        f"{gate.label} brief", f"{gate.label} write", f"{gate.label} review", f"{gate.label} close", "1 maintain",
    }  # fmt: skip
    writing = desk.prompts_since(asked, f"{gate.label} write/")
    assert writing
    assert all(old in prompt for prompt in writing)
    [brief] = desk.prompts_since(asked, f"{gate.label} brief/")
    assert NOTE in brief
    assert old in brief
    assert prose_of(desk, first.label) == kept
    assert prose_of(desk, gate.label) != old
    assert sums_hold(desk)


def test_a_rejected_chapter_of_a_book_that_is_plotted_is_told_again_under_the_order(sit: Sit) -> None:
    desk = sit(**CHAPTERS, gates=["chapter"])
    desk.approve(desk.wait())
    gate = desk.wait()
    old, asked = prose_of(desk, gate.label), len(desk.asked.requests)

    desk.reject(gate, NOTE)
    again = desk.wait()

    writing = desk.prompts_since(asked, f"{gate.label} write/")
    assert (again.label, again.revision) == (gate.label, 2)
    assert len(writing) >= 3
    assert all(old in prompt and NOTE in prompt for prompt in writing)
    assert sums_hold(desk)


@pytest.mark.parametrize("profile", ["small", "economy", "standard"])
def test_every_step_that_writes_a_rejected_text_anew_reads_the_order(sit: Sit, profile: str) -> None:
    desk = sit(**SHORT | {"length": 280, "profile": profile}, gates=["chapter"])
    gate = desk.wait()
    asked = len(desk.asked.requests)

    desk.reject(gate, NOTE)
    desk.wait()

    writing = desk.prompts_since(asked, "1 write/")
    telling = [prompt for prompt in writing if profile != "small" or "plain sentence. Begin" not in prompt]
    assert len(telling) >= 2
    assert all(NOTE in prompt for prompt in telling)


@pytest.mark.parametrize("kind", ["outline", "book_design"])
def test_a_weak_model_reads_what_was_ordered_of_its_plan(sit: Sit, kind: str) -> None:
    desk = sit(**SHORT | {"profile": "small"}, gates=[kind])
    gate = desk.wait()
    asked = len(desk.asked.requests)

    desk.reject(gate, NOTE)
    desk.wait()

    planned = desk.prompts_since(asked, "1 plan/")
    assert planned
    assert all(NOTE in prompt for prompt in planned)


SCENES = [
    {"level": "chapter", "title": "The Lamp", "parts": [
        {"level": "scene", "title": "The Stair", "text": "She climbed the stair. " * 300},
        {"level": "scene", "title": "The Wick", "text": "She cut the wick. " * 300},
    ]},
]  # fmt: skip


def test_a_rejected_chapter_of_scenes_is_divided_anew(sit: Sit) -> None:
    storage = make_book(
        make_settings(sit.home), SCENES, identity="scenes", length=6_000, profile="economy", max_planning_rounds=1
    )
    with storage.write() as stores:
        root, chapter = stores.nodes.root(), stores.nodes.by_label("1.1")
        for unit in (root, chapter):
            stores.nodes.change(unit.key, decision=Decision.DIVIDE_HIERARCHY.value)
        stores.nodes.change(chapter.key, status=NodeStatus.DONE.value, is_last=True)
        stores.gates.open(chapter, GateKind.CHAPTER)
    storage.database.dispose()
    desk = sit(identity="scenes")
    gate = desk.wait()
    scenes = [node.label for node in living(desk, TaskType.WRITE) if node.depth == 2]

    desk.reject(gate, NOTE)
    desk.run()

    now = [node.label for node in living(desk, TaskType.WRITE) if node.depth == 2]
    assert (scenes, now[0]) == (["1.1.1", "1.1.2"], "1.1.3")
    voice, first, *_ = desk.steps_since(0)
    assert voice == "1 brief/voice", "of which no page is left"
    assert first.startswith("1.1 divide/")
    assert NOTE in desk.prompts_since(0, "1.1 divide/")[0]
    assert sums_hold(desk)


def test_what_was_replaced_is_drawn_for_no_prompt(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["book_design"])
    desk.wait()

    with desk.storage.write(Failpoint.EDIT_BOOK) as stores:
        drawn = draw(stores)
        root = stores.nodes.root()
        stores.nodes.replace_below(root.key, TaskType.DESIGN)
        assert drawn
        assert draw(stores) == set()


def draw(stores: Stores) -> set[int]:
    return {found.id for found, _ in stores.documents.drawn([DocumentKind.DESIGN], [0.0, 0.5, 1.0])}
