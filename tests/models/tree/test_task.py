"""A node's place in the tree: reading order, depth, what is left of its length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode

labels = st.lists(st.integers(1, 30), max_size=8).map(lambda path: ".".join(map(str, [1, *path])))


def node(label: str = "1", **values: object) -> TaskNode:
    fields = {"key": 1, "book": "b", "level": Level.BOOK, "task_type": TaskType.WRITE, "goal": "g", "label": label}
    return TaskNode.model_validate(fields | values)


def test_the_tenth_child_comes_after_the_second() -> None:
    assert sorted(["1.10", "1.2", "1"], key=lambda label: node(label).order) == ["1", "1.2", "1.10"]


@given(st.lists(labels))
def test_reading_order_is_the_order_of_the_tree(some: list[str]) -> None:
    ordered = [item.label for item in sorted(map(node, some), key=lambda item: item.order)]

    assert ordered == sorted(some, key=lambda label: [int(part) for part in label.split(".")])


@given(labels, st.integers(1, 30))
def test_a_child_comes_right_after_its_parent_and_before_the_next_sibling(label: str, ordinal: int) -> None:
    child, later = node(f"{label}.{ordinal}"), node(f"{label}.{ordinal + 1}")

    assert node(label).order < child.order < node(f"{child.label}.99").order < later.order
    assert child.depth == node(label).depth + 1


@pytest.mark.parametrize("label", ["", "2", "1.", "1.0", "1.01", "1..2", "1.2 ", "one"])
def test_a_label_is_ordinals_from_one(label: str) -> None:
    with pytest.raises(ValidationError):
        node(label)


def test_what_remains_goes_negative_when_too_much_was_written() -> None:
    assert node(length=1_000, written=1_200).remaining == -200
    assert node(written=30).remaining == -30


def test_a_node_names_itself_in_a_few_words() -> None:
    task = node("1.2", task_type=TaskType.DESIGN, goal="Decide who " + "x" * 200)

    assert node("1.3", level=Level.ACT, title="The Ferry").name == '1.3 act "The Ferry"'
    assert task.name.startswith('1.2 design "Decide who')
    assert len(task.name) < 70
    assert node().is_unit
    assert not task.is_unit
