"""A refresh that is interrupted says what goes on with it, and that does; what cannot be told is not paid for."""

from contextlib import closing

import pytest

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.revision.refresh import Redone, RefreshScope, refresh
from bookwright.flows.revision.revise import chosen, take_in
from bookwright.flows.revision.staleness import Staleness
from bookwright.models.book import BookState
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BackendUnavailable, BookPaused, BudgetExceeded
from bookwright.models.gate import Decider, GateKind
from bookwright.models.ruling import approval
from bookwright.models.step import Reply
from bookwright.storage.stores import BookStorage
from tests.flows.conftest import SECRET
from tests.flows.revision.changed import Written

WAY_ON = "`bookwright refresh lamp 1.4`"
on_fable = pytest.mark.parametrize("copied", ["fable"], indirect=True)


class Failing:
    """Asks the rehearsal author, and fails from the second call on, if it is to fail."""

    def __init__(self, models: ModelService, failure: Exception | None = None) -> None:
        self._models = models
        self._failure = failure
        self.templates: list[str] = []

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Answer a step, or fail."""
        if self._failure is not None and self.templates:
            raise self._failure
        self.templates.append(request.facts["template"])
        return self._models.ask(request, budget, listener, on_failure)


def redo(
    copied: Written, failure: Exception | None = None, wanted: RefreshScope | None = None
) -> tuple[list[Redone], list[str]]:
    storage, settings = copied
    with closing(ModelService(settings)) as models:
        asker = Failing(models, failure)
        with hold_book(storage.book, RunConfig(settings, storage.database, asker), way_on=WAY_ON) as deps:
            return refresh(wanted or RefreshScope(), deps, lambda redone: None), asker.templates


def first_chapter(storage: BookStorage) -> str:
    return chapters(storage)[0]


def chapters(storage: BookStorage) -> tuple[str, ...]:
    with storage.read() as stores:
        return stores.codex.reading_order().chapters


def change(storage: BookStorage, label: str, kind: DocumentKind, words: str) -> None:
    """Add words of the author's to a document."""
    with storage.write() as stores:
        node = stores.nodes.by_label(label)
        old = chosen(stores, node, kind)
        take_in(stores, node, old, f"{old.text}\n\n{words}")


def stale(storage: BookStorage) -> list[str]:
    with storage.read() as stores:
        found = Staleness(stores.books.get(storage.book).brief).direct(stores)
    return [f"{one.document.label} {one.document.kind}" for one in found]


@on_fable
@pytest.mark.parametrize(
    ("failure", "before"),
    [
        (BackendUnavailable("the model is away"), "the model is away. "),
        (BudgetExceeded("nothing is left", "a higher budget raises it"), "a higher budget raises it; then "),
        (BookPaused("asked to rest", f"{WAY_ON} goes on from here"), "asked to rest. "),
    ],
)
def test_a_refresh_that_comes_to_rest_names_itself_and_goes_on(
    copied: Written, failure: Exception, before: str
) -> None:
    storage, _ = copied
    change(storage, chapters(storage)[-1], DocumentKind.PROSE, "The lamp was blue all along.")

    with pytest.raises(BookPaused) as rest:
        redo(copied, failure)
    with storage.read() as stores:
        left = stores.books.get(storage.book)
    redo(copied)

    assert str(rest.value).endswith(f"{before}{WAY_ON} goes on from here.")
    assert left.state is BookState.FINISHED
    assert stale(storage) == []


@on_fable
def test_a_refresh_for_which_no_room_is_left_names_itself(copied: Written) -> None:
    storage, settings = copied
    change(storage, first_chapter(storage), DocumentKind.PROSE, "The lamp was blue all along.")

    with pytest.raises(BookPaused, match=r"make room, and `bookwright refresh lamp 1\.4` goes on"):
        redo((storage, settings.model_copy(update={"free_megabytes": 10**9})))


@on_fable
def test_a_text_whose_writer_may_know_nothing_of_what_is_new_is_not_paid_for(copied: Written) -> None:
    storage, _ = copied
    label = first_chapter(storage)
    change(storage, label, DocumentKind.WRITERS_BRIEF, SECRET)
    was_stale = f"{label} prose" in stale(storage)

    redone, templates = redo(copied, wanted=RefreshScope(label))

    texts = [one for one in redone if one.document.kind is DocumentKind.PROSE]
    assert was_stale
    assert [one.is_changed for one in texts] == [False]
    assert not any("/revision/" in template for template in templates)
    assert f"{label} prose" not in stale(storage)


@on_fable
def test_a_refresh_goes_on_in_spite_of_an_older_wish_and_leaves_it_to_the_run_that_is_queued(copied: Written) -> None:
    storage, _ = copied
    label = first_chapter(storage)
    change(storage, label, DocumentKind.WRITERS_BRIEF, "The lamp was blue all along.")
    with storage.write() as stores:
        stores.books.ask_to_rest(storage.book)

    done, _ = redo(copied, wanted=RefreshScope(label))

    assert done
    with storage.read() as stores:
        assert stores.books.get(storage.book).stop_requested


@on_fable
def test_a_refresh_that_is_wished_to_rest_does_so_before_the_next_text_and_goes_on(copied: Written) -> None:
    storage, settings = copied
    for label in chapters(storage):
        change(storage, label, DocumentKind.WRITERS_BRIEF, "The lamp was blue all along.")
    told: list[Redone] = []
    with (
        closing(ModelService(settings)) as models,
        hold_book(storage.book, RunConfig(settings, storage.database, models), way_on=WAY_ON) as deps,
    ):

        def hear(redone: Redone) -> None:
            told.append(redone)
            deps.desk.journal.stop_requested = True  # as the wish of another program sets it, and Ctrl-C

        with pytest.raises(BookPaused, match="asked to rest"):
            refresh(RefreshScope(), deps, hear)
    left = stale(storage)
    rest, _ = redo(copied)

    assert len(told) == 1
    assert left
    assert rest
    assert stale(storage) == []


@on_fable
def test_a_text_that_was_begun_anew_is_gone_on_with_and_not_amended_from_its_old_one(copied: Written) -> None:
    storage, _ = copied
    label = first_chapter(storage)
    change(storage, label, DocumentKind.WRITERS_BRIEF, "The lamp was blue all along.")
    with pytest.raises(BookPaused):
        redo(copied, BackendUnavailable("the model is away"), RefreshScope(label, is_anew=True))

    _, templates = redo(copied, wanted=RefreshScope(label))

    assert templates
    assert not any("/revision/" in template for template in templates)


@on_fable
def test_a_book_whose_gate_is_decided_during_a_refresh_waits_no_more(copied: Written) -> None:
    storage, settings = copied
    with storage.write() as stores:
        stores.gates.open(stores.nodes.by_label(first_chapter(storage)), GateKind.CHAPTER)
        gate = stores.gates.waiting()[0]
        stores.books.set_state(storage.book, BookState.WAITING)

    with (
        closing(ModelService(settings)) as models,
        hold_book(storage.book, RunConfig(settings, storage.database, models), way_on=WAY_ON),
        storage.write() as stores,
    ):
        stores.gates.decide(gate.id, approval(gate, Decider.BRIEF))

    with storage.read() as stores:
        assert stores.books.get(storage.book).state is BookState.PAUSED


@pytest.mark.soak
@pytest.mark.parametrize("copied", ["reviewed"], indirect=True)
def test_a_text_that_was_accepted_by_a_review_is_amended_again_after_its_unit_was_judged_anew(copied: Written) -> None:
    storage, _ = copied
    label = first_chapter(storage)
    change(storage, label, DocumentKind.WRITERS_BRIEF, "The lamp was blue all along.")
    _, first = redo(copied, wanted=RefreshScope(label))
    change(storage, label, DocumentKind.WRITERS_BRIEF, "The boat was green.")

    _, second = redo(copied, wanted=RefreshScope(label))

    assert "story/relay/quality" in first
    assert "story/revision/prose" in second
    assert not any(template.endswith("/write/draft") for template in (*first, *second))
