"""Where the chapters of a book end: kept up with each change, and as if it were worked out anew."""

from hypothesis import given
from hypothesis import strategies as st

from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.tree.reading_order import UnitShare, UnitTable


def unit(label: str, level: Level = Level.CHAPTER, **columns: object) -> TaskNode:
    parts = label.split(".")
    values = {
        "key": sum(int(part) * 100**place for place, part in enumerate(parts)), "book": "b", "label": label,
        "ordinal": int(parts[-1]), "task_type": TaskType.WRITE, "level": level, "goal": "tell it", "length": 100,
        "parent": None if label == "1" else 1,
    }  # fmt: skip
    return TaskNode.model_validate(values | columns)


def book(**columns: object) -> TaskNode:
    return unit("1", Level.BOOK, **{"length": 1_000, "is_last": True} | columns)


def table(*units: TaskNode) -> UnitTable:
    made = UnitTable({})
    made.take_in(units)
    return made


CHANGES = st.lists(
    st.lists(
        st.builds(
            unit,
            st.sampled_from(["1.1", "1.2", "1.3", "1.2.1", "1.2.2", "1.3.1", "1.3.1.1", "1.3.2"]),
            st.sampled_from([Level.ACT, Level.CHAPTER, Level.SCENE]),
            length=st.sampled_from([None, 50, 400]),
            written=st.sampled_from([0, 70, 300]),
            status=st.sampled_from(list(NodeStatus)),
            is_last=st.booleans(),
            story_time=st.sampled_from([None, StoryTime(when="day 2"), StoryTime(when="day 3")]),
        )
        | st.builds(book, length=st.sampled_from([1_000, 3_000]), status=st.sampled_from(["open", "done"])),
        max_size=4,
    ),
    max_size=12,
)


@given(CHANGES)
def test_what_is_kept_up_is_what_would_be_worked_out_anew(changes: list[list[TaskNode]]) -> None:
    held = table(book())
    for changed in changes:
        held.take_in(changed)
        anew = UnitTable(dict(held.rows))

        assert held.order() == anew.order()
        assert held.first_open() == anew.first_open()


def test_a_copy_leaves_what_it_was_made_of_as_it_is() -> None:
    held = table(book(), unit("1.1"), unit("1.2"))
    before = held.order()
    copied = held.copy()
    copied.take_in([unit("1.1", status=NodeStatus.DONE, written=300), unit("1.3")])

    assert copied.order().ends == (10.0, 40.0, 50.0)
    assert held.order() == before


def test_a_written_chapter_makes_only_those_behind_it_end_elsewhere() -> None:
    held = table(book(), *(unit(f"1.{number}") for number in range(1, 6)))
    before = held.order()
    held.take_in([unit("1.4", status=NodeStatus.DONE, written=200)])

    assert before.ends == (10.0, 20.0, 30.0, 40.0, 50.0)
    assert held.order().ends == (10.0, 20.0, 30.0, 40.0, 60.0)


def test_a_share_lies_in_the_first_chapter_that_reaches_it() -> None:
    held = table(book(), unit("1.1", length=400, written=100, status=NodeStatus.DONE), unit("1.2"), unit("1.3"))
    order = held.order()

    assert order.ends == (40.0, 20.0, 30.0)  # the first came out shorter than it was planned
    assert order.reached == (40.0, 40.0, 40.0)
    assert ReadingOrder(chapters=order.chapters, ends=order.ends, usual=10.0)._reached == order.reached


class CountedRows(dict[str, UnitShare]):
    """Rows that count how often one of them is looked at."""

    looks = 0

    def __getitem__(self, label: str) -> UnitShare:
        """Return a row, and count it."""
        self.looks += 1
        return super().__getitem__(label)


def looks_at_a_change(chapters: int) -> int:
    rows = CountedRows()
    held = UnitTable(rows)
    held.take_in([book(length=100 * chapters), *(unit(f"1.{number}", written=90) for number in range(1, chapters))])
    held.take_in([unit(f"1.{number}", written=90, status=NodeStatus.DONE) for number in range(1, chapters)])
    held.order()
    held.first_open()
    before = rows.looks
    held.take_in([unit(f"1.{chapters}")])
    held.take_in([unit(f"1.{chapters}", status=NodeStatus.DONE, written=80)])
    held.order()
    held.first_open()
    return rows.looks - before


def test_a_chapter_at_the_end_costs_as_much_however_many_stand_before_it() -> None:
    assert looks_at_a_change(2_000) == looks_at_a_change(20) <= 10
