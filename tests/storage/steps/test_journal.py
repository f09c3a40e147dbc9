"""The journal: an answered call and all that follows from it stand in one commit, or nowhere."""

from collections.abc import Callable

import pytest
from sqlalchemy import event, func, select, update
from sqlalchemy.exc import IntegrityError

from bookwright.failpoints import Failpoint
from bookwright.models.book import Book
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import DatabaseUnreachable, LeaseLost
from bookwright.models.step import AMENDING_ROUNDS, Activity, Failure, Reply, StepKey, Usage
from bookwright.storage.engine.database import database_now
from bookwright.storage.lease import Lease
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.journal import Journal
from bookwright.storage.steps.queries import NO_LONGER_KEPT
from bookwright.storage.stores import BookStorage, Stores
from bookwright.storage.tables import books, steps, texts
from tests.storage.conftest import BACKINGS, BOOK

USAGE = Usage(input_tokens=100, cached_tokens=60, cache_write_tokens=5, output_tokens=20)
REPLY = Reply(text="Rain fell.", model="scripted:writer", usage=USAGE, cost=7, duration_millis=12)


@pytest.fixture(params=BACKINGS)
def backing(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    return str(request.param)


@pytest.fixture
def lease(storage: BookStorage) -> Lease:
    """The lease of the book."""
    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        return Lease.take(connection, BOOK, "the test", 60)


@pytest.fixture
def journal(storage: BookStorage, lease: Lease) -> Journal:
    """The journal of the book, under the lease."""
    return Journal(storage, lease)


@pytest.fixture
def make(storage: BookStorage) -> Callable[..., Attempt]:
    """Makes attempts at steps of the book's root."""
    with storage.read() as stores:
        root = stores.nodes.root().key

    def attempt(step: str = "draft", number: int = 1, reply: Reply = REPLY, **values: object) -> Attempt:
        key = StepKey(book=BOOK, node=root, revision=1, activity=Activity.WRITE, round=0, step=step)
        fields = {"key": key, "attempt": number, "role": "writer", "template": "story/x", "prompt": ("system", "ask")}
        return Attempt(**fields | {"reply": reply} | values)  # type: ignore[arg-type]

    return attempt


def the_book(storage: BookStorage) -> Book:
    with storage.read() as stores:
        return stores.books.get(BOOK)


def count(storage: BookStorage, table: object) -> int:
    with storage.database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())  # type: ignore[arg-type]


def fail(stores: Stores, step: int) -> None:
    raise ZeroDivisionError


def add_prose(stores: Stores, step: int) -> None:
    root = stores.nodes.root()
    stores.documents.add(NewDocument(node=root.key, kind=DocumentKind.PROSE, text="Rain fell."), step)
    stores.nodes.add_written(root, 2)


def test_a_step_is_one_commit_with_all_that_follows_from_it(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    commits: list[object] = []
    event.listen(storage.database.engine, "commit", commits.append)

    step = journal.record(make(), add_prose, intent="1 critic")

    assert len(commits) == 1
    with storage.read() as stores:
        prose = stores.documents.latest(DocumentKind.PROSE)
        book = stores.books.get(BOOK)
        assert prose is not None
        assert stores.steps.reply(step) == prose.text == "Rain fell."
        assert (stores.nodes.root().written, book.calls, book.intent) == (2, 1, "1 critic")


def test_a_move_that_fails_leaves_nothing(storage: BookStorage, journal: Journal, make: Callable[..., Attempt]) -> None:
    with pytest.raises(ZeroDivisionError):
        journal.record(make(), fail, intent="1 critic")

    assert (count(storage, steps), count(storage, texts)) == (0, 0)
    assert (the_book(storage).calls, the_book(storage).intent) == (0, "")


def test_after_a_failure_the_same_attempt_is_recorded_whole(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    with pytest.raises(ZeroDivisionError):
        journal.record(make(), fail)

    step = journal.record(make())

    with storage.read() as stores:
        assert stores.steps.prompt(step) == ["system", "ask"]


def test_a_recorded_attempt_is_found_as_it_was(journal: Journal, make: Callable[..., Attempt]) -> None:
    reply = REPLY.model_copy(update={"reasoning": "why", "finish_reason": "length", "first_event_millis": 3})
    attempt = make(reply=reply, failure=Failure.CUT_OFF, detail="too long")

    step = journal.record(attempt)

    (found,) = journal.attempts(attempt.key)
    assert (found.id, found.key, found.attempt) == (step, attempt.key, 1)
    assert (found.failure, found.detail, found.reply) == (Failure.CUT_OFF, "too long", reply)


def test_an_attempt_that_may_have_been_recorded_is_found_and_not_written_or_billed_again(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    step = journal.record(make(), add_prose)

    assert journal.record(make(), add_prose, is_again=True) == step

    assert (count(storage, steps), the_book(storage).calls) == (1, 1)
    with storage.read() as stores:
        assert stores.nodes.root().written == 2


def test_attempts_come_in_order_and_only_those_of_the_step(journal: Journal, make: Callable[..., Attempt]) -> None:
    ids = [journal.record(make(number=number, failure=Failure.EMPTY)) for number in (1, 2, 3)]
    journal.record(make("critic"))

    assert [record.id for record in journal.attempts(make().key)] == ids
    assert [record.attempt for record in journal.attempts(make().key)] == [1, 2, 3]


@pytest.mark.parametrize(
    "change", [{"node": 99}, {"revision": 2}, {"activity": Activity.CLOSE}, {"round": 1}, {"step": "draft.2"}]
)
def test_every_part_of_its_key_makes_a_step_another(
    journal: Journal, make: Callable[..., Attempt], change: dict[str, object]
) -> None:
    journal.record(make())

    assert journal.attempts(make().key.model_copy(update=change)) == []


def test_the_same_attempt_twice_is_refused_and_changes_nothing(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    journal.record(make())

    for again in (False, True):
        with pytest.raises(IntegrityError):
            journal.record(make(reply=Reply(text="Another answer.", model="scripted:writer")), is_again=again)

    assert (count(storage, steps), the_book(storage).calls) == (1, 1)


def test_the_book_sums_what_its_steps_cost(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    journal.record(make(number=1, failure=Failure.EMPTY))
    journal.record(make(number=2))
    journal.record(make("critic", reply=REPLY.model_copy(update={"cost": None})))

    book = the_book(storage)
    assert (book.calls, book.input_tokens, book.cached_tokens, book.output_tokens) == (3, 300, 180, 60)
    assert (book.cost, book.unpriced_calls, book.tokens) == (14, 1, 360)
    with storage.read() as stores:
        (line,) = stores.steps.by_role()
    assert (line.role, line.model, line.calls, line.failed) == ("writer", "scripted:writer", 3, 1)
    assert (line.input_tokens, line.output_tokens, line.cost, line.unpriced) == (300, 60, 14, 1)


def test_a_prompt_block_is_stored_once_and_shown_as_often_as_it_stood(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    first = journal.record(make(prompt=("system", "rain", "ask", "rain", "")))
    stored = count(storage, texts)
    second = journal.record(make("critic", prompt=("system", "rain", "criticise")))

    with storage.read() as stores:
        assert stores.steps.prompt(first) == ["system", "rain", "ask", "rain", ""]
        assert stores.steps.prompt(second) == ["system", "rain", "criticise"]
    assert stored == 5
    assert count(storage, texts) == 6


def test_a_card_is_stored_beside_the_prompt_and_what_steps_share_of_it_once(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    first = journal.record(make(card=("the unit", "the draft")))
    stored = count(storage, texts)
    second = journal.record(make("critic", card=("the unit", "the critic")))
    without = journal.record(make("by_code"))

    with storage.read() as stores:
        assert [stores.steps.card(step) for step in (first, second)] == [
            ["the unit", "the draft"], ["the unit", "the critic"],
        ]  # fmt: skip
        assert stores.steps.card(without) == []
        assert not stores.steps.asked(without).is_of_older_version
    assert count(storage, texts) == stored + 1


def test_a_card_is_not_kept_where_the_prompt_is_not(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    bare = journal.record(make(card=("the unit", "the draft"), stores_prompt=False))

    assert count(storage, texts) == 1  # the reply
    with storage.read() as stores:
        assert stores.steps.card(bare) == [NO_LONGER_KEPT, NO_LONGER_KEPT]


def test_a_prompt_that_is_not_kept_is_still_told_apart(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    bare = journal.record(make(stores_prompt=False))
    kept = journal.record(make("critic"))

    assert len(journal.attempts(make().key)[0].prompt) == 2
    with storage.read() as stores:
        assert stores.steps.prompt(bare) == stores.steps.prompt(kept) == ["system", "ask"]


@pytest.mark.parametrize("text", ["null \x00 inside", "lone \ud83d half", ""])
def test_no_character_costs_a_paid_reply(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt], text: str
) -> None:
    reply = REPLY.model_copy(update={"text": text, "reasoning": text})

    step = journal.record(make(reply=reply, failure=Failure.UNPARSABLE, detail=text), intent=text)

    with storage.read() as stores:
        assert stores.steps.reply(step) == text


@pytest.mark.parametrize(
    ("activity", "round_", "expected"),
    [
        (Activity.WRITE, 0, True),
        (Activity.WRITE, AMENDING_ROUNDS + 1, False),
        (Activity.DIVIDE, AMENDING_ROUNDS + 1, True),
        (Activity.MAINTAIN, 3, False),
    ],
)
def test_only_an_activity_of_the_walk_is_under_way(
    storage: BookStorage,
    journal: Journal,
    make: Callable[..., Attempt],
    activity: Activity,
    round_: int,
    expected: bool,
) -> None:
    key = make().key.model_copy(update={"activity": activity, "round": round_})

    journal.record(make(key=key))

    with storage.read() as stores:
        assert stores.steps.is_under_way(stores.nodes.root()) is expected


def test_who_was_overtaken_records_nothing(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(update(books).values(lease_expires=database_now() - 1))
        Lease.take(connection, BOOK, "another", 60)

    for write in (lambda: journal.record(make()), lambda: journal.move(add_prose), journal.renew):
        with pytest.raises(LeaseLost, match="another worker"):
            write()

    assert (count(storage, steps), count(storage, texts), the_book(storage).calls) == (0, 0, 0)


def test_a_stop_in_the_database_is_heard_with_the_next_write(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    journal.record(make())
    assert not journal.stop_requested
    with storage.write() as stores:
        stores.books.ask_to_rest(BOOK)

    journal.renew()

    assert journal.stop_requested


def test_a_stop_that_is_asked_for_here_is_heard_at_once(journal: Journal) -> None:
    journal.stop_requested = True

    assert journal.stop_requested


def test_a_move_without_a_call_is_one_fenced_commit(storage: BookStorage, journal: Journal) -> None:
    commits: list[object] = []
    event.listen(storage.database.engine, "commit", commits.append)

    journal.move(add_prose)

    assert len(commits) == 1
    assert count(storage, steps) == 0
    with storage.read() as stores:
        assert stores.nodes.root().written == 2


def test_what_is_deferred_goes_with_the_next_commit_and_only_once(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    commits: list[object] = []
    event.listen(storage.database.engine, "commit", commits.append)
    journal.defer(lambda stores: stores.nodes.add_written(stores.nodes.root(), 1))

    with pytest.raises(ZeroDivisionError):
        journal.record(make(), fail)
    journal.record(make())
    journal.record(make("critic"))

    with storage.read() as stores:
        assert stores.nodes.root().written == 1
    assert len(commits) == 2


@pytest.mark.parametrize("backing", [pytest.param("postgres", marks=pytest.mark.postgres)])
def test_a_server_that_goes_away_in_the_middle_leaves_nothing_and_is_found_again(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    def hang_up(stores: Stores, step: int) -> None:
        stores.connection.execute(select(func.pg_terminate_backend(func.pg_backend_pid())))

    with pytest.raises(DatabaseUnreachable):
        journal.record(make(), hang_up)
    lost = journal.attempts(make().key)

    step = journal.record(make(), is_again=True)

    assert (lost, [found.id for found in journal.attempts(make().key)]) == ([], [step])
    assert the_book(storage).calls == 1


def test_step_ids_grow(journal: Journal, make: Callable[..., Attempt]) -> None:
    ids = [journal.record(make(step)) for step in "abc"]

    assert ids == sorted(set(ids))


def test_the_journal_is_read_by_node_and_from_a_step_on(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    first = journal.record(make(failure=Failure.REFUSAL, detail="declined"))
    second = journal.record(make(number=2))

    with storage.read() as stores:
        lines = list(stores.steps.lines("1"))
        assert [(line.id, line.attempt, line.failure, line.label) for line in lines] == [
            (first, 1, "refusal", "1"),
            (second, 2, None, "1"),
        ]
        assert [line.id for line in stores.steps.lines(after=first)] == [second]
        assert list(stores.steps.lines("1.1")) == []


def test_the_newest_of_the_journal_are_told_oldest_first_by_node_and_from_before_a_step(
    storage: BookStorage, journal: Journal, make: Callable[..., Attempt]
) -> None:
    first, second, third = (journal.record(make(step)) for step in "abc")

    with storage.read() as stores:
        found = {
            "all": stores.steps.last(2), "before": stores.steps.last(2, before=third),
            "of the book": stores.steps.last(9, "1"), "of a chapter": stores.steps.last(9, "1.1"),
        }  # fmt: skip

    assert {name: [line.id for line in lines] for name, lines in found.items()} == {
        "all": [second, third], "before": [first, second], "of the book": [first, second, third], "of a chapter": [],
    }  # fmt: skip
