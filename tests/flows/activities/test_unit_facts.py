"""What a unit's place in its book decides."""

from pathlib import Path

from bookwright.exports.manuscript import Chapter, Manuscript
from bookwright.flows.activities.unit_facts import stands_for_chapter, unit_card
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend


def add(stores: Stores, parent: TaskNode, level: Level, index: int, written: int = 0) -> TaskNode:
    """Add a unit, with so much written in it."""
    item = PlanNode(task_type=TaskType.WRITE, title=f"{level} {index}", goal="g", length=900)
    [unit] = stores.nodes.add(parent, [item], level=level.value, unit_index=index)
    if written:
        stores.nodes.add_written(unit, written)
    return unit


def test_what_is_reviewed_as_a_chapter_is_headed_as_one(tmp_path: Path) -> None:
    """S3-118: a scene in a chapter is neither; one that stands right below the book or an act is both."""
    root, deps = begin(tmp_path, ScriptedBackend({}), length=40_000)
    with deps.storage.write() as stores:
        act = add(stores, root, Level.ACT, 1)
        chapter = add(stores, act, Level.CHAPTER, 1)
        units = [act, chapter, *(add(stores, chapter, Level.SCENE, number, 50) for number in (1, 2))]
        units.append(add(stores, act, Level.SCENE, 2, 50))
        units.append(add(stores, root, Level.SCENE, 2, 50))

    reviewed = [unit.label for unit in units if stands_for_chapter(unit, deps)]

    sections = Manuscript(deps.storage).sections()
    assert reviewed == [section.unit.label for section in sections if isinstance(section, Chapter)]
    assert len(reviewed) == 3
    deps.storage.database.dispose()


def test_a_unit_is_told_its_place_in_the_words_of_the_book(tmp_path: Path) -> None:
    root, deps = begin(tmp_path, ScriptedBackend({}), length=400_000, premise="守塔人读到自己的笔迹。")
    with deps.storage.write() as stores:
        act = add(stores, add(stores, root, Level.VOLUME, 1), Level.ACT, 2)

    assert unit_card(act, deps).unit.position == "第1卷第2幕"
    deps.storage.database.dispose()
