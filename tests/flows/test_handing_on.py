"""What one activity hands on to the next: open points, findings of parts, the text behind the findings."""

from pathlib import Path
from typing import Any

import pytest

from bookwright.flows import walk_steps
from bookwright.flows.deps import Deps
from bookwright.flows.walk import design, resolve, write_unit
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookPaused
from bookwright.models.tree.decision import Decision, FlowDecision
from bookwright.models.tree.plan import PlanNode, PlanOutput, TaskType
from bookwright.prompts.render import render_unverified
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
