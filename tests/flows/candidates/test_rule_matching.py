"""Which units a rule means: where candidates are drafted, and behind which units a book rests."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from bookwright.flows.candidates.rule_matching import candidates_wanted, is_gate_at
from bookwright.flows.deps import Deps
from bookwright.models.brief import make_brief
from bookwright.models.errors import GateWaiting
from bookwright.models.gate import GateKind
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from tests.flows.gated import CHAPTERS, Desk, Sit, living
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

SHAPE = {1: (2, 2), 2: (2, 2), 3: (2,)}
"""By volume: how many scenes each of its chapters has."""
Shaped = tuple[list[TaskNode], Deps]


@pytest.fixture(scope="module")
def shaped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shaped]:
    """The units of a book of three volumes, in reading order."""
    root, deps = begin(tmp_path_factory.mktemp("shaped"), ScriptedBackend(lines={}), length=600_000)
    with deps.storage.write() as stores:
        for chapters in SHAPE.values():
            (volume,) = _put(stores, root, Level.VOLUME, 1)
            for scenes, chapter in zip(chapters, _put(stores, volume, Level.CHAPTER, len(chapters)), strict=True):
                _put(stores, chapter, Level.SCENE, scenes)
        stores.nodes.change(stores.nodes.last_unit(root.key).key, is_last=True)  # type: ignore[union-attr]
    with deps.stores() as stores:
        units = list(stores.nodes.walk(TaskType.WRITE))
    yield units, deps
    deps.storage.database.dispose()


def wishing(deps: Deps, **wishes: Any) -> Deps:
    """The same book by a brief that wishes this, too."""
    brief = make_brief(deps.brief.model_dump(exclude_unset=True) | wishes)
    return replace(deps, desk=replace(deps.desk, brief=brief))


def _put(stores: Any, parent: TaskNode, level: Level, count: int) -> list[TaskNode]:
    there = len(stores.nodes.children(parent.key, TaskType.WRITE))
    parts = [PlanNode(task_type=TaskType.WRITE, title=f"{level} {number}", goal="A climax." if level is Level.CHAPTER
             and parent.unit_index == 2 and number == 2 else "Rain.") for number in range(1, count + 1)]  # fmt: skip
    return list(
        stores.nodes.add(
            parent, parts, level=level.value, length=lambda i: 2_000, unit_index=lambda i: there + i + 1,
            is_last=lambda i: level is not Level.VOLUME and i == count - 1,
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "labels"),
    [
        ("1.2.1", ["1.2.1"]),
        ("chapter 3", ["1.2.1"]),
        ("volume 2", ["1.2"]),
        ("chapters", ["1.1.1", "1.1.2", "1.2.1", "1.2.2", "1.3.1"]),
        ("every chapter of 2", ["1.2.1", "1.2.2"]),
        ("chapters of volume 3", ["1.3.1"]),
        ("scenes of 1.1.2", ["1.1.2.1", "1.1.2.2"]),
        ("scenes of chapter 5", ["1.3.1.1", "1.3.1.2"]),
        ("openings", ["1.1.1", "1.2.1", "1.3.1"]),
        ("ends", ["1.1.2", "1.2.2", "1.3.1"]),
        ("climaxes", ["1.2.2"]),
        ("book", ["1"]),
        ("1.9", []),
    ],
)
def test_a_gate_stands_behind_the_units_that_are_named(shaped: Shaped, rule: str, labels: list[str]) -> None:
    units, deps = shaped
    wished = wishing(deps, gates=[rule])

    assert [unit.label for unit in units if is_gate_at(unit, wished)] == labels


@pytest.mark.parametrize(
    ("rule", "labels"),
    [
        ("1.2.1", ["1.2.1.1", "1.2.1.2"]),
        ("chapters of 2", ["1.2.1.1", "1.2.1.2", "1.2.2.1", "1.2.2.2"]),
        ("1.1.1.2", ["1.1.1.2"]),
        ("openings", ["1.1.1.1", "1.2.1.1", "1.3.1.1"]),
        ("ends", ["1.1.2.2", "1.2.2.2", "1.3.1.2"]),
        ("climaxes", ["1.2.2.1", "1.2.2.2"]),
    ],
)
def test_candidates_are_drafted_for_what_is_written_within_the_units_that_are_named(
    shaped: Shaped, rule: str, labels: list[str]
) -> None:
    units, deps = shaped
    wished = wishing(deps, candidates=2, candidates_for=[rule])

    leaves = [unit for unit in units if unit.level is Level.SCENE]
    assert [unit.label for unit in leaves if candidates_wanted(unit, wished) == 2] == labels


def test_turning_points_are_where_a_quarter_half_and_three_quarters_are_reached(sit: Sit) -> None:
    desk = sit(**CHAPTERS | {"max_unit_length": 1_200}, gates=["turning_points"])

    met = _met(desk)

    chapters = [unit.label for unit in living(desk, TaskType.WRITE) if unit.depth == 1]
    assert len(met) in (2, 3)
    assert chapters[0] not in met
    assert chapters[-1] not in met


def test_a_book_rests_once_behind_a_unit_that_is_named_in_several_ways(sit: Sit) -> None:
    desk = sit(**CHAPTERS, gates=["chapter 1", "chapters", "chapter", "openings"])

    met = _met(desk)

    assert met == [unit.label for unit in living(desk, TaskType.WRITE) if unit.depth == 1]
    with desk.storage.read() as stores:
        assert {gate.kind for gate in stores.gates.all()} == {GateKind.CHAPTER}


def test_a_rejected_part_is_written_anew_under_the_note(sit: Sit) -> None:
    desk = sit(**CHAPTERS | {"length": 2_400, "max_unit_length": 1_200}, max_planning_rounds=1, gates=["book"])
    gate = desk.wait()
    before = len(desk.asked.requests)
    desk.reject(gate, "The keeper is a woman of sixty.")
    again = desk.wait()

    assert (gate.kind, again.kind, again.revision) == (GateKind.UNIT, GateKind.UNIT, gate.revision + 1)
    assert any("The keeper is a woman of sixty." in prompt for prompt in desk.prompts_since(before))
    assert any("write/" in name for name in desk.steps_since(before))


def _met(desk: Desk) -> list[str]:
    met = []
    while True:
        try:
            desk.run()
            return met
        except GateWaiting as waiting:
            met.append(waiting.gate.label)
            desk.approve(waiting.gate)
