"""Contexts: which blocks, in which order, for whom."""

import json

import pytest

from bookwright.models.document import DocumentKind
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.tree.level import Level
from tests.agents.context.books import block, make_library, size
from tests.support.tags import BLOCK_TAGS


def test_the_ten_blocks_stand_in_the_order_of_change(library):
    chapter = library.grow(40)

    context = library.build(chapter, Activity.BRIEF, "write_plan")

    missing = ("more_summary", "global_state_summary")  # what a task asks for by itself; and what there is none of
    tags = [tag for tag in BLOCK_TAGS if tag not in missing]
    assert [text.partition("<")[2].partition(">")[0] for text in context.blocks] == tags
    assert context.stable == 6


@pytest.mark.parametrize(("activity", "role"), [
    (Activity.JUDGE, "judge"), (Activity.EXECUTE, "router"), (Activity.RECALL, "questions"),
    (Activity.MAINTAIN, "maintainer"),
])  # fmt: skip
def test_small_roles_and_maintainers_get_the_tree_and_the_task_only(library, activity, role):
    chapter = library.grow(40)

    context = library.build(chapter, activity, role)

    assert [tag for tag in BLOCK_TAGS if block(context, tag)] == ["overall_planning", "current_task"]
    assert context.stable == 0


def test_what_there_is_nothing_of_is_not_shown(library):
    with library.storage.read() as stores:
        root = stores.nodes.root()

    context = library.build(root)

    assert [tag for tag in BLOCK_TAGS if block(context, tag)] == [
        "book_level_design", "overall_planning", "current_task",
    ]  # fmt: skip
    assert len(context.blocks) == 3


def test_small_gets_three_blocks_and_no_empty_one(library):
    with library.storage.read() as stores:
        root = stores.nodes.root()
    at_first = library.build(root, Activity.PLAN, "planner", profile=ProfileName.SMALL)
    chapter = library.grow(40)

    later = library.build(chapter, Activity.WRITE, "writer", profile=ProfileName.SMALL)

    assert [tag for tag in BLOCK_TAGS if block(at_first, tag)] == ["book_level_design", "current_task"]
    assert [tag for tag in BLOCK_TAGS if block(later, tag)] == ["book_level_design", "latest_text", "current_task"]
    assert size(later) <= 1_000
    assert "owes its owner money" in block(later, "book_level_design")


def test_the_authors_wishes_head_the_book_design_before_and_after_there_is_one(tmp_path):
    library = make_library(tmp_path, genre="mystery", ending="She sinks the ship.", audience="adults", style="dry")
    with library.storage.read() as stores:
        root = stores.nodes.root()
    before = block(library.build(root), "book_level_design")
    library.keep(DocumentKind.BOOK_DESIGN, "The lamp is a lie.")

    after = block(library.build(root), "book_level_design")

    for wish in ("owes its owner money", "mystery", "She sinks the ship.", "adults", "dry"):
        assert wish in before
        assert wish in after
    assert after.endswith("The lamp is a lie.")


def test_the_tasks_of_a_unit_that_are_not_done_stand_with_the_task_in_hand(library):
    chapter = library.grow(40)
    with library.storage.write() as stores:
        done = library.add_task(stores, chapter, "She lies.")
        task, later = (library.add_task(stores, chapter) for _ in range(2))

    context = library.build(chapter, Activity.EXECUTE, "designer", node=task)

    lines = block(context, "current_task").splitlines()
    assert lines[lines.index("Still to do for the chapter:") + 1 :] == [
        f'{task.label} design "{task.title}", now',
        f'{later.label} design "{later.title}", to come',
    ]
    assert done.label not in block(context, "overall_planning")
    assert "She lies." in block(context, "design_dependent")


def test_the_task_is_printed_with_all_that_the_planner_said(library):
    spec = {
        "instructions": ["Ask Bruno."],
        "input_brief": ["Bruno was there."],
        "constraints": ["Nobody dies."],
        "acceptance_criteria": ["One name."],
    }
    with library.storage.write() as stores:
        unit = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)
        task = library.add_task(stores, unit, goal="Find out who lies.")
        stores.nodes.change(unit.key, open_points=["who lit the lamp"])
        stores.nodes.change(task.key, spec=json.dumps(spec))

    text = block(library.build(unit, Activity.EXECUTE, "designer", node=task), "current_task")

    said = [entry for entries in spec.values() for entry in entries]
    for part in ("Find out who lies.", *said, "who lit the lamp", unit.goal, "3000 words"):
        assert part in text


def test_a_context_shows_the_nodes_as_they_are_recorded(library):
    chapter = library.grow(40)
    with library.storage.write() as stores:
        stores.nodes.change(chapter.key, open_points=["Who moved the kettle?"])

    stale, fresh = library.build(chapter), library.build(library.fresh(chapter))

    assert stale == fresh
    assert "Who moved the kettle?" in block(stale, "current_task")


def test_a_division_sees_the_whole_book_design_and_every_design_of_its_unit(library):
    """S3-036 and S3-123, at lengths at which a planner has no room for all of it."""
    design = "\n".join(library.sentences(1) for _ in range(90))
    library.keep(DocumentKind.BOOK_DESIGN, design)
    act = library.fresh(library.grow(40))
    made = ["\n".join(library.sentences(1) for _ in range(40)) for _ in range(5)]
    with library.storage.write() as stores:
        for text in made:
            library.add_task(stores, act, text)

    dividing = library.build(act, Activity.DIVIDE, "divider")
    planning = library.build(act, Activity.PLAN, "planner")

    assert design in block(dividing, "book_level_design")
    assert [text for text in made if text not in block(dividing, "design_dependent")] == []
    assert [text for text in made if text not in block(planning, "design_dependent")] != []


def test_whoever_sums_a_unit_up_is_shown_its_own_designs(library):
    chapter = library.grow(40)
    with library.storage.write() as stores:
        library.add_task(stores, chapter, "The lamp is lit by the sister.")

    context = library.build(chapter, Activity.CLOSE, "evaluator")

    assert "The lamp is lit by the sister." in block(context, "design_dependent")
