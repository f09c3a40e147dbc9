"""Contexts: from which documents each block is made."""

import pytest

from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.step import Activity
from bookwright.models.tree.level import Level
from tests.agents.context.books import block


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
    library.grow(100)
    with library.storage.write() as stores:
        early = stores.nodes.by_label("1.1.4")
        library.add_task(stores, early, "Marguerite was born on the island and hates the sea.")
        late = stores.nodes.children(stores.nodes.root().key)[-1]
        item = library.add_unit(stores, late, Level.CHAPTER)
        stores.nodes.change(item.key, goal="Marguerite comes home to the island.")

    context = library.build(library.fresh(item))

    assert "Marguerite was born on the island" in block(context, "upper_level_design")


def test_what_a_model_asked_about_a_chapter_finds_what_its_goal_does_not_name(library):
    library.grow(100)
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
    assert block(context, "text_summary") == ""


def test_a_division_goes_on_from_the_end_of_the_last_part(library):
    with library.storage.write() as stores:
        act = library.add_unit(stores, stores.nodes.root(), Level.ACT)
        chapter = library.add_unit(stores, act, Level.CHAPTER)
        library.write(stores, chapter, "The lamp goes out.", "The lamp fails. " + library.sentences(4))

    dividing = library.build(library.fresh(act), Activity.DIVIDE, "divider")
    planning = library.build(library.fresh(act), Activity.PLAN, "planner")

    assert block(dividing, "latest_text") == "The lamp goes out."
    assert block(planning, "latest_text") == ""


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


@pytest.mark.parametrize(("place", "state"), [(1, ""), (2, "State after 1."), (3, "State after 2.")])
def test_the_brief_of_an_earlier_place_is_not_told_the_state_that_later_text_made(library, place, state):
    chapter = _with_two_states(library)[place - 1]
    with library.storage.write() as stores:
        stores.nodes.change(chapter.key, status="open")

    context = library.build(chapter, Activity.BRIEF, "writer")

    assert block(context, "global_state_summary") == state


def test_who_plans_an_earlier_place_anew_knows_how_the_story_went_on(library):
    chapter = _with_two_states(library)[0]

    assert block(library.build(chapter), "global_state_summary") == "State after 3."
