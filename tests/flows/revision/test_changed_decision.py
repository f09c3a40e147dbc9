"""A changed decision reaches exactly the documents in whose prompts it stood, and a refresh redoes no more."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.steps.desk import Asker
from bookwright.flows.library import open_library
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.revision.refresh import Redone, RefreshScope, refresh
from bookwright.flows.revision.revise import WRITABLE, restore, take_in
from bookwright.flows.run_book import run_book
from bookwright.flows.stopping import Limits
from bookwright.models.book import BookState
from bookwright.models.document import Document, DocumentKind
from bookwright.models.errors import BackendUnavailable, BookPaused
from bookwright.models.settings import Settings
from bookwright.models.staleness import StaleDocument
from bookwright.models.step import Reply
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import BookStorage, Stores
from tests.flows.revision.changed import ADVICE, Written, marked_models, put_right, resting_by_marks, written

NEWS = "\n\nAnd the lamp was blue all along."
UNSEEN = (DocumentKind.GLOBAL_STATE, DocumentKind.STYLE_GUIDE, *ADVICE)
"""Kinds that bear no marks: kept as structure, or quotations."""


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """A book of a few chapters with all that a standard one has."""
    found = written(tmp_path_factory.mktemp("story"), length=5_000, profile="standard", max_planning_rounds=3)
    yield found
    found[0].database.dispose()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """A book of three chapters, told from one plan by somebody who has every page in view."""
    found = written(tmp_path_factory.mktemp("told"), length=6_000, profile="economy")
    yield found
    found[0].database.dispose()


on_novel = pytest.mark.parametrize("copied", ["novel"], indirect=True)
on_lamps = pytest.mark.parametrize("copied", ["lamps"], indirect=True)
SOAKED = pytest.param("story", marks=pytest.mark.soak)
on_both = pytest.mark.parametrize("copied", ["lamps", "told", SOAKED], indirect=True)


def direct(storage: BookStorage) -> list[StaleDocument]:
    """What is directly stale, by both ways to ask."""
    with storage.read() as stores:
        found = stores.staleness.direct()
        assert [stale for stale in stores.staleness.all() if stale.is_direct] == found
    return found


def hand_edits(stores: Stores, seed: int, count: int) -> list[Document]:
    """Change some documents by hand; return what they were."""
    nodes = list(stores.nodes.walk())
    there = stores.documents.of_nodes([node.key for node in nodes], *WRITABLE)
    chosen = Random(seed).sample(there, count)
    for old in chosen:
        assert take_in(stores, stores.nodes.get(old.node), old, old.text + NEWS) is not None
    return chosen


def redo(storage: BookStorage, settings: Settings, models: Asker, wanted: RefreshScope) -> list[Redone]:
    with hold_book(storage.book, RunConfig(settings, storage.database, models), way_on="`bookwright refresh`") as deps:
        return refresh(wanted, deps, lambda redone: None)


class Counting:
    """Asks the rehearsal author, up to a number of calls."""

    def __init__(self, models: ModelService, most: int = 100_000) -> None:
        self._models = models
        self.most = most
        self.calls = 0

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Answer, or be away."""
        if self.calls >= self.most:
            raise BackendUnavailable("gone for lunch")
        self.calls += 1
        return self._models.ask(request, budget, listener, on_failure)


class Repeating:
    """Gives every document's last step the answer that it gave before."""

    def __init__(self, models: ModelService, stores: Stores) -> None:
        self._models = models
        self._known = {
            (line.label, line.activity, line.step): stores.steps.reply(line.id)
            for line in stores.steps.lines(limit=100_000)
            if line.failure is None
        }

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Answer as then; a text that is to be changed is given back as it stands."""
        reply = self._models.ask(request, budget, listener, on_failure)
        facts = request.facts
        standing = next((made.text for made in facts["artefacts"] if made.tag == "text"), reply.text)
        known = self._known.get((facts["label"], facts["activity"], facts["step"]), standing)
        return reply.model_copy(update={"text": known, "finish_reason": "stop"})


@pytest.mark.parametrize("name", ["novel", "told", SOAKED, pytest.param("hundred", marks=pytest.mark.soak)])
def test_what_is_recorded_as_an_input_is_what_stood_in_a_prompt(name: str, request: pytest.FixtureRequest) -> None:
    storage, _ = request.getfixturevalue(name)

    with storage.read() as stores:
        resting = resting_by_marks(stores)
        slots = {found: stores.documents.get(found) for found in resting}
        recorded = {key: _others(stores, key) for key in slots}

    assert sum(map(len, resting.values())) > (10 if name == "told" else 150)
    assert recorded == resting


def _others(stores: Stores, key: int) -> set[int]:
    own = stores.documents.get(key)
    found = [stores.documents.get(source) for source in stores.documents.inputs_of(key)]
    return {
        source.id
        for source in found
        if source and own and source.kind not in UNSEEN and (source.node, source.kind) != (own.node, own.kind)
    }


@on_novel
def test_one_changed_decision_makes_stale_what_it_stood_before_and_nothing_else(copied: Written) -> None:
    storage, _ = copied
    with storage.write() as stores:
        resting = resting_by_marks(stores)
        node = stores.nodes.by_label("1.2")
        old = stores.documents.current(node.key, DocumentKind.DESIGN)
        assert old is not None
        take_in(stores, node, old, old.text + NEWS)

    found = direct(storage)

    assert {stale.document.id for stale in found} == {key for key, shown in resting.items() if old.id in shown}
    assert len(found) > 5
    assert all(stale.causes[0].old.id == old.id for stale in found)


@on_both
@pytest.mark.parametrize("seed", range(3))
def test_hand_edits_reach_what_they_stood_before_and_are_taken_back_by_restoring(copied: Written, seed: int) -> None:
    storage, _ = copied
    with storage.write() as stores:
        resting = resting_by_marks(stores)
        edited = hand_edits(stores, seed, 3)
        current = {
            found.id for key in resting if (found := stores.documents.get(key)) and key not in {o.id for o in edited}
        }
        states = [put_right(old, stores.documents.versions(old.node, old.kind)) for old in edited]
    olds = {old.id for own in states for old in own}  # a text that was put right is changed for who read it before

    stale = {one.document.id for one in direct(storage)}
    with storage.write() as stores:
        for old in edited:
            restore(stores, stores.nodes.get(old.node), old.kind, old.version)

    assert stale == {key for key in current if resting[key] & olds}
    assert direct(storage) == []


@on_both
def test_a_refresh_leaves_nothing_directly_stale_and_a_second_one_asks_nobody(copied: Written) -> None:
    storage, settings = copied
    with storage.write() as stores:
        hand_edits(stores, 7, 2)
    assert direct(storage)

    with marked_models(settings, 1_000_000) as models:
        redo(storage, settings, models, RefreshScope())
        calls = models.calls
        again = redo(storage, settings, models, RefreshScope())

    assert direct(storage) == []
    assert again == []
    assert models.calls == calls
    with storage.read() as stores:
        leaves = list(stores.nodes.leaves())
        lengths = [stores.documents.current(leaf.key, DocumentKind.PROSE) for leaf in leaves]
        assert stores.nodes.root().written == sum(found.length for found in lengths if found)
        assert stores.books.get(storage.book).state is BookState.FINISHED


@on_lamps
def test_what_comes_out_as_it_was_makes_nothing_further_stale(copied: Written) -> None:
    storage, settings = copied
    with storage.write() as stores:
        hand_edits(stores, 11, 2)
    before = {(stale.document.node, stale.document.kind) for stale in direct(storage)}
    assert before

    with closing(ModelService(settings)) as models:
        with storage.read() as stores:
            asker = Repeating(models, stores)
        done = redo(storage, settings, asker, RefreshScope())

    steady = [one for one in done if not one.document.kind.is_running]
    assert steady
    assert not any(one.is_changed for one in steady)
    assert {(one.document.node, one.document.kind) for one in steady} <= before
    assert direct(storage) == []


@pytest.fixture(scope="module")
def undisturbed(lamps: Written, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many calls it takes to refresh the book of which the first design is changed, where nothing interrupts it."""
    origin, usual = lamps
    settings = usual.model_copy(update={"home": tmp_path_factory.mktemp("undisturbed") / "home"})
    shutil.copytree(usual.home, settings.home)
    storage = BookStorage(open_library(settings), origin.book, origin.language)
    change_first_design(storage)
    with closing(ModelService(settings)) as models:
        whole = Counting(models)
        redo(storage, settings, whole, RefreshScope())
    storage.database.dispose()
    return whole.calls


@on_lamps
@pytest.mark.parametrize("calls", [1, 4])
def test_an_interrupted_refresh_goes_on_where_it_was_and_pays_for_nothing_twice(
    copied: Written, calls: int, undisturbed: int
) -> None:
    storage, settings = copied
    change_first_design(storage)

    with closing(ModelService(settings)) as models:
        broken = Counting(models, calls)
        with pytest.raises(BookPaused, match="gone for lunch"):
            redo(storage, settings, broken, RefreshScope())
        broken.most = 100_000
        redo(storage, settings, broken, RefreshScope())

    assert broken.calls <= undisturbed
    assert direct(storage) == []


def change_first_design(storage: BookStorage) -> None:
    with storage.write() as stores:
        first = next(node for node in stores.nodes.walk(TaskType.DESIGN))
        old = stores.documents.current(first.key, DocumentKind.DESIGN)
        assert old is not None
        take_in(stores, first, old, old.text + NEWS)


def test_an_edit_between_two_steps_has_the_activity_begun_again(tmp_path: Path) -> None:
    limits = Limits(until_level=Level.CHAPTER, until_count=1)
    storage, settings = written(tmp_path, limits, length=6_000, profile="economy")
    path: list[TaskNode] = []
    with closing(ModelService(settings)) as models:
        while not path:
            with pytest.raises(BookPaused, match="gone for lunch"):
                run_book(storage.book, RunConfig(settings, storage.database, Counting(models, 1)))
            with storage.read() as stores:
                path = [node for node in stores.nodes.open_path() if stores.steps.is_under_way(node)]
    with storage.write() as stores:
        hand_edits(stores, 1, 1)
        after = [stores.nodes.get(node.key).revision for node in path]

    assert [node.revision + 1 for node in path] == after
    storage.database.dispose()


@pytest.mark.soak
@pytest.mark.parametrize("copied", ["hundred"], indirect=True)
def test_a_decision_changed_in_a_hundred_chapters_reaches_exactly_what_it_stood_before(copied: Written) -> None:
    storage, _ = copied
    with storage.write() as stores:
        chapters = [node for node in stores.nodes.walk() if node.level is Level.CHAPTER and node.is_unit]
        resting = resting_by_marks(stores)
        old = _widest_design(stores, resting)
        node = stores.nodes.get(old.node)
        take_in(stores, node, old, old.text + NEWS)

    found = direct(storage)

    assert len(chapters) >= 80
    assert {stale.document.id for stale in found} == {key for key, shown in resting.items() if old.id in shown}
    assert len(found) > 20


def _widest_design(stores: Stores, resting: dict[int, set[int]]) -> Document:
    """The design whose words stood in the prompts of most documents."""
    nodes = [node.key for node in stores.nodes.walk(TaskType.DESIGN)]
    designs = stores.documents.of_nodes(nodes, DocumentKind.DESIGN)
    return max(designs, key=lambda design: sum(design.id in shown for shown in resting.values()))
