"""The tree of a book: labels, order, what is open, what stands before, what was written."""

import pytest
from sqlalchemy import event

from bookwright.models.errors import NodeNotFound
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import BookStorage, Stores

DONE, VOID, WRITTEN = NodeStatus.DONE.value, NodeStatus.VOID.value, NodeStatus.WRITTEN.value


def add_units(stores: Stores, parent: TaskNode, count: int, level: Level = Level.CHAPTER) -> list[TaskNode]:
    items = [PlanNode(task_type=TaskType.WRITE, goal=f"part {index}", title="part") for index in range(count)]
    return stores.nodes.add(parent, items, level=level.value, length=100, unit_index=lambda index: index + 1)


def add_tasks(stores: Stores, parent: TaskNode, *types: TaskType, **common: int) -> list[TaskNode]:
    items = [PlanNode(task_type=task_type, goal="decide") for task_type in types]
    return stores.nodes.add(parent, items, level=parent.level.value, **common)


def write(stores: Stores, *units: TaskNode, status: str = DONE) -> None:
    for unit in units:
        stores.nodes.change(unit.key, status=status)
        stores.nodes.add_written(unit, 10)


def labels(nodes: list[TaskNode]) -> list[str]:
    return [node.label for node in nodes]


def test_the_root_is_the_book(storage: BookStorage) -> None:
    with storage.read() as stores:
        root = stores.nodes.root()

    assert (root.label, root.level, root.length, root.is_last, root.unit_index) == ("1", Level.BOOK, 20_000, True, 1)
    assert (root.parent, root.unit, root.status) == (None, None, NodeStatus.OPEN)


def test_children_are_numbered_on_below_their_parent(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        first = add_tasks(stores, root, TaskType.DESIGN, TaskType.SEARCH)
        second = add_units(stores, root, 11)
        below = add_units(stores, second[-1], 1, Level.SCENE)

    assert labels([*first, *second[:2]]) == ["1.1", "1.2", "1.3", "1.4"]
    assert labels(below) == ["1.13.1"]
    assert [unit.unit_index for unit in second] == list(range(1, 12))


def test_a_void_child_keeps_its_number(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        (replaced,) = add_units(stores, root, 1)
        stores.nodes.change(replaced.key, status=VOID)
        add_units(stores, root, 1)

        assert labels(stores.nodes.children(root.key)) == ["1.2"]
        with pytest.raises(NodeNotFound):
            stores.nodes.by_label("1.1")
        assert stores.nodes.get(replaced.key).status is NodeStatus.VOID


def test_a_node_keeps_all_that_its_plan_said(storage: BookStorage) -> None:
    item = PlanNode(
        task_type=TaskType.DESIGN, title="标题", goal="decide", instructions=("a", "b"), input_brief=("c",),
        constraints=("d",), acceptance_criteria=("e",), complexity_score=7,
    )  # fmt: skip
    with storage.write() as stores:
        root = stores.nodes.root()
        (added,) = stores.nodes.add(
            root, [item], level="book", unit=root.key, planning_round=2, open_points=("p", "q"), outline=["r"]
        )

    with storage.read() as stores:
        kept = stores.nodes.by_label("1.1")
    assert kept == added
    assert (kept.title, kept.instructions, kept.complexity_score) == ("标题", ("a", "b"), 7)
    assert (kept.unit, kept.planning_round, kept.open_points, kept.outline) == (root.key, 2, ("p", "q"), ("r",))


def test_children_come_in_order_and_by_type(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        add_tasks(stores, root, TaskType.SEARCH, TaskType.DESIGN)
        add_units(stores, root, 9)

        assert labels(stores.nodes.children(root.key))[-2:] == ["1.10", "1.11"]
        assert labels(stores.nodes.children(root.key, TaskType.DESIGN)) == ["1.2"]
        assert len(stores.nodes.children(root.key, TaskType.DESIGN, TaskType.SEARCH)) == 2


def test_what_is_not_there_says_where_to_look(storage: BookStorage) -> None:
    with storage.read() as stores:
        with pytest.raises(NodeNotFound, match="bookwright tree lamp"):
            stores.nodes.by_label("1.9")
        with pytest.raises(NodeNotFound, match="key 99"):
            stores.nodes.get(99)


def test_the_open_path_leads_to_where_the_work_goes_on(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        (task,) = add_tasks(stores, root, TaskType.DESIGN)
        (part,) = add_tasks(stores, task, TaskType.SEARCH)
        assert labels(stores.nodes.open_path()) == ["1", "1.1", "1.1.1"]

        for node in (part, task):
            stores.nodes.change(node.key, status=DONE)
        assert labels(stores.nodes.open_path()) == ["1"]

        first, second = add_units(stores, root, 2)
        stores.nodes.change(first.key, status=DONE)
        stores.nodes.change(second.key, status=WRITTEN)
        assert labels(stores.nodes.open_path()) == ["1", "1.3"]

        stores.nodes.change(root.key, status=DONE)
        assert labels(stores.nodes.open_path()) == ["1"]


def test_the_first_open_child_is_a_task_or_a_unit_as_asked(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        assert stores.nodes.first_open_task(root.key) is stores.nodes.first_open_unit(root.key) is None

        done, open_task = add_tasks(stores, root, TaskType.DESIGN, TaskType.SEARCH)
        stores.nodes.change(done.key, status=DONE)
        unit = add_units(stores, root, 2)[0]

        assert stores.nodes.first_open_task(root.key) == stores.nodes.get(open_task.key)
        assert stores.nodes.first_open_unit(root.key) == unit


def test_ancestors_come_nearest_first_by_one_query(storage: BookStorage) -> None:
    with storage.write() as stores:
        node = stores.nodes.root()
        for level in (Level.VOLUME, Level.ACT, Level.CHAPTER, Level.SCENE, Level.BEAT):
            node = add_units(stores, node, 1, level)[0]
    queries: list[str] = []
    event.listen(storage.database.engine, "before_cursor_execute", lambda *call: queries.append(call[2]))

    with storage.read() as stores:
        above = stores.nodes.ancestors(node)

    assert labels(above) == ["1.1.1.1.1", "1.1.1.1", "1.1.1", "1.1", "1"]
    assert len([query for query in queries if "nodes" in query]) == 1


def test_what_is_written_counts_up_to_the_book(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        first, second = add_units(stores, root, 2)
        (below,) = add_units(stores, first, 1, Level.SCENE)
        (task,) = add_tasks(stores, first, TaskType.DESIGN)

        stores.nodes.add_written(below, 70)
        stores.nodes.add_written(second, 30)

        written = [stores.nodes.get(node.key).written for node in (root, first, below, second, task)]
    assert written == [100, 70, 70, 30, 0]


def test_leaves_come_in_reading_order(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        units = add_units(stores, root, 11)
        scenes = add_units(stores, units[1], 2, Level.SCENE)
        write(stores, *scenes, units[0], *units[2:])

        found = labels(list(stores.nodes.leaves()))

    assert found == ["1.1", "1.2.1", "1.2.2", *(f"1.{ordinal}" for ordinal in range(3, 12))]


def test_a_walk_goes_parents_first_and_leaves_the_void_out(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        add_tasks(stores, root, TaskType.DESIGN)
        first, second = add_units(stores, root, 2)
        add_units(stores, first, 1, Level.SCENE)
        stores.nodes.change(second.key, status=VOID)

        assert labels(list(stores.nodes.walk())) == ["1", "1.1", "1.2", "1.2.1"]
        assert labels(list(stores.nodes.walk(TaskType.WRITE))) == ["1", "1.2", "1.2.1"]


def test_the_units_before_are_the_nearest_with_prose(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        first, second, third, fourth = add_units(stores, root, 4)
        scenes = add_units(stores, first, 3, Level.SCENE)
        write(stores, *scenes, second)
        write(stores, third, status=WRITTEN)

        assert labels(stores.nodes.units_before(fourth, 3)) == ["1.1.3", "1.2", "1.3"]
        assert labels(stores.nodes.units_before(fourth, 99)) == ["1.1.1", "1.1.2", "1.1.3", "1.2", "1.3"]
        assert labels(stores.nodes.units_before(scenes[1], 3)) == ["1.1.1"]
        assert stores.nodes.units_before(first, 3) == stores.nodes.units_before(root, 3) == []


def test_a_unit_made_before_its_neighbours_parts_is_still_the_nearest(storage: BookStorage) -> None:
    with storage.write() as stores:
        first, second, third = add_units(stores, stores.nodes.root(), 3, Level.SCENE)
        write(stores, *add_units(stores, first, 20, Level.BEAT), second)

        assert labels(stores.nodes.units_before(third, 1)) == ["1.2"]
        assert labels(stores.nodes.units_before(third, 3)) == ["1.1.19", "1.1.20", "1.2"]


def test_a_unit_that_is_written_anew_still_sees_what_stands_before_it(storage: BookStorage) -> None:
    with storage.write() as stores:
        units = add_units(stores, stores.nodes.root(), 40)
        write(stores, *units)

        assert labels(stores.nodes.units_before(units[2], 3)) == ["1.1", "1.2"]


def test_what_was_voided_stands_before_nothing(storage: BookStorage) -> None:
    with storage.write() as stores:
        first, second, third = add_units(stores, stores.nodes.root(), 3)
        write(stores, first, second)
        stores.nodes.change(second.key, status=VOID)

        assert labels(stores.nodes.units_before(third, 3)) == ["1.1"]


def test_of_each_unit_of_a_level_only_its_last_part_stands_before(storage: BookStorage) -> None:
    with storage.write() as stores:
        act, later = add_units(stores, stores.nodes.root(), 2, Level.ACT)
        first, second, third = add_units(stores, act, 3)
        write(stores, *add_units(stores, first, 3, Level.SCENE), *add_units(stores, second, 2, Level.SCENE), third)

        assert labels(stores.nodes.units_before(later, 3, level=Level.CHAPTER)) == ["1.1.1.3", "1.1.2.2", "1.1.3"]
        assert labels(stores.nodes.units_before(later, 3)) == ["1.1.2.1", "1.1.2.2", "1.1.3"]
        assert stores.nodes.units_before(act, 3, level=Level.CHAPTER) == []


def test_what_a_unit_holds_itself_stands_before_its_next_part(storage: BookStorage) -> None:
    with storage.write() as stores:
        act, later = add_units(stores, stores.nodes.root(), 2, Level.ACT)
        write(stores, *add_units(stores, act, 2), *add_units(stores, later, 1))

        found = stores.nodes.units_before(later, 3, level=Level.CHAPTER, with_own=True)
        assert labels(found) == ["1.1.1", "1.1.2", "1.2.1"]


def test_the_units_before_cost_queries_by_depth_and_not_by_size(storage: BookStorage) -> None:
    with storage.write() as stores:
        chapters = add_units(stores, stores.nodes.root(), 30)
        for chapter in chapters[:-1]:
            write(stores, *add_units(stores, chapter, 5, Level.SCENE))
    queries: list[str] = []
    event.listen(storage.database.engine, "before_cursor_execute", lambda *call: queries.append(call[2]))

    with storage.read() as stores:
        found = stores.nodes.units_before(chapters[-1], 3)

    assert labels(found) == ["1.29.3", "1.29.4", "1.29.5"]
    assert len([query for query in queries if "nodes" in query]) <= 6


def test_counts_are_of_living_nodes(storage: BookStorage) -> None:
    with storage.write() as stores:
        root = stores.nodes.root()
        chapters = add_units(stores, root, 3)
        stores.nodes.change(chapters[0].key, status=DONE)
        stores.nodes.change(chapters[1].key, status=VOID)

        assert stores.nodes.count() == 3
        assert stores.nodes.closed_units(Level.CHAPTER) == 1
        assert stores.nodes.closed_units(Level.BOOK) == 0
