"""What a model is asked before a unit is begun: questions to the index, and texts made small."""

from pathlib import Path
from typing import Any

from bookwright.flows import walk_steps
from bookwright.flows.activities.condense import condense
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
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
