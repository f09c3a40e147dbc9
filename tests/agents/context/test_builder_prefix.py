"""Contexts of one unit share their first blocks byte for byte, so that a provider's cache hits."""

from itertools import pairwise

from bookwright.models.codex.entries import Secret
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.step import Activity
from bookwright.models.tree.level import Level
from tests.agents.context.books import block


def test_a_unit_shares_its_leading_blocks_through_its_activities(library):
    library.keep(DocumentKind.BOOK_DESIGN, library.sentences(150))
    chapter = library.grow(60)
    builder = library.builder()
    library.index.catch_up(library.journal)
    planned = builder.build(chapter, chapter, Activity.PLAN, "planner")

    with library.storage.write() as stores:
        library.add_task(stores, chapter, library.sentences(30))
    library.index.catch_up(library.journal)
    told = builder.build(chapter, chapter, Activity.BRIEF, "write_plan")
    after_a_restart = library.build(chapter, Activity.BRIEF, "write_plan")

    assert told.blocks[: told.stable] == planned.blocks[: planned.stable]
    assert after_a_restart == told


def test_a_task_shares_what_its_unit_knows_and_is_told_besides_what_it_asks_for_alone(library):
    with library.storage.write() as stores:
        root = stores.nodes.root()
        for number in range(40):
            told = "Yusra melts the bronze bell." if number == 3 else library.sentences(4)
            library.write(stores, library.add_unit(stores, root, Level.CHAPTER), library.sentences(30), told)
        chapter = library.add_unit(stores, root, Level.CHAPTER)
        asking = library.add_task(stores, chapter, goal="Yusra and the bronze bell.")
        library.add_task(stores, chapter)

    planned, asked = library.build(chapter), library.build(chapter, Activity.EXECUTE, "designer", node=asking)

    assert planned.stable == asked.stable == 4
    assert planned.blocks[:4] == asked.blocks[:4]
    assert "bronze bell" not in block(planned, "text_summary")
    assert "Yusra melts the bronze bell." in block(asked, "more_summary")
    shown = {line for line in block(asked, "more_summary").splitlines() if line and not line.startswith("[")}
    assert not shown & set(block(asked, "text_summary").splitlines())


def test_who_looks_something_up_is_not_told_the_secrets_and_shares_all_that_comes_before(library):
    library.keep(DocumentKind.BOOK_DESIGN, library.sentences(150))
    chapter = library.grow(60)
    with library.storage.write() as stores:
        stores.codex.add(Secret(id="lamp", content="Yusra put out the lamp."), Origin.AUTHOR)
        design = library.add_task(stores, chapter)
        search = library.add_task(stores, chapter, kind=DocumentKind.FINDINGS)

    told = library.build(chapter, Activity.EXECUTE, "designer", node=design)
    asking = library.build(chapter, Activity.EXECUTE, "researcher", node=search)

    assert "Yusra put out the lamp." in block(told, "secrets")
    assert "Yusra" not in "".join(asking.blocks)
    assert told.blocks[:6] == asking.blocks[:6]
    assert (told.stable, asking.stable) == (7, 6)


def test_what_a_decision_leaves_open_does_not_move_what_the_unit_shares(library):
    chapter = library.grow(100)
    builder = library.builder()
    library.index.catch_up(library.journal)
    before = builder.build(chapter, chapter, Activity.PLAN, "planner")
    with library.storage.write() as stores:
        stores.nodes.change(chapter.key, open_points=["Who moved the kettle, the barrel and the lamp?"])

    after_a_restart = library.build(library.fresh(chapter), Activity.PLAN, "planner")

    assert after_a_restart.blocks[:4] == before.blocks[:4]
    assert "Who moved the kettle" in block(after_a_restart, "current_task")


def test_a_units_own_summary_does_not_change_the_activity_that_writes_it(library):
    chapter = library.grow(40)
    with library.storage.write() as stores:
        stores.nodes.change(chapter.key, status="written")
    before = library.build(chapter, Activity.CLOSE, "evaluator")
    with library.storage.write() as stores:
        text = "The kettle is gone."
        stores.documents.add(NewDocument(node=chapter.key, kind=DocumentKind.SUMMARY, text=text), None)

    after = library.build(chapter, Activity.CLOSE, "evaluator")

    assert after == before


def test_the_results_of_a_round_grow_at_their_end_only(library):
    chapter = library.grow(30)
    with library.storage.write() as stores:
        tasks = [library.add_task(stores, chapter) for _ in range(4)]
    seen = []

    for task in tasks:
        seen.append(block(library.build(library.fresh(chapter), node=library.fresh(task)), "design_dependent"))
        with library.storage.write() as stores:
            stores.documents.add(NewDocument(node=task.key, kind=DocumentKind.DESIGN, text=library.sentences(60)), None)
            stores.nodes.change(task.key, status="done")

    assert all(later.startswith(earlier) for earlier, later in pairwise(seen))
    assert len(set(seen)) == 4
