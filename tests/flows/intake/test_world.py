"""A world, and a story that is set in it: what comes along, what stays, what is refused."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bookwright.flows.deps import Deps
from bookwright.flows.library import book_id, find_or_create, setting_of
from bookwright.models.book import Book, BookState
from bookwright.models.brief import Brief, make_brief
from bookwright.models.codex.entries import EntryKind, Visibility
from bookwright.models.codex.record import Origin, RecordKind
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.errors import InvalidBrief
from bookwright.models.step import Activity
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.storage.stores import BookStorage, Stores
from tests.flows.blueprints.books import PREMISES, Rehearsing, begun, write_book
from tests.flows.walking import begin

STORIES = {
    "en": "A surveyor finds her own map, drawn by an older hand.",
    "zh": "測量員找到一張自己畫的地圖，筆跡卻比她老。",
    "ja": "測量士が、年老いた手で描かれた自分の地図を見つける。",
    "ko": "측량사가 늙은 손으로 그려진 자신의 지도를 찾는다.",
}


def built(home: Path, language: str, profile: str) -> Deps:
    """Build a world to its end and say so."""
    length = 1_400 if language == "en" else 2_400
    root, deps = begun(
        Path("worldbuild"), home, Rehearsing(home), language=language, profile=profile, length=length
    )  # fmt: skip
    write_book(root, deps)
    with deps.storage.write() as stores:
        stores.books.set_state(deps.storage.book, BookState.FINISHED)
    return deps


def story_brief(world: str, language: str = "en", **values: object) -> Brief:
    """A story in that world."""
    return make_brief({"premise": STORIES[language], "language": language, "length": 900, "world": world, **values})


def set_in(world: Deps, brief: Brief) -> Book:
    """Begin a book in a world."""
    settled, setting = setting_of(brief, world.storage.database, world.desk.settings)
    return find_or_create(world.storage.database, settled, setting=setting)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deps]:
    """A finished world that a model has read, too."""
    deps = built(tmp_path_factory.mktemp("world"), "en", "standard")
    yield deps
    deps.storage.database.dispose()


def test_a_finished_world_has_a_codex_of_its_entries_its_rules_and_its_secrets(world: Deps) -> None:
    with world.stores() as stores:
        entries = {entry.name: entry for entry in stores.codex.entries()}
        characters = [node for node in stores.nodes.walk() if node.stage == "details/characters/entry"]
        secrets = stores.codex.secrets()

    assert characters
    assert all(entries[node.title].kind is EntryKind.CHARACTER for node in characters)
    assert entries["Cosmology"].kind is EntryKind.WORLD
    assert "Characters" not in entries  # the page that introduces them is nobody
    assert secrets
    assert all(own.visibility is Visibility.HIDDEN and own.revealed_at is None for own in secrets)


def test_a_model_that_may_judge_reads_the_pages_of_a_world(world: Deps) -> None:
    with world.stores() as stores:
        asked = [line for line in stores.steps.lines(limit=10_000) if line.step.startswith("extract_design.")]

    assert [(line.label, line.activity) for line in asked] == [("1", Activity.REVIEW)] * len(asked)
    assert asked


def test_a_story_begins_with_copies_of_the_codex_and_of_every_page_and_says_where_they_are_from(world: Deps) -> None:
    book = set_in(world, story_brief(world.storage.book))

    with BookStorage(world.storage.database, book.id, book.brief.language).read() as stores, world.stores() as there:
        for kind in RecordKind:
            own = [stored.record for stored in stores.codex.current(kind)]
            assert own == [stored.record for stored in there.codex.current(kind)]
            assert {stored.origin for stored in stores.codex.current(kind)} <= {Origin.WORLD}
        pages = _pages(stores)
        written = [node for node in there.nodes.walk() if node.stage and _page_of(node.key, there)]
        made = {"Overview", "Glossary", "How to read it"}
        assert [title for title, _ in pages] == [
            "Open threads (spoiler)" if node.title == "Open threads" else node.title
            for node in written
            if node.title not in made
        ]
        assert all(note.startswith(f"{world.storage.book} 1.") for _, note in pages)
    assert book.brief.world == world.storage.book


def test_nothing_is_written_back_into_the_world(world: Deps) -> None:
    before = _state_of(world)
    book = set_in(world, story_brief(world.storage.book, premise="A clerk of the marsh is paid twice."))
    with BookStorage(world.storage.database, book.id, book.brief.language).write() as stores:
        cosmology = stores.codex.get(RecordKind.ENTRY, "cosmology")
        stores.codex.remove(RecordKind.ENTRY, cosmology.record.id, cosmology.version, Origin.AUTHOR)

    assert _state_of(world) == before


def test_what_an_extraction_would_change_of_the_world_is_a_suggestion(world: Deps) -> None:
    book = set_in(world, story_brief(world.storage.book, premise="A diver of the marsh is paid twice."))
    with BookStorage(world.storage.database, book.id, book.brief.language).write() as stores:
        stored = stores.codex.get(RecordKind.ENTRY, "cosmology")
        section = stored.record.sections[0]
        changed = stored.record.model_copy(update={"sections": (section.model_copy(update={"text": "Otherwise."}),)})
        stores.codex.merge(changed, Origin.PROSE)
        after = stores.codex.get(RecordKind.ENTRY, "cosmology").record

    assert after.sections[0].text == section.text


def test_a_plan_that_is_rejected_takes_nothing_of_the_world_with_it(world: Deps) -> None:
    book = set_in(world, story_brief(world.storage.book, premise="A ferryman of the marsh is paid twice."))
    with BookStorage(world.storage.database, book.id, book.brief.language).write() as stores:
        root = stores.nodes.root()
        [planned] = stores.nodes.add(
            root, [PlanNode(task_type=TaskType.DESIGN, title="Motive", goal="Say why.")], unit=root.key,
            level=root.level.value, planning_round=1,
        )  # fmt: skip
        gone = stores.nodes.replace_below(root.key, only_planned=True)
        left = [node.label for node in stores.nodes.children(root.key)]

    assert [node.key for node in gone] == [planned.key]
    assert left == ["1.1"]


def test_a_beginning_of_its_id_names_a_world_and_the_same_brief_means_the_same_book(world: Deps) -> None:
    short = story_brief(world.storage.book[:12])
    whole = story_brief(world.storage.book)

    assert set_in(world, short).id == set_in(world, whole).id
    assert book_id(whole) != book_id(whole.changed(world=""))


def test_a_book_that_is_there_needs_its_world_no_more(world: Deps) -> None:
    brief = story_brief(world.storage.book)
    known = set_in(world, brief)

    assert setting_of(known.brief, world.storage.database, world.desk.settings) == (known.brief, None)
    assert setting_of(brief, world.storage.database, world.desk.settings, is_new=True)[1] is not None


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"world": "nowhere"}, "there is no book 'nowhere'"),
        ({"language": "ko", "premise": STORIES["ko"]}, "is in English and this book in Korean"),
    ],
)
def test_what_no_book_can_be_set_in_is_refused(values: dict[str, str], told: str, world: Deps) -> None:
    brief = make_brief(story_brief(world.storage.book).model_dump(mode="json") | values)

    with pytest.raises(InvalidBrief, match=told):
        setting_of(brief, world.storage.database, world.desk.settings)


def test_a_story_is_no_world_and_neither_is_a_world_that_is_not_finished(world: Deps) -> None:
    story = set_in(world, story_brief(world.storage.book))
    unfinished = find_or_create(
        world.storage.database, make_brief({"premise": PREMISES["en"], "length": 2_000, "blueprint": "worldbuild"})
    )

    for named, told in ((story.id, "is a story and no world"), (unfinished.id, "is not finished")):
        with pytest.raises(InvalidBrief, match=told):
            setting_of(story_brief(named), world.storage.database, world.desk.settings)


@pytest.mark.parametrize("language", ["en", "zh", "ja", "ko"])
def test_a_world_and_a_story_set_in_it_in_each_language(language: str, tmp_path: Path) -> None:
    world = built(tmp_path, language, "economy")
    story = set_in(world, story_brief(world.storage.book, language, profile="economy"))
    models = Rehearsing(tmp_path)
    root, deps = begin(tmp_path, models, **story.brief.model_dump(mode="json", exclude={"models"}))

    write_book(root, deps)

    with deps.stores() as stores, world.stores() as there:
        assert stores.nodes.root().written > 0.8 * 900
        assert stores.nodes.by_label("1.1").title.endswith(("(spoiler)", "（劇透）", "（ネタバレ）", "(스포일러)"))
        assert {own.name for own in there.codex.entries()} <= {own.name for own in stores.codex.entries()}
        secret, *_ = there.codex.secrets()
        assert stores.codex.get(RecordKind.SECRET, secret.id).origin is Origin.WORLD
    told = [block for request in models.requests for block in request.prompt.blocks if "extract" not in request.name]
    prose = [request for request in models.requests if request.facts["activity"] == Activity.WRITE.value]
    assert told
    assert not any(secret.content in block for request in prose for block in request.prompt.blocks)
    deps.storage.database.dispose()
    world.storage.database.dispose()


def _pages(stores: Stores) -> list[tuple[str, str]]:
    """The titles of a world's pages in a story, each with where it is from."""
    above = stores.nodes.by_label("1.1")
    found = []
    for node in stores.nodes.children(above.key):
        kind = DocumentKind.FINDINGS if node.task_type is TaskType.SEARCH else DocumentKind.DESIGN
        page = stores.documents.current(node.key, kind)
        assert page is not None
        assert page.origin is DocumentOrigin.WORLD
        found.append((node.title, page.note))
    return found


def _page_of(node: int, stores: Stores) -> bool:
    return bool(stores.documents.of_nodes([node], DocumentKind.DESIGN, DocumentKind.FINDINGS))


def _state_of(world: Deps) -> tuple[int, int, int]:
    with world.stores() as stores:
        documents = [
            row.id for node in stores.nodes.walk() for row in stores.documents.of_nodes([node.key], *DocumentKind)
        ]
        return max(documents), len(documents), stores.codex.last_row()
