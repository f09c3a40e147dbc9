"""Contexts of whoever writes prose: the order, the voice, designs or a brief, and nothing that is kept back."""

import json

import pytest

from bookwright.agents.relay.secrets.guard import plot_of, reads_designs
from bookwright.models.codex.entries import Secret
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.level import Level
from tests.agents.context.books import block, count_words, make_library, room, size
from tests.support.tags import PROSE_TAGS


def tags_of(context):
    return [text.partition("<")[2].partition(">")[0] for text in context.blocks]


def prose(library, unit, profile=ProfileName.STANDARD):
    return library.build(library.fresh(unit), Activity.WRITE, "write_plan", profile=profile)


def brief_for(library, unit, text):
    with library.storage.write() as stores:
        return stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.WRITERS_BRIEF, text=text), None).id


@pytest.mark.parametrize("only", [("order",), ("order", "style_guide"), ("order", "text_summary", "earlier_pages")])
def test_what_alone_is_asked_for_stands_as_it_would_beside_the_others(library, only):
    library.keep(DocumentKind.BOOK_DESIGN, "All turns on a wager.")
    chapter = library.grow(40)
    whole = prose(library, chapter)

    context = library.builder().build(chapter, chapter, Activity.WRITE, "write_plan", *only)

    assert context.blocks == tuple(text for text, tag in zip(whole.blocks, tags_of(whole), strict=True) if tag in only)
    assert context.blocks


def test_a_writer_with_a_brief_sees_the_order_the_task_and_what_readers_read_and_no_design(library):
    library.keep(DocumentKind.BOOK_DESIGN, "All turns on a wager.")
    library.keep(DocumentKind.GLOBAL_STATE, "The wager is with the sea.")
    chapter = library.grow(40)
    told = brief_for(library, chapter, "Ines counts the ships.")

    context = prose(library, chapter)

    assert tags_of(context) == [
        "order", "writers_brief", "current_task", "search_dependent", "text_summary", "earlier_pages", "latest_text",
    ]  # fmt: skip
    assert [tag for tag in PROSE_TAGS if tag in tags_of(context)] == tags_of(context)
    assert block(context, "writers_brief") == "Ines counts the ships."
    assert told in context.sources
    assert "wager" not in "".join(context.blocks)
    assert chapter.goal in block(context, "current_task")
    assert context.stable == len(context.blocks)


def test_a_writer_is_told_when_the_unit_is_set(library):
    chapter = library.grow(40)
    with library.storage.write() as stores:
        stores.nodes.change(chapter.key, story_time=StoryTime(when="ten years before the story begins"))

    task = block(prose(library, chapter), "current_task")

    assert "It is: ten years before the story begins" in task


def test_a_writer_reads_the_designs_themselves_where_nothing_in_them_is_kept_back(library):
    design = library.keep(DocumentKind.BOOK_DESIGN, "- § The lamp is a lie.\n- Bruno is rich.")
    with library.storage.write() as stores:
        root = stores.nodes.root()
        act = library.add_unit(stores, root, Level.ACT)
        library.add_task(stores, act, "The act turns on a letter.")
        chapter = library.add_unit(stores, act, Level.CHAPTER)
        library.add_task(stores, chapter, "The door is locked from inside.")

    context = prose(library, chapter)

    assert block(context, "book_design") == "- § The lamp is a lie.\n- Bruno is rich."
    shown = block(context, "unit_designs")
    assert shown.index("The door is locked from inside.") < shown.index("The act turns on a letter.")
    assert "writers_brief" not in tags_of(context)
    assert design in context.sources
    with library.storage.read() as stores:
        assert plot_of(chapter, stores, library.brief).endswith("The act turns on a letter.")


@pytest.mark.parametrize(("secret", "is_free"), [
    ("Bruno set the boathouse on fire.", False), ("The moon is made of cheese.", True),
])  # fmt: skip
def test_designs_that_tell_a_secret_are_read_by_no_writer(library, secret, is_free):
    library.keep(DocumentKind.BOOK_DESIGN, "Bruno set the boathouse on fire, and nobody saw.")
    with library.storage.write() as stores:
        stores.codex.add(Secret(id="fire", content=secret), Origin.AUTHOR)
        chapter = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)

    context = prose(library, chapter)

    with library.storage.read() as stores:
        assert reads_designs(chapter, stores, library.brief) is is_free
    assert ("book_design" in tags_of(context)) is is_free


def test_a_book_in_one_piece_shows_its_designs_whole_and_no_second_page_of_them(library):
    library.keep(DocumentKind.BOOK_DESIGN, "All of it in short.")
    with library.storage.write() as stores:
        root = stores.nodes.root()
        whole = [library.sentences(40) for _ in range(4)]
        for text in whole:
            library.add_task(stores, root, text)

    context = prose(library, root)

    assert all(text in block(context, "unit_designs") for text in whole)
    assert "book_design" not in tags_of(context)
    assert "the whole book, in one piece" in block(context, "order")


def test_the_order_has_the_authors_words_and_the_units_place(tmp_path):
    library = make_library(
        tmp_path, genre="mystery", ending="She sinks the ship.", audience="adults", style="dry, long sentences",
        title="The Lamp", length=12_000,
    )  # fmt: skip
    with library.storage.write() as stores:
        root = stores.nodes.root()
        first = library.add_unit(stores, root, Level.CHAPTER, unit_index=1)
        library.write(stores, first, "She counts. " * 40, "She counts.")
        second = library.add_unit(stores, root, Level.CHAPTER, unit_index=2)
    brief_for(library, second, "She goes.")

    text = block(prose(library, second), "order")

    for words in ("The Lamp", "mystery", "She sinks the ship.", "adults", "dry, long sentences", library.brief.premise):
        assert words in text
    assert f'chapter 2 of about 4, "{second.title}", 3000 words' in text
    assert f'Before it: "{first.title}"' in text
    with library.storage.write() as stores:
        stores.nodes.change(second.key, is_last=True)
    assert "chapter 2 of 2" in block(prose(library, second), "order")


def test_the_order_stands_whole_and_only_a_long_premise_is_cut(tmp_path):
    style = "Plain words. " * 300
    library = make_library(tmp_path, premise="Ines keeps a lighthouse. " * 800, style=style)
    with library.storage.write() as stores:
        chapter = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)
    brief_for(library, chapter, "She goes.")

    context = prose(library, chapter)

    assert style.strip() in block(context, "order")
    assert size(context) <= room("write_plan")


def test_the_voice_page_stands_whole_and_behind_the_order(library):
    chapter = library.grow(40)
    library.keep(DocumentKind.VOICE, "She never says what is funny.\n\n- Bruno: “Well now.”")

    context = prose(library, chapter)

    assert block(context, "voice") == "She never says what is funny.\n\n- Bruno: “Well now.”"
    assert tags_of(context)[:2] == ["order", "voice"]


def test_the_task_goes_without_the_entries_that_tell_a_secret(library):
    with library.storage.write() as stores:
        stores.codex.add(Secret(id="fire", content="Bruno set the boathouse on fire."), Origin.AUTHOR)
        chapter = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)
        spec = {
            "constraints": ["Nobody says that Bruno set the boathouse on fire.", "It rains."],
            "acceptance_criteria": ["One name falls."],
        }
        stores.nodes.change(chapter.key, spec=json.dumps(spec), open_points=["who moved the kettle"])

    text = block(prose(library, chapter), "current_task")

    assert "It rains." in text
    assert "One name falls." in text
    assert "who moved the kettle" in text
    assert "boathouse" not in text


@pytest.mark.parametrize("profile", [ProfileName.ECONOMY, ProfileName.STANDARD])
def test_a_chapter_as_full_as_its_planner_may_make_it_is_plotted_to_its_writer(library, profile):
    entries = [f"{library.sentences(4)} Point {number}." for number in range(16)]
    with library.storage.write() as stores:
        chapter = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)
        library.write(stores, library.add_unit(stores, stores.nodes.root(), Level.CHAPTER), library.sentences(900), "")
        spec = {"instructions": entries[:7], "constraints": entries[7:11], "acceptance_criteria": entries[11:]}
        stores.nodes.change(chapter.key, spec=json.dumps(spec))
    brief_for(library, chapter, "She counts. " * 150)

    context = prose(library, chapter, profile)

    assert [entry for entry in entries if entry not in block(context, "current_task")] == []
    assert size(context) <= room("write_plan", profile)


def test_unused_room_goes_to_the_whole_chapter_before(library):
    with library.storage.write() as stores:
        root = stores.nodes.root()
        first, second = (library.add_unit(stores, root, Level.CHAPTER) for _ in range(2))
        text = "\n\n".join(library.sentences(4) for _ in range(60))
        library.write(stores, first, text, library.sentences(20))
    brief_for(library, second, "Ines counts the ships.")

    context = prose(library, second)

    assert block(context, "latest_text") == text
    assert count_words(text) > room("write_plan") * 0.5
    assert size(context) <= room("write_plan")


def test_all_summaries_stand_in_order_as_long_as_they_fit(library):
    with library.storage.write() as stores:
        root = stores.nodes.root()
        told = []
        for number in range(8):
            told.append(f"Summary {number}. {library.sentences(4)}")
            chapter = library.add_unit(stores, root, Level.CHAPTER, unit_index=number + 1)
            library.write(stores, chapter, library.sentences(80), told[-1])
        last = library.add_unit(stores, root, Level.CHAPTER)
    brief_for(library, last, "She goes.")

    text = block(prose(library, last), "text_summary")

    places = [text.index(summary) for summary in told[:-1]]
    assert places == sorted(places)
    assert "[1." not in text
    assert text.startswith("Chapter 1, ")


def test_in_economy_the_designs_stand_beside_the_plan_which_is_no_block(library):
    library.keep(DocumentKind.BOOK_DESIGN, "Bruno is rich.")
    chapter = library.grow(40)
    brief_for(library, chapter, "1. She counts.")

    context = prose(library, chapter, ProfileName.ECONOMY)

    assert block(context, "writers_brief") == ""
    assert block(context, "book_design") == "Bruno is rich."
    assert tags_of(context)[0] == "order"
    assert size(context) <= room("write_plan", ProfileName.ECONOMY)


def test_findings_for_the_unit_stand_before_its_writer(library):
    with library.storage.write() as stores:
        chapter = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)
        library.add_task(stores, chapter, "A cut leaf frees its partner.", kind=DocumentKind.FINDINGS)

    text = block(prose(library, chapter), "search_dependent")

    assert "A cut leaf frees its partner." in text
    assert "[1." not in text


def test_a_phrase_of_an_early_chapter_stands_word_for_word_before_a_late_one_that_needs_it(library):
    last = library.grow(40)
    phrase = "The sea keeps its own ledger, Ines said, and it never rounds down."
    with library.storage.write() as stores:
        first = stores.nodes.by_label("1.1")
        stores.documents.add(NewDocument(node=first.key, kind=DocumentKind.PROSE, text=phrase), None)
        stores.nodes.change(last.key, goal="Ines settles the ledger that the sea keeps")

    context = prose(library, last)

    assert phrase in block(context, "earlier_pages")
    assert phrase not in block(context, "latest_text")
    assert phrase not in "".join(prose(library, first).blocks)
