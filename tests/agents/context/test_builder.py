"""Contexts: which blocks in which order, within which bounds, from which documents."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import event

from bookwright.agents.context.builder import ContextBuilder
from bookwright.agents.context.rooms import OWN_PART
from bookwright.models.codex import Secret
from bookwright.models.codex_record import Origin
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.level import Level
from bookwright.models.profile import PROFILES, ProfileName, fitted
from bookwright.models.step import Activity
from bookwright.prompts.render import BLOCK_TAGS, PROSE_TAGS
from bookwright.storage.stores import BookStorage
from tests.agents.context.books import Library, block, count_words, make_library

NONE_YET = "(none yet)"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return make_library(tmp_path)


@pytest.fixture(scope="module")
def small_and_large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    """A book of 250 nodes, enough to fill every room, and one of 3 000, of the same make."""
    libraries = []
    for nodes in (250, 3_000):
        library = make_library(tmp_path_factory.mktemp(f"nodes{nodes}"))
        library.keep(DocumentKind.BOOK_DESIGN, library.sentences(150))
        library.keep(DocumentKind.GLOBAL_STATE, library.sentences(80))
        library.grow(nodes)
        library.index.catch_up(library.journal)
        libraries.append(library)
    return libraries[0], libraries[1]


def test_the_ten_blocks_stand_in_the_order_of_change(library):
    chapter = library.grow(40)

    context = library.build(chapter, Activity.BRIEF, "write_plan")

    tags = [tag for tag in BLOCK_TAGS if tag != "more_summary"]  # what a task of the unit asks for by itself
    assert [text.partition("<")[2].partition(">")[0] for text in context.blocks] == tags
    assert all(block(context, tag) not in ("", NONE_YET) for tag in BLOCK_TAGS if tag.endswith(("design", "text")))
    assert context.stable == 7


@pytest.mark.parametrize(("activity", "role"), [
    (Activity.JUDGE, "judge"), (Activity.EXECUTE, "router"), (Activity.RECALL, "questions"),
    (Activity.MAINTAIN, "maintainer"),
])  # fmt: skip
def test_small_roles_and_maintainers_get_the_tree_and_the_task_only(library, activity, role):
    chapter = library.grow(40)

    context = library.build(chapter, activity, role)

    assert [tag for tag in BLOCK_TAGS if block(context, tag)] == ["overall_planning", "current_task"]
    assert context.stable == 0


def test_empty_components_say_so(library):
    with library.storage.read() as stores:
        root = stores.nodes.root()

    context = library.build(root)

    assert len(context.blocks) == 10
    assert block(context, "latest_text") == NONE_YET


def test_who_writes_prose_sees_the_brief_and_what_readers_have_read_and_no_design(library):
    library.keep(DocumentKind.BOOK_DESIGN, "All turns on a wager.")
    library.keep(DocumentKind.GLOBAL_STATE, "The wager is with the sea.")
    chapter = library.grow(40)
    with library.storage.write() as stores:
        brief = NewDocument(node=chapter.key, kind=DocumentKind.WRITERS_BRIEF, text="Ines counts the ships.")
        told = stores.documents.add(brief, None).id

    context = library.build(chapter, Activity.WRITE, "write_plan")

    text = "".join(context.blocks)
    assert [shown.partition("<")[2].partition(">")[0] for shown in context.blocks] == [
        tag for tag in PROSE_TAGS if tag not in ("hints", "style_guide")
    ]
    assert block(context, "writers_brief") == "Ines counts the ships."
    assert told in context.sources
    assert "wager" not in text
    assert chapter.goal not in text
    assert context.stable == len(context.blocks)


def test_in_economy_the_brief_is_the_plan_and_no_block(library):
    chapter = library.grow(40)

    context = library.build(chapter, Activity.WRITE, "write_plan", profile=ProfileName.ECONOMY)

    assert block(context, "writers_brief") == ""
    assert block(context, "latest_text") != ""


def test_small_gets_three_blocks_and_no_empty_one(library):
    with library.storage.read() as stores:
        root = stores.nodes.root()
    at_first = library.build(root, Activity.PLAN, "planner", profile=ProfileName.SMALL)
    chapter = library.grow(40)

    later = library.build(chapter, Activity.WRITE, "writer", profile=ProfileName.SMALL)

    assert [tag for tag in BLOCK_TAGS if block(at_first, tag)] == ["book_level_design", "current_task"]
    assert [tag for tag in BLOCK_TAGS if block(later, tag)] == ["book_level_design", "latest_text", "current_task"]
    assert NONE_YET not in "".join(at_first.blocks + later.blocks)
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


def test_a_very_long_premise_is_cut_to_its_room(tmp_path):
    library = make_library(tmp_path, premise="Ines keeps a lighthouse. " + "She counts the ships that pass. " * 1_500)
    with library.storage.read() as stores:
        root = stores.nodes.root()

    context = library.build(root)

    assert block(context, "book_level_design").startswith("<brief>\nInes keeps a lighthouse.")
    assert size(context) <= room("planner")


@pytest.mark.parametrize("profile", [ProfileName.ECONOMY, ProfileName.STANDARD, ProfileName.FINE])
@pytest.mark.parametrize("role", ["planner", "write_plan", "writer", "critic", "evaluator", "judge"])
def test_no_context_exceeds_its_budget_however_large_the_book(small_and_large, profile, role):
    _, large = small_and_large
    activity = {"judge": Activity.JUDGE, "writer": Activity.WRITE}.get(role, Activity.BRIEF)

    context = large.build(large.last, activity, role, profile=profile)

    assert size(context) <= room(role, profile)


@pytest.mark.parametrize(("activity", "role"), [
    (Activity.PLAN, "planner"), (Activity.BRIEF, "write_plan"), (Activity.WRITE, "write_plan"),
])  # fmt: skip
def test_the_prompt_does_not_grow_with_the_book(small_and_large, activity, role):
    small, large = (size(library.build(library.last, activity, role)) for library in small_and_large)

    assert large <= small * 1.1


def test_building_asks_the_database_a_bounded_number_of_times(small_and_large):
    _, large = small_and_large
    builder = large.builder()
    statements = count_statements(large.storage)

    builder.build(large.last, large.last, Activity.PLAN, "planner")

    assert statements() <= 100


def test_two_builds_are_the_same_bytes(small_and_large):
    _, large = small_and_large
    chapter = large.last

    first, second = (large.build(chapter, Activity.WRITE, "writer") for _ in range(2))

    assert first == second


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

    assert planned.stable == asked.stable == 7
    assert planned.blocks[:7] == asked.blocks[:7]
    assert "bronze bell" not in block(planned, "text_summary")
    assert "Yusra melts the bronze bell." in block(asked, "more_summary")
    shown = {line for line in block(asked, "more_summary").splitlines() if line and not line.startswith("[")}
    assert not shown & set(block(asked, "text_summary").splitlines())


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
    assert told.blocks[:7] == asking.blocks[:7]
    assert (told.stable, asking.stable) == (8, 7)


def test_what_a_decision_leaves_open_does_not_move_what_the_unit_shares(library):
    chapter = library.grow(200)
    builder = library.builder()
    library.index.catch_up(library.journal)
    before = builder.build(chapter, chapter, Activity.PLAN, "planner")
    with library.storage.write() as stores:
        stores.nodes.change(chapter.key, open_points=["Who moved the kettle, the barrel and the lamp?"])

    after_a_restart = library.build(library.fresh(chapter), Activity.PLAN, "planner")

    assert after_a_restart.blocks[:4] == before.blocks[:4]
    assert "Who moved the kettle" in block(after_a_restart, "current_task")


def test_a_context_shows_the_nodes_as_they_are_recorded(library):
    chapter = library.grow(40)
    with library.storage.write() as stores:
        stores.nodes.change(chapter.key, open_points=["Who moved the kettle?"])

    stale, fresh = library.build(chapter), library.build(library.fresh(chapter))

    assert stale == fresh
    assert "Who moved the kettle?" in block(stale, "current_task")


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


def test_the_parts_of_a_task_are_shown_until_its_own_document_stands(library):
    chapter = library.grow(30)
    with library.storage.write() as stores:
        task = library.add_task(stores, chapter)
        library.add_task(stores, chapter, "The first part says so.", parent=task)
        second = library.add_task(stores, chapter, parent=task)
    during = block(library.build(chapter, Activity.EXECUTE, "designer", node=second), "design_dependent")
    merging = block(library.build(chapter, Activity.AGGREGATE, "designer", node=task), "design_dependent")

    with library.storage.write() as stores:
        stores.documents.add(NewDocument(node=task.key, kind=DocumentKind.DESIGN, text="The whole says so."), None)
        stores.nodes.change(task.key, status="done")
    after = block(library.build(chapter), "design_dependent")

    assert "The first part says so." in during
    assert "The first part says so." not in merging  # whoever merges the parts has them whole
    assert "The whole says so." in after
    assert "The first part says so." not in after


def test_designs_of_the_units_above_come_nearest_first(library):
    with library.storage.write() as stores:
        root = stores.nodes.root()
        volume = library.add_unit(stores, root, Level.VOLUME)
        library.add_task(stores, volume, "The volume turns on a wreck.")
        act = library.add_unit(stores, volume, Level.ACT)
        library.add_task(stores, act, "The act turns on a letter.")
        chapter = library.add_unit(stores, act, Level.CHAPTER)

    text = block(library.build(chapter), "upper_level_design")

    assert text.index("The act turns on a letter.") < text.index("The volume turns on a wreck.")


def test_the_books_own_designs_give_way_to_the_book_design(library):
    with library.storage.write() as stores:
        root = stores.nodes.root()
        library.add_task(stores, root, "The book turns on a debt.", goal="zzz")
        chapter = library.add_unit(stores, root, Level.CHAPTER)
    before = library.build(chapter)
    design = library.keep(DocumentKind.BOOK_DESIGN, "All turns on a debt.")

    after = library.build(chapter)

    assert "[1.1 book design" in block(before, "upper_level_design")
    assert "All turns on a debt." in block(after, "book_level_design")
    assert design in after.sources
    assert design not in before.sources


def test_retrieval_finds_an_old_design_by_the_name_in_the_goal(library):
    library.grow(200)
    with library.storage.write() as stores:
        early = stores.nodes.by_label("1.1.4")
        library.add_task(stores, early, "Marguerite was born on the island and hates the sea.")
        late = stores.nodes.children(stores.nodes.root().key)[-1]
        item = library.add_unit(stores, late, Level.CHAPTER)
        stores.nodes.change(item.key, goal="Marguerite comes home to the island.")

    context = library.build(library.fresh(item))

    assert "Marguerite was born on the island" in block(context, "upper_level_design")


def test_the_latest_text_is_the_end_of_what_stands_before_the_unit(library):
    with library.storage.write() as stores:
        root = stores.nodes.root()
        first, second, third = (library.add_unit(stores, root, Level.CHAPTER) for _ in range(3))
        prose = "\n\n".join(f"Paragraph {number}. {library.sentences(3)}" for number in range(60))
        library.write(stores, first, prose, "Ines leaves.")
        library.write(stores, third, "What comes later.", "Ines returns.")

    text = block(library.build(second, Activity.WRITE, "writer"), "latest_text")

    assert text.startswith("Paragraph ")
    assert prose.endswith(text)


def test_short_units_before_are_all_shown_and_their_summaries_left_out(library):
    with library.storage.write() as stores:
        scene = library.add_unit(stores, stores.nodes.root(), Level.SCENE)
        beats = [library.add_unit(stores, scene, Level.BEAT) for _ in range(4)]
        for number, beat in enumerate(beats[:3]):
            library.write(stores, beat, f"Beat {number} happens.", f"Summary of beat {number}.")

    context = library.build(library.fresh(beats[3]), Activity.WRITE, "writer")

    assert block(context, "latest_text") == "Beat 0 happens.\n\nBeat 1 happens.\n\nBeat 2 happens."
    assert block(context, "text_summary") == NONE_YET


def test_a_division_goes_on_from_the_end_of_the_last_part(library):
    with library.storage.write() as stores:
        act = library.add_unit(stores, stores.nodes.root(), Level.ACT)
        chapter = library.add_unit(stores, act, Level.CHAPTER)
        library.write(stores, chapter, "The lamp goes out.", "The lamp fails. " + library.sentences(4))

    dividing = library.build(library.fresh(act), Activity.DIVIDE, "divider")
    planning = library.build(library.fresh(act), Activity.PLAN, "planner")

    assert block(dividing, "latest_text") == "The lamp goes out."
    assert block(planning, "latest_text") == NONE_YET


def test_sources_are_the_documents_whose_text_stands_in_the_blocks(library):
    design = library.keep(DocumentKind.BOOK_DESIGN, "All turns on a debt.")
    library.keep(DocumentKind.BOOK_DESIGN, "All turns on a lie.")
    with library.storage.write() as stores:
        root = stores.nodes.root()
        first, second = (library.add_unit(stores, root, Level.CHAPTER) for _ in range(2))
        library.write(stores, first, "The lamp goes out.", "The lamp fails.")
        task = library.add_task(stores, second, "She lies.")
        library.add_task(stores, second)
        expected = {
            stores.documents.current(key, kind).id
            for key, kind in (
                (root.key, DocumentKind.BOOK_DESIGN), (first.key, DocumentKind.PROSE),
                (first.key, DocumentKind.SUMMARY), (task.key, DocumentKind.DESIGN),
            )
        }  # fmt: skip

    context = library.build(second, Activity.BRIEF, "writer")

    assert set(context.sources) == expected
    assert design not in context.sources


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


def test_a_huge_task_is_cut_and_its_goal_stands(library):
    with library.storage.write() as stores:
        unit = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)
        stores.nodes.change(unit.key, spec=json.dumps({"instructions": [library.sentences(40) for _ in range(20)]}))

    context = library.build(unit)

    assert unit.goal in block(context, "current_task")
    assert size(context) <= room("planner")


def size(context) -> int:
    return sum(map(count_words, context.blocks))


def room(role: str, profile: ProfileName = ProfileName.STANDARD) -> int:
    return PROFILES[profile].context_budget[role] - OWN_PART


def count_statements(storage: BookStorage) -> Callable[[], int]:
    """Return a function that tells how many statements the database has been given since."""
    seen: list[str] = []
    event.listen(storage.database.engine, "before_cursor_execute", lambda *values: seen.append(values[2]))
    return lambda: len(seen)


def test_what_a_model_asked_about_a_chapter_finds_what_its_goal_does_not_name(library):
    library.grow(200)
    with library.storage.write() as stores:
        early = stores.nodes.by_label("1.1.4")
        library.add_task(stores, early, "Marguerite was born on the island and hates the sea.")
        late = stores.nodes.children(stores.nodes.root().key)[-1]
        chapter = library.add_unit(stores, late, Level.CHAPTER)
    without = library.build(chapter)
    with library.storage.write() as stores:
        asked = NewDocument(node=chapter.key, kind=DocumentKind.QUESTIONS, text="Where was Marguerite born?\nWhy?")
        stores.documents.add(asked, None)

    context = library.build(chapter)

    assert "Marguerite was born" not in block(without, "upper_level_design")
    assert "Marguerite was born on the island" in block(context, "upper_level_design")


def _with_two_states(library):
    """Three chapters, of which the second is to be written anew, and the state after the first and after all."""
    with library.storage.write() as stores:
        root = stores.nodes.root()
        chapters = [library.add_unit(stores, root, Level.CHAPTER) for _ in range(3)]
        for number, chapter in enumerate(chapters, 1):
            library.write(stores, chapter, f"Chapter {number} is told.", f"Chapter {number} in short.")
            summary = stores.documents.current(chapter.key, DocumentKind.SUMMARY)
            state = NewDocument(
                node=root.key, kind=DocumentKind.GLOBAL_STATE, text=f"State after {number}.", inputs=(summary.id,)
            )
            stores.documents.add(state, None)
    return chapters


@pytest.mark.parametrize(("place", "state"), [(1, "(none yet)"), (2, "State after 1."), (3, "State after 2.")])
def test_the_brief_of_an_earlier_place_is_not_told_the_state_that_later_text_made(library, place, state):
    chapter = _with_two_states(library)[place - 1]
    with library.storage.write() as stores:
        stores.nodes.change(chapter.key, status="open")

    context = library.build(chapter, Activity.BRIEF, "writer")

    assert block(context, "global_state_summary") == state


def test_who_plans_an_earlier_place_anew_knows_how_the_story_went_on(library):
    chapter = _with_two_states(library)[0]

    assert block(library.build(chapter), "global_state_summary") == "State after 3."


def test_a_large_room_is_filled_from_more_of_the_book(library):
    unit = library.grow(400)
    usual = PROFILES[ProfileName.STANDARD]

    sizes = []
    for profile in (usual, fitted(usual, 1_000_000, 10)):
        library.index.catch_up(library.journal)
        builder = ContextBuilder(library.storage, library.index, profile, "en", count_words)
        context = builder.build(unit, unit, Activity.WRITE, "writer")
        sizes.append(sum(map(count_words, context.blocks)))

    assert sizes[0] <= 9_000
    assert 3 * sizes[0] < sizes[1] <= 90_000
