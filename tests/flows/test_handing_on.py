"""What one activity hands on to the next: open points, findings of parts, the text behind the findings."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.flows import walk_steps
from bookwright.flows.activities.divide import divide
from bookwright.flows.activities.plan import decompose, plan
from bookwright.flows.deps import Deps
from bookwright.flows.walk import design, resolve, write_unit
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookPaused
from bookwright.models.tree.decision import Decision, FlowDecision
from bookwright.models.tree.plan import PlanNode, PlanOutput, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_unverified
from bookwright.storage.stores import Stores
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

MISSING = FlowDecision(missing_points=("Who paid the debt?",), decision=Decision.CONTINUE_PLANNING)
DIVIDE = FlowDecision(decision=Decision.DIVIDE_HIERARCHY)
ONE_TASK = PlanOutput(sub_tasks=(PlanNode(goal="settle who opens the door", complexity_score=1),))
RAIN = "Rain fell on the tower and nobody counted the ships. "


def scripted(**lines: list[Any]) -> ScriptedBackend:
    usual: dict[str, list[Any]] = {
        "refiner": [ONE_TASK], "router": ['{"expert": "system"}'], "questions": ['{"questions": []}'],
        "*": ["So be it, and nothing else."],
    }  # fmt: skip
    return ScriptedBackend(lines=usual | lines)


def closed(deps: Deps) -> None:
    deps.storage.database.dispose()


def test_what_was_missing_and_then_designed_is_not_handed_down(tmp_path: Path) -> None:
    root, deps = begin(tmp_path, scripted(flow_decision=[MISSING, DIVIDE]), length=20_000)

    decision = design(root, deps)

    assert decision is Decision.DIVIDE_HIERARCHY
    assert deps.fresh(root).open_points == ()
    closed(deps)


def test_what_is_still_missing_when_the_circuit_breaks_is_handed_down(tmp_path: Path) -> None:
    root, deps = begin(tmp_path, scripted(flow_decision=[MISSING]), length=20_000)

    design(root, deps)

    assert deps.fresh(root).open_points == ("Who paid the debt?",)
    closed(deps)


CHILD = PlanOutput(sub_tasks=(PlanNode(task_type=TaskType.WRITE, title="The Door", goal="from closed to open"),))


def with_open_point(home: Path, **lines: list[Any]) -> tuple[TaskNode, Deps]:
    """A book whose planning left a point open, ready to be divided."""
    root, deps = begin(home, scripted(**lines), length=20_000)

    def leave(stores: Stores, _: int) -> None:
        stores.nodes.change(
            root.key, open_points=("Who paid the debt?",), decision=Decision.DIVIDE_HIERARCHY.value, planning_round=1
        )

    deps.desk.journal.move(leave)
    return deps.fresh(root), deps


def test_a_child_that_is_not_planned_hands_an_open_point_on_to_the_next(tmp_path: Path) -> None:
    root, deps = with_open_point(tmp_path, refiner=[CHILD])

    divide(root, deps)
    divide(root, deps)

    with deps.stores() as stores:
        children = stores.nodes.children(root.key, TaskType.WRITE)
    assert [child.open_points for child in children] == [("Who paid the debt?",)] * 2
    assert deps.fresh(root).open_points == ("Who paid the debt?",)
    closed(deps)


@pytest.mark.parametrize(("at_once", "offered"), [(None, (2_000, 3_000)), (800, (800, 800)), (4_000, (2_000, 4_000))])
def test_a_chapter_gets_any_length_that_whoever_divides_is_offered(
    tmp_path: Path, at_once: int | None, offered: tuple[int, int]
) -> None:
    asked: list[int] = []

    def ask_for(place: int) -> Callable[[Request], PlanOutput]:
        def child(request: Request) -> PlanOutput:
            [bounds] = re.findall(r"from (\d+) to (\d+)\.", request.prompt.user)
            asked.append(length := int(bounds[place]))
            return PlanOutput(sub_tasks=tuple(one.model_copy(update={"length": length}) for one in CHILD.sub_tasks))

        return child

    root, deps = begin(tmp_path, scripted(refiner=[ask_for(0), ask_for(1)]), length=20_000, max_unit_length=at_once)

    divide(root, deps)
    divide(root, deps)

    with deps.stores() as stores:
        children = stores.nodes.children(root.key, TaskType.WRITE)
    assert [child.length for child in children] == asked == [*offered]
    closed(deps)


def test_whoever_plans_with_an_open_point_takes_it_up_for_all(tmp_path: Path) -> None:
    root, deps = with_open_point(tmp_path, refiner=[CHILD, CHILD, ONE_TASK, CHILD])
    divide(root, deps)
    divide(root, deps)
    with deps.stores() as stores:
        first, second = stores.nodes.children(root.key, TaskType.WRITE)

    plan(second, 1, deps)

    assert deps.fresh(second).open_points == ("Who paid the debt?",)  # until its decision says what is left of it
    assert deps.fresh(first).open_points == ()
    assert deps.fresh(root).open_points == ()
    divide(root, deps)
    with deps.stores() as stores:
        third = stores.nodes.children(root.key, TaskType.WRITE)[-1]
    assert third.open_points == ()
    closed(deps)


def test_tasks_beyond_those_of_a_round_are_sent_back_once_and_then_left_open(tmp_path: Path) -> None:
    many = PlanOutput(sub_tasks=tuple(PlanNode(goal=f"settle the {number}th thing") for number in range(9)))
    root, deps = begin(tmp_path, scripted(refiner=[many]), length=20_000)

    plan(root, 1, deps)

    backend = deps.desk.models
    assert isinstance(backend, ScriptedBackend)
    assert [name for name in backend.speakers if name.endswith("plan/refiner")] == ["1 plan/refiner"] * 2
    with deps.stores() as stores:
        assert len(stores.nodes.children(root.key)) == 7
    assert deps.fresh(root).open_points == ("settle the 7th thing", "settle the 8th thing")
    closed(deps)


def test_all_parts_of_a_complex_task_are_made_if_they_come_again(tmp_path: Path) -> None:
    whole = PlanOutput(sub_tasks=(PlanNode(goal="the whole", complexity_score=9),))
    many = PlanOutput(sub_tasks=tuple(PlanNode(goal=f"settle the {number}th thing") for number in range(9)))
    root, deps = begin(tmp_path, scripted(refiner=[whole, many]), length=20_000)
    plan(root, 1, deps)
    with deps.stores() as stores:
        [task] = stores.nodes.children(root.key)

    decompose(task, deps)

    with deps.stores() as stores:
        assert len(stores.nodes.children(task.key)) == 9
    closed(deps)


def test_a_task_that_was_cut_into_design_and_search_is_merged_from_both(tmp_path: Path) -> None:
    whole = PlanOutput(sub_tasks=(PlanNode(goal="the whole", complexity_score=9),))
    parts = PlanOutput(
        sub_tasks=(
            PlanNode(task_type=TaskType.SEARCH, goal="find out how a lamp is trimmed", complexity_score=1),
            PlanNode(goal="decide who trims it", complexity_score=1),
        )
    )
    backend = scripted(refiner=[whole, parts], search=["A wick is cut square."], refine=["The brother trims it."])
    root, deps = begin(tmp_path, backend)

    node = next(walk_steps.plan(root, 1, deps))
    resolve(node, deps)

    merging = next(request for request in backend.requests if request.name.endswith("aggregate"))
    assert merging.prompt.blocks[:-1] == (
        f"<part>\n{render_unverified('English')}\n\nA wick is cut square.\n</part>",
        "<part>\nThe brother trims it.\n</part>",
    )
    with deps.stores() as stores:
        merged = stores.documents.current(node.key, DocumentKind.DESIGN)
        assert merged is not None
        assert len(stores.documents.inputs_of(merged.id)) == 2
    closed(deps)


@pytest.mark.parametrize(
    "reply",
    [f"{RAIN}No mark at all.", "1. Strike the bell.\n<<<TEXT>>>\n", f"1. x\n<<<TEXT>>>\n{RAIN}\n<<<TEXT>>>\n"],
    ids=["no mark", "no text", "two marks"],
)
def test_findings_are_never_taken_for_prose(tmp_path: Path, reply: str) -> None:
    backend = scripted(planner=[ONE_TASK], revise=[reply])
    root, deps = begin(tmp_path, backend, profile="economy")

    with pytest.raises(BookPaused, match="<<<TEXT>>>"):
        write_unit(root, deps)

    with deps.stores() as stores:
        assert stores.documents.current(root.key, DocumentKind.PROSE) is None
    closed(deps)


def test_findings_do_not_stand_before_the_step_that_mends_the_length(tmp_path: Path) -> None:
    backend = scripted(
        revise=[f"1. Strike the bell.\n<<<TEXT>>>\n{RAIN * 30}"],
        lengthen=[f"@after 1\n{RAIN * 99}"],
        title_and_blurb=['{"blurb": "b", "title": "t"}'],
    )
    root, deps = begin(tmp_path, backend, profile="economy")

    write_unit(root, deps)

    asked = next(request for request in backend.requests if request.name.endswith("lengthen"))
    assert "Strike the bell" not in asked.prompt.user
    assert abs(deps.fresh(root).remaining) <= 0.15 * 900
    closed(deps)


def test_the_text_behind_the_findings_is_the_prose(tmp_path: Path) -> None:
    text = RAIN * 90
    backend = scripted(
        revise=[f"1. Strike the bell.\n<<<TEXT>>>\n{text}"], title_and_blurb=['{"blurb": "b", "title": "t"}']
    )
    root, deps = begin(tmp_path, backend, profile="economy")

    write_unit(root, deps)

    with deps.stores() as stores:
        prose = stores.documents.current(root.key, DocumentKind.PROSE)
        assert prose is not None
        assert prose.text == text.strip()
    closed(deps)


def test_what_a_unit_overran_is_taken_from_the_next_in_a_small_share_and_not_from_the_last(tmp_path: Path) -> None:
    thirds = PlanOutput(
        sub_tasks=tuple(PlanNode(task_type=TaskType.WRITE, goal=f"part {i}", title=f"P{i}", length=400) for i in "abc")
    )
    backend = scripted(
        flow_decision=[DIVIDE, FlowDecision(decision=Decision.PROCEED_TO_WRITE)],
        refiner=[ONE_TASK, thirds, ONE_TASK],
        planner=[ONE_TASK],
        refine=[lambda request: RAIN * 46 if "/write/" in request.facts["template"] else "It is settled."],
    )
    root, deps = begin(tmp_path, backend, length=1_200)
    assert design(root, deps) is Decision.DIVIDE_HIERARCHY
    first = walk_steps.divide(root, deps)
    assert first is not None

    write_unit(first, deps)

    with deps.stores() as stores:
        units = stores.nodes.children(root.key, TaskType.WRITE)
        book = stores.nodes.get(root.key)
    assert [unit.written for unit in units] == [460, 0, 0]
    assert [unit.length for unit in units] == [400, 380, 400]
    assert sum(unit.length or 0 for unit in units[1:]) == book.remaining + 40
    closed(deps)
