"""The tree view: what it shows, and how little however large the book."""

import pytest

from bookwright.agents.context.fisheye import task_view, tree_view
from bookwright.agents.context.place import ActivityPlace
from bookwright.agents.context.pruner import Pruned
from bookwright.models.document import DocumentKind
from bookwright.models.step import Activity
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores
from tests.agents.context.books import Library, count_words


def at(stores: Stores, node: TaskNode, unit: TaskNode) -> ActivityPlace:
    brief = stores.books.get(unit.book).brief
    return ActivityPlace(node, unit, Activity.PLAN, tuple(stores.nodes.ancestors(unit)), stores, brief, "en")


def view(library: Library, node: TaskNode, unit: TaskNode | None = None, room: int = 10_000) -> Pruned:
    with library.storage.read() as stores:
        return tree_view(at(stores, node, unit or node), room, count_words)


def test_ancestors_siblings_outcomes_and_tasks_stand_one_line_each(library):
    with library.storage.write() as stores:
        root = stores.nodes.root()
        act = library.add_unit(stores, root, Level.ACT)
        first, second, third = (library.add_unit(stores, act, Level.CHAPTER) for _ in range(3))
        library.write(stores, first, "She runs.", "## What happened\nInes runs from the owner. She loses the key.")
        done = library.add_task(stores, second, "A finding.", kind=DocumentKind.FINDINGS)
        task = library.add_task(stores, second)
        part = library.add_task(stores, second, parent=task)

    lines = view(library, part, second).text.splitlines()

    assert lines == [
        f'1 book "Lamp" (900000), open: {library.brief.premise}',
        f'  1.1 act "{act.title}" (3000), open: {clipped(act.goal)}',
        f'    1.1.1 chapter "{first.title}" (3000), done: Ines runs from the owner.',
        f'    1.1.2 chapter "{second.title}" (3000), open: {clipped(second.goal)}',
        f'      1.1.2.1 search "{done.title}", done',
        f'      1.1.2.2 design "{task.title}", open',
        f'        1.1.2.2.1 design "{part.title}", now',
        f'    1.1.3 chapter "{third.title}" (3000), to come: {clipped(third.goal)}',
    ]


def test_a_level_has_at_most_twelve_lines_and_counts_the_rest(library):
    with library.storage.write() as stores:
        act = library.add_unit(stores, stores.nodes.root(), Level.ACT)
        chapters = [library.add_unit(stores, act, Level.CHAPTER) for _ in range(500)]

    lines = view(library, chapters[300]).text.splitlines()

    assert sum(line.startswith("    1.1.") for line in lines) == 12
    assert [line.strip() for line in lines if line.endswith("more")] == ["... 292 more", "... 196 more"]


@pytest.mark.parametrize("room", [0, 5, 60, 150, 400])
def test_no_view_exceeds_its_room(library, room):
    with library.storage.write() as stores:
        unit = stores.nodes.root()
        for level in (Level.VOLUME, Level.ACT, Level.CHAPTER, Level.SCENE):
            siblings = [library.add_unit(stores, unit, level) for _ in range(40)]
            unit = siblings[20]
        for _ in range(30):
            library.add_task(stores, unit)

    text = view(library, unit, room=room).text

    assert count_words(text) <= room
    assert (unit.label in text) == (room >= 60)


def test_void_nodes_are_not_shown(library):
    with library.storage.write() as stores:
        unit = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)
        task = library.add_task(stores, unit)
        stores.nodes.change(task.key, status=NodeStatus.VOID.value)

    assert task.label not in view(library, unit).text


def test_the_tree_of_units_stands_still_while_their_tasks_are_done(library):
    with library.storage.write() as stores:
        chapter = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)
        before = tree_view(at(stores, chapter, chapter), 10_000, count_words, has_tasks=False)
        done, opened = library.add_task(stores, chapter, "A design."), library.add_task(stores, chapter)
        part, last = library.add_task(stores, chapter, parent=opened), library.add_task(stores, chapter)

        during = tree_view(at(stores, part, chapter), 10_000, count_words, has_tasks=False)
        listed = task_view(at(stores, part, chapter), 10_000, count_words)

    assert during == before
    assert f'{chapter.label} chapter "{chapter.title}" (3000), now' in during.text
    assert done.label not in listed
    assert listed.splitlines() == [
        f'{opened.label} design "{opened.title}", open',
        f'  {part.label} design "{part.title}", now',
        f'{last.label} design "{last.title}", to come',
    ]


def test_a_task_that_alone_is_left_is_not_listed(library):
    with library.storage.write() as stores:
        chapter = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)
        library.add_task(stores, chapter, "A design.")
        task = library.add_task(stores, chapter)

        assert task_view(at(stores, task, chapter), 10_000, count_words) == ""


def test_only_summaries_whose_words_are_shown_are_sources(library):
    with library.storage.write() as stores:
        chapters = [library.add_unit(stores, stores.nodes.root(), Level.CHAPTER) for _ in range(30)]
        for chapter in chapters[:29]:
            library.write(stores, chapter, "Prose.", f"What came of {chapter.label}.")

    wide, narrow = view(library, chapters[29]), view(library, chapters[29], room=60)

    assert len(wide.sources) == wide.text.count("What came of") == 11
    assert len(narrow.sources) == narrow.text.count("What came of") == 0


def clipped(text: str) -> str:
    return text if len(text) <= 90 else text[:89].rstrip() + "…"


@pytest.mark.parametrize(("summary", "note"), [
    ("**Events** Fri. Reis greets her and stares at the page.", "Reis greets her and stares at the page."),
    ("## Events\n- **Ines** burns the leaf.\n- She sells it.", "Ines burns the leaf."),
    ("### 事件\n林小雨点着了灯，没有人看见她。她走了。", "林小雨点着了灯，没有人看见她。"),
])  # fmt: skip
def test_what_came_of_a_unit_is_one_whole_sentence_without_marks(library, summary, note):
    with library.storage.write() as stores:
        first, second = (library.add_unit(stores, stores.nodes.root(), Level.CHAPTER) for _ in range(2))
        library.write(stores, first, "Prose.", summary)

    assert f'{first.label} chapter "{first.title}" (3000), done: {note}\n' in view(library, second).text
