"""What is over the size that its prompt names is sent back once with count and limit, and then taken whole."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bookwright.flows.activities.execute import execute
from bookwright.flows.activities.plan import plan
from bookwright.flows.activities.prose.brief import brief_length, make_brief
from bookwright.flows.activities.recall import drawn_facts
from bookwright.flows.activities.unit_facts import design_allowance
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.tree.plan import PlanNode, PlanOutput, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from tests.flows.walking import begin
from tests.places import RECORDED
from tests.support.fakes import ScriptedBackend

LONG = (RECORDED / "design.md").read_text(encoding="utf-8").strip()
"""343 words in place of 300."""
SHORT = "She waits there."


def asked(backend: ScriptedBackend, step: str) -> list[str]:
    """What was said of the answer before, each time that a step was asked."""
    found = [request for request in backend.requests if request.name.endswith(f"/{step}")]
    return ["".join(turn.problem for turn in request.corrections) for request in found]


def task_in(deps: Deps, root: TaskNode) -> TaskNode:
    with deps.storage.write() as stores:
        item = PlanNode(task_type=TaskType.DESIGN, title="The Debt", goal="Settle the debt.")
        [task] = stores.nodes.add(root, [item], level="book", unit=root.key, planning_round=1)
    return deps.fresh(task)


def begun(tmp_path: Path, lines: dict[str, list[Any]], **brief: Any) -> tuple[ScriptedBackend, TaskNode, Deps]:
    backend = ScriptedBackend(lines={**lines, "*": [SHORT]})
    root, deps = begin(tmp_path, backend, **{"profile": "economy", "length": 2_000, **brief})
    return backend, root, deps


@pytest.mark.parametrize(("second", "kept"), [(SHORT, SHORT), (f"{LONG} Still.", f"{LONG} Still.")])
def test_a_design_over_its_limit_is_sent_back_once_and_then_stands_whole(
    tmp_path: Path, second: str, kept: str
) -> None:
    backend, root, deps = begun(tmp_path, {"draft": [LONG, second]})
    task = task_in(deps, root)

    execute(task, deps)

    allowance, given = design_allowance(root, deps), deps.brief.language.measure(LONG)
    assert given > 1.15 * allowance
    first, again = asked(backend, "draft")
    assert first == ""
    assert f"{given} words" in again
    assert f"up to {allowance} were asked for" in again
    with deps.stores() as stores:
        document = stores.documents.current(task.key, DocumentKind.DESIGN)
    assert document is not None
    assert document.text == kept
    deps.storage.database.dispose()


def test_a_brief_over_its_limit_is_sent_back_once(tmp_path: Path) -> None:
    long = "She waits there. " * 600
    backend, root, deps = begun(tmp_path, {"brief": [long, long]})

    make_brief(root, deps)

    assert len(asked(backend, "brief")) == 2
    assert f"up to {brief_length(root, deps)} were asked for" in asked(backend, "brief")[1]
    with deps.stores() as stores:
        brief = stores.documents.current(root.key, DocumentKind.WRITERS_BRIEF)
    assert brief is not None
    assert brief.text == long.strip()
    deps.storage.database.dispose()


def planned(count: int, entries: int) -> PlanOutput:
    return PlanOutput(
        sub_tasks=tuple(
            PlanNode(goal=f"Settle debt {number}.", instructions=tuple(f"Move {at}." for at in range(entries)))
            for number in range(count)
        )
    )


def test_a_plan_with_long_lists_is_sent_back_once_and_nothing_of_the_second_is_lost(tmp_path: Path) -> None:
    backend, root, deps = begun(tmp_path, {"refiner": [planned(2, 6), planned(2, 5)]})

    plan(root, 1, deps)

    assert "instructions of number 2 has 6 entries, up to 4" in asked(backend, "refiner")[1]
    with deps.stores() as stores:
        tasks = stores.nodes.children(root.key, TaskType.DESIGN)
    assert [len(task.instructions) for task in tasks] == [5, 5]
    deps.storage.database.dispose()


def test_a_plan_with_more_tasks_than_a_round_holds_is_sent_back_before_any_is_lost(tmp_path: Path) -> None:
    backend, root, deps = begun(tmp_path, {"refiner": [planned(5, 1), planned(3, 1)]})

    plan(root, 1, deps)

    assert "sub_tasks holds 5, up to 3 have room" in asked(backend, "refiner")[1]
    deps.storage.database.dispose()


DRAWN = """# What readers know
**What readers know**
- **Knowledge:**
3. **Known so far:**
- **Debt.** Bruno owes Ines a year of oil.
"""


def test_a_draw_holds_no_heading_and_no_fact_of_the_chapter_itself(tmp_path: Path) -> None:
    _, root, deps = begun(tmp_path, {}, length=20_000)
    with deps.storage.write() as stores:
        items = [PlanNode(task_type=TaskType.WRITE, title=title, goal="Oil.") for title in ("One", "Two")]
        one, two = stores.nodes.add(root, items, level="chapter", length=3_000, unit_index=lambda i: i + 1)
        stores.documents.add(NewDocument(node=one.key, kind=DocumentKind.SUMMARY, text=DRAWN), None)
        stores.nodes.change(one.key, status=NodeStatus.DONE.value)
        [own] = stores.nodes.add(two, [PlanNode(goal="Settle it.")], level="chapter", unit=two.key, planning_round=1)
        text = "- The lamp of chapter two is green."
        stores.documents.add(NewDocument(node=own.key, kind=DocumentKind.DESIGN, text=text), None)
        stores.nodes.change(own.key, status=NodeStatus.DONE.value)

    draws = {line for seed in range(20) for line in drawn_facts(deps.fresh(two), _seeded(deps, seed))}

    assert draws == {"Debt. Bruno owes Ines a year of oil."}
    deps.storage.database.dispose()


def _seeded(deps: Deps, seed: int) -> Deps:
    brief = deps.brief.model_copy(update={"seed": seed})
    return replace(deps, desk=replace(deps.desk, brief=brief))
