"""A finished book that is gone on with: what closed it is made anew, once, and what stood there stays on record."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.exports.vault.progress import StageStatus
from bookwright.exports.vault.stages import stages_of
from bookwright.flows.intake.continuation import go_on
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.revision.refresh import RefreshScope, refresh
from bookwright.flows.revision.revise import chosen, take_in
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book, BookState
from bookwright.models.brief import make_brief
from bookwright.models.document import Document, DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.models.faults import Fault, FoundFaults
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import BookStorage
from bookwright.storage.vault_rows import VaultRows
from tests.support.blueprint_folders import short_case
from tests.support.books import Tree, make_book, make_settings, new_library

MORE = 450
LAST = ("validation/review", "validation/verify", "validation/clue_index")


@dataclass
class Killing:
    """Asks the rehearsal author, keeps who was asked, and is killed before some calls are answered."""

    inner: ModelService
    asked: list[str] = field(default_factory=list)
    kills_at: str = ""
    finds_fault: bool = False
    """Whether whoever reviews the book finds something in the last document shown, whatever the dice say."""

    def ask(self, request: Any, *others: Any) -> Any:
        """Answer, unless this is what everything ends at; it does so once."""
        if self.kills_at and self.kills_at in request.name:
            self.kills_at = ""
            raise KeyboardInterrupt
        self.asked.append(request.name)
        reply = self.inner.ask(request, *others)
        if not (self.finds_fault and request.output is FoundFaults):
            return reply
        *_, shown = (made.text for made in request.facts["artefacts"] if made.tag == "document")
        found = Fault(label=shown.partition("]")[0], fault="Nobody lights the lamp.", order="Let somebody light it.")
        return reply.model_copy(update={"text": FoundFaults(findings=(found,)).model_dump_json()})


@dataclass
class Shelf:
    """One book by a small blueprint of a mystery."""

    book: Book
    storage: BookStorage
    around: RunConfig
    models: Killing

    def run(self) -> Book:
        """Walk the book."""
        return run_book(self.book.id, self.around)

    def go_on(self) -> None:
        """Make it longer."""
        with self.storage.write() as stores:
            go_on(stores, stores.books.get(self.book.id), MORE)

    def versions(self, node: TaskNode, kind: DocumentKind) -> list[Document]:
        """Return all versions of a document."""
        with self.storage.read() as stores:
            return stores.documents.versions(node.key, kind)

    @property
    def root(self) -> TaskNode:
        """The book's own unit."""
        with self.storage.read() as stores:
            return stores.nodes.root()

    @property
    def last(self) -> dict[str, TaskNode]:
        """The tasks that come after the last page, by stage and member."""
        with self.storage.read() as stores:
            tasks = stores.nodes.children(self.root.key, TaskType.DESIGN)
        return {task.stage: task for task in tasks if task.stage in LAST}


@contextmanager
def shelved(home: Path, profile: str, blueprint: Path) -> Iterator[Shelf]:
    """The book in a data folder, begun if it is not there, for as long as the block lasts."""
    settings = make_settings(home, free_megabytes=0, keep_vault=False)
    database = new_library(settings)
    with closing(ModelService(settings)) as models:
        killing = Killing(models)
        brief = make_brief(
            {"premise": "A keeper finds a log.", "length": 500, "profile": profile, "blueprint": str(blueprint)}
        )
        book = find_or_create(database, brief)
        storage = BookStorage(database, book.id, brief.language)
        yield Shelf(book, storage, RunConfig(settings, database, killing), killing)
    database.dispose()


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    """The book, not yet begun, with a model that reviews it."""
    with shelved(tmp_path, "standard", short_case(tmp_path)) as found:
        yield found


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the blueprint of the book that is written once."""
    return short_case(tmp_path_factory.mktemp("blueprint"))


@pytest.fixture(scope="module")
def written(blueprint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the book written to its end, in a profile in which no model reviews."""
    home = tmp_path_factory.mktemp("written") / "home"
    with shelved(home, "economy", blueprint) as made:
        made.run()
    return home


@pytest.fixture
def finished(written: Path, blueprint: Path, tmp_path: Path) -> Iterator[Shelf]:
    """The book in a copy of that data folder."""
    shutil.copytree(written, tmp_path / "home")
    with shelved(tmp_path / "home", "economy", blueprint) as found:
        yield found


def test_what_closed_a_book_is_made_anew_behind_its_new_end_and_the_old_versions_stay(finished: Shelf) -> None:
    title = finished.book.title
    labels = {stage: task.label for stage, task in finished.last.items()}
    finished.go_on()

    longer = finished.run()

    reports = [finished.versions(finished.last[stage], DocumentKind.REPORT) for stage in LAST[:2]]
    blurbs = finished.versions(finished.root, DocumentKind.BLURB)
    index = finished.versions(finished.last[LAST[2]], DocumentKind.DESIGN)
    with finished.storage.read() as stores:
        prose = [stores.documents.current(leaf.key, DocumentKind.PROSE).id for leaf in stores.nodes.leaves()]  # type: ignore[union-attr]
    assert [len(versions) for versions in (*reports, blurbs)] == [2, 2, 2]
    assert reports[0][-1].id > prose[-1], "the review has read the new end"
    mended = max(prose)  # what it found fault with was mended before the rest was made
    assert all(max(version.id for version in versions) > mended for versions in (reports[1], blurbs, index))
    assert {stage: task.label for stage, task in finished.last.items()} == labels
    assert {task.status for task in finished.last.values()} == {NodeStatus.DONE}
    assert (longer.state, longer.title) == (BookState.FINISHED, title)


def test_a_book_that_a_killed_refresh_left_has_the_same_end_and_is_looked_over_no_more(finished: Shelf) -> None:
    with finished.storage.write() as stores:
        node = stores.nodes.by_label(stores.codex.reading_order().chapters[0])
        summary = chosen(stores, node, DocumentKind.SUMMARY)
        take_in(stores, node, summary, f"{summary.text}\n\nThe lamp was blue all along.")
    with hold_book(finished.book.id, finished.around, way_on="`bookwright refresh`") as deps:
        redone = refresh(RefreshScope(), deps, lambda redone: None)
    with finished.storage.write() as stores:
        stores.books.set_state(finished.book.id, BookState.PAUSED)
    finished.models.asked.clear()

    finished.run()

    assert (finished.root.key, DocumentKind.SUMMARY) in [(one.document.node, one.document.kind) for one in redone]
    assert finished.models.asked == []
    assert [len(finished.versions(finished.last[stage], DocumentKind.REPORT)) for stage in LAST[:2]] == [1, 1]


@pytest.mark.soak
def test_one_that_is_killed_on_its_way_to_the_new_end_pays_nothing_twice(shelf: Shelf) -> None:
    shelf.models.finds_fault = True
    shelf.run()
    shelf.go_on()
    before = len(shelf.models.asked)

    for shelf.models.kills_at in (" write/draft", " review/review.1", "/amend.", " review/verify", " publish/"):
        with pytest.raises(KeyboardInterrupt):
            shelf.run()
    shelf.run()

    asked = shelf.models.asked[before:]
    with shelf.storage.read() as stores:
        calls = stores.books.get(shelf.book.id).calls
    assert calls == len(shelf.models.asked)
    assert [sum(name.endswith(step) for name in asked) for step in (" review/review.1", " review/verify")] == [1, 1]
    assert [len(shelf.versions(shelf.last[stage], DocumentKind.REPORT)) for stage in LAST[:2]] == [2, 2]
    assert len(shelf.versions(shelf.root, DocumentKind.BLURB)) == 2


def test_a_look_at_the_end_that_was_interrupted_waits_for_the_new_end(shelf: Shelf) -> None:
    shelf.models.kills_at = "/amend."
    with pytest.raises(KeyboardInterrupt):
        shelf.run()
    shelf.go_on()
    before = len(shelf.models.asked)

    shelf.run()

    asked = [name.rpartition("/")[2].partition(".")[0] for name in shelf.models.asked[before:]]
    with shelf.storage.read() as stores:
        calls = stores.books.get(shelf.book.id).calls
    assert calls == len(shelf.models.asked)
    assert asked.index("amend") > max(place for place, name in enumerate(asked) if name == "draft")
    assert {task.status for task in shelf.last.values()} == {NodeStatus.DONE}
    assert [len(shelf.versions(shelf.last[stage], DocumentKind.REPORT)) for stage in LAST[:2]] == [2, 1]


def test_a_blurb_in_the_authors_own_words_stays(finished: Shelf) -> None:
    with finished.storage.write() as stores:
        blurb = stores.documents.current(finished.root.key, DocumentKind.BLURB)
        assert blurb is not None
        take_in(stores, finished.root, blurb, "Who wrote the log?")
    finished.go_on()

    finished.run()

    assert [version.version for version in finished.versions(finished.root, DocumentKind.BLURB)] == [1, 2]


def test_until_the_new_end_stands_nothing_behind_it_counts_as_done(finished: Shelf) -> None:
    finished.go_on()

    with finished.storage.read() as stores:
        book, units = stores.books.get(finished.book.id), VaultRows(stores.connection, finished.book.id).units()
        stages = stages_of(stores, book, finished.root, units, has_prose=True)

    assert [(stage.name, stage.status) for stage in stages[-2:]] == [
        ("Validation", StageStatus.PENDING), ("publish", StageStatus.PENDING),
    ]  # fmt: skip
    assert {stage.status for stage in stages[:-3]} == {StageStatus.COMPLETED}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int, str], Path]:
    """Tells the data folder of a book of that length and profile, which is written once for all who go on with it."""

    @cache
    def home(length: int, profile: str) -> Path:
        made = tmp_path_factory.mktemp("ended") / "home"
        with walking(made, length, profile) as (book, around):
            run_book(book.id, around)
        return made

    return home


@contextmanager
def walking(home: Path, length: int, profile: str) -> Iterator[tuple[Book, RunConfig]]:
    """A book of that length in a data folder, begun if it is not there, for as long as the block lasts."""
    settings = make_settings(home, free_megabytes=0, keep_vault=False)
    database = new_library(settings)
    made = make_brief(
        {"premise": "A keeper finds a log.", "length": length, "max_unit_length": 450, "profile": profile}
    )
    with closing(ModelService(settings)) as models:
        yield find_or_create(database, made), RunConfig(settings, database, models)
    database.dispose()


def gone_on_with(
    home: Path, length: int, profile: str, more: int, added: str = ""
) -> tuple[Book, list[TaskNode], list[TaskNode]]:
    """Add words to a written book's end and go on with it; return it, and the units below it before and after."""
    with walking(home, length, profile) as (book, around):
        storage = BookStorage(around.database, book.id, book.brief.language)
        with storage.write() as stores:
            last = stores.nodes.root()
            while below := stores.nodes.last_unit(last.key):
                last = below
            text = chosen(stores, last, DocumentKind.PROSE)
            take_in(stores, last, text, f"{stores.documents.text_of(text)}\n\n{added}")
            before = stores.nodes.child_units(stores.nodes.root().key)
            go_on(stores, stores.books.get(book.id), more)
        finished = run_book(book.id, around)
        with storage.read() as stores:
            units = stores.nodes.child_units(stores.nodes.root().key)
            assert stores.codex.reading_order().chapters == tuple(unit.label for unit in units)
    return finished, before, units


@pytest.mark.parametrize(
    ("length", "profile", "level", "more"),
    [
        (1500, "economy", Level.SCENE, 600),
        (1600, "small", Level.SCENE, 900),
        (1600, "small", Level.SCENE, 300),
        (900, "small", Level.BEAT, 700),
    ],
)
def test_a_book_that_was_planned_in_scenes_or_less_goes_on_in_as_many_as_are_missing(
    ended: Callable[[int, str], Path], tmp_path: Path, length: int, profile: str, level: Level, more: int
) -> None:
    home = Path(shutil.copytree(ended(length, profile), tmp_path / "home"))

    finished, before, units = gone_on_with(home, length, profile, more)

    written = sum(unit.written for unit in units[len(before) :])
    assert (finished.state, finished.brief.length) == (BookState.FINISHED, sum(unit.written for unit in before) + more)
    assert abs(written - more) <= 0.1 * more
    assert [unit.key for unit in units[: len(before)]] == [unit.key for unit in before]
    assert {unit.level for unit in units} == {level}
    assert [unit.unit_index for unit in units] == list(range(1, len(units) + 1))
    assert [unit.is_last for unit in units] == [False] * (len(units) - 1) + [True]


def test_what_the_last_unit_overran_is_not_written_once_more_behind_the_end(
    ended: Callable[[int, str], Path], tmp_path: Path
) -> None:
    home = Path(shutil.copytree(ended(1500, "economy"), tmp_path / "home"))

    _, before, units = gone_on_with(home, 1500, "economy", 300, "She waited. " * 100)

    (new,) = units[len(before) :]
    assert abs(new.written - 300) <= 30


def test_an_act_in_one_piece_stays_as_it_is_and_another_one_comes_behind_it(tmp_path: Path) -> None:
    acts: list[Tree] = [{"level": "act", "title": name, "text": f"{name} came in."} for name in ("The Tide", "The Ebb")]
    storage = make_book(make_settings(tmp_path), acts)
    with storage.write() as stores:
        before = stores.nodes.child_units(stores.nodes.root().key)
        stores.nodes.change(before[-1].key, is_last=True)

    with pytest.raises(InvalidInput, match="4,500 are enough"), storage.write() as stores:
        go_on(stores, stores.books.get(storage.book), 4_499)
    with storage.write() as stores:
        go_on(stores, stores.books.get(storage.book), 4_500)

    with storage.read() as stores:
        root = stores.nodes.root()
        assert root.status is NodeStatus.OPEN
        assert stores.nodes.child_units(root.key) == before


@pytest.mark.parametrize(("text", "advice"), [("The tide turns.", "import its export"), ([], "behind it")])
def test_only_a_book_of_prose_in_one_piece_is_told_to_come_back_as_a_manuscript(
    tmp_path: Path, text: str, advice: str
) -> None:
    storage = make_book(make_settings(tmp_path), text)

    with pytest.raises(InvalidInput) as caught, storage.write() as stores:
        go_on(stores, stores.books.get(storage.book), MORE)

    assert advice in str(caught.value).partition("written ")[2]
    assert ("import" in str(caught.value)) is bool(text)
    storage.database.dispose()
