"""The continuity director: the Relay's context of one unit, by the names of its sources."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.relay.continuity import MAX_CACHE_SIZE, ContinuityDirector, hint_lines
from bookwright.agents.relay.scene import SceneIdentifier, scene_of
from bookwright.agents.relay.secrets.guard import guard_at
from bookwright.models.brief import Brief
from bookwright.models.codex.entries import CodexEntry, Secret, Section
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores
from tests.agents.context.books import Library, make_library

SECRET = "Ines lit the lamp that wrecked her father's cutter."
READING = ReadingOrder(chapters=("1.1.1", "1.1.2", "1.2.1"))


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return make_library(tmp_path)


def second_chapter(library: Library, brief_text: str = "Ines and Bruno meet.") -> TaskNode:
    """A chapter with a brief, after one that is written."""
    with library.storage.write() as stores:
        first, second = (library.add_unit(stores, stores.nodes.root(), Level.CHAPTER) for _ in range(2))
        library.write(stores, first, "The lamp goes out.", "The lamp fails.")
        stores.documents.add(NewDocument(node=second.key, kind=DocumentKind.WRITERS_BRIEF, text=brief_text), None)
        section = Section(name="looks", text="A scar on the left hand.")
        for name in ("Ines", "Bruno", "Odo"):
            stores.codex.add(CodexEntry(id=name, kind="character", name=name, sections=(section,)), Origin.AUTHOR)
        stores.codex.add(Secret(id="lamp", content=SECRET, forbidden_keywords=("wrecker",)), Origin.AUTHOR)
    return second


def brief_of(stores: Stores, unit: TaskNode) -> Brief:
    return stores.books.get(unit.book).brief


def test_a_result_holds_what_the_sources_name(library: Library) -> None:
    unit = second_chapter(library, f"Ines meets Bruno. {SECRET}")

    with library.storage.read() as stores:
        result = ContinuityDirector().build_context(unit, stores, brief_of(stores, unit))

    assert not result.errors
    assert result.warnings == ("Summary L1 not found for ep:2/ch:1",)
    assert result.context.plot_l3 == "Ines meets Bruno."
    assert result.context.summary_l3 == "The lamp fails."
    assert list(result.context.characters) == ["Ines", "Bruno"]
    assert result.forbidden_keywords == ("wrecker",)
    assert result.visibility_context.excluded_sections == ("secret.lamp",)


def test_a_unit_without_a_brief_and_without_designs_has_an_error(library: Library) -> None:
    with library.storage.write() as stores:
        unit = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)

    with library.storage.read() as stores:
        result = ContinuityDirector().build_context(unit, stores, brief_of(stores, unit))

    assert result.errors
    assert result.errors == ("Plot L3 not found for ep:1/ch:1",)


def test_a_design_before_the_first_act_has_no_summary_to_miss(library: Library) -> None:
    with library.storage.write() as stores:
        book = stores.nodes.root()
        library.add_task(stores, book, "Who lit the lamp.")
        act = library.add_unit(stores, book, Level.ACT)
        first, second = (library.add_unit(stores, act, Level.CHAPTER) for _ in range(2))
        library.write(stores, first, "The lamp goes out.", "The lamp fails.")

    with library.storage.read() as stores:
        result = ContinuityDirector().build_context(second, stores, brief_of(stores, second))

    assert not any("Summary L2" in warning for warning in result.warnings)


def test_a_writer_reads_of_those_on_stage_and_of_no_one_else(library: Library) -> None:
    unit = second_chapter(library)
    thread = Foreshadowing.model_validate(
        {"id": "ring", "title": "Ring", "seed": {"content": "a ring in the oil", "planned_at": 2}}
    )

    with library.storage.write() as stores:
        stores.codex.add(thread, Origin.AUTHOR)
        sight = ContinuityDirector().sight("1.2", stores.codex, brief_of(stores, unit), told="Bruno waits.")
    lines = "\n".join(hint_lines(sight, "en"))

    assert "Bruno" in lines
    assert "a ring in the oil" in lines
    assert not any(name in lines for name in ("Ines", "Odo", "lamp", "wrecker"))


def test_the_caches_hold_so_many_scenes_(library: Library) -> None:
    unit = second_chapter(library)
    director = ContinuityDirector()

    with library.storage.read() as stores:
        brief = brief_of(stores, unit)
        for number in range(1, MAX_CACHE_SIZE + 9):
            director.sight(f"1.{number}", stores.codex, brief)

    assert (len(director._instructions), len(director._forbidden_results)) == (MAX_CACHE_SIZE, MAX_CACHE_SIZE)


def test_a_cache_gives_nothing_that_an_edit_has_made_old(library: Library) -> None:
    unit = second_chapter(library)
    director = ContinuityDirector()

    with library.storage.write() as stores:
        brief = brief_of(stores, unit)
        before = director.sight("1.2", stores.codex, brief).keywords.all
        stores.codex.add(Secret(id="oil", content="The oil was water.", forbidden_keywords=("water",)), Origin.AUTHOR)
        after = director.sight("1.2", stores.codex, brief).keywords.all

    assert (before, after) == (("wrecker",), ("water", "wrecker"))


def test_what_was_printed_before_a_unit_is_no_secret_in_it(library: Library) -> None:
    unit = second_chapter(library)

    with library.storage.write() as stores:
        first = stores.nodes.by_label("1.1")
        before = guard_at(stores, brief_of(stores, unit), unit)
        stores.documents.add(NewDocument(node=first.key, kind=DocumentKind.PROSE, text=SECRET), None)
        after = guard_at(stores, brief_of(stores, unit), unit)
        at_first = guard_at(stores, brief_of(stores, unit), first)

    assert before.violations(SECRET)
    assert after.violations(SECRET) == ()
    assert at_first.violations(SECRET)


def label_of(scene: SceneIdentifier, reading: ReadingOrder) -> str:
    """Return the label of the unit that a name of `scene_of` stands for."""
    if not reading.chapters or "." in scene.episode_id:
        return scene.episode_id
    chapter = reading.chapters[int(scene.episode_id) - 1]
    return f"{chapter}.{scene.sequence_id}" if scene.sequence_id else chapter


@given(label=st.sampled_from(["1.1.1", "1.1.2.3", "1.2.1.4.1", "1", "1.2"]))
def test_a_scene_leads_back_to_its_unit(label: str) -> None:
    assert label_of(scene_of(label, READING), READING) == label or label == "1"
    assert label_of(scene_of("1", ReadingOrder()), ReadingOrder()) == "1"


def test_a_scene_is_named_by_its_chapters_number() -> None:
    scene = scene_of("1.2.1.4", READING)

    assert (scene.episode_id, scene.sequence_id, scene.chapter_id) == ("3", "4", "1.2")
    assert scene.key == "3:4"
