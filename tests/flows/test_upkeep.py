"""Work on books that rest: pruned prompts, a new index, and a book that goes on after either."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, func, select, update

from bookwright.agents.backends.service import ModelService
from bookwright.failpoints import Failpoint
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.flows.stopping import Limits
from bookwright.flows.upkeep import prune, reindex
from bookwright.models.book import Book, BookState
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookHeld, BookPaused, DatabaseDamaged, LeaseLost
from bookwright.models.settings import Settings
from bookwright.storage.engine.condition import check_after_unclean_stop
from bookwright.storage.engine.database import Database
from bookwright.storage.lease import Lease
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.steps.retention import Keep, give_back, let_go
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import books, document_inputs, documents, passages, steps, texts, tool_uses, vectors
from tests.support.books import make_settings

BRIEF = make_brief(
    {
        "premise": "A keeper reads a log in her own hand.",
        "title": "The Log",
        "length": 6_000,
        "profile": "economy",
        "max_unit_length": 2_400,
        "max_planning_rounds": 1,
    }
)


def write(settings: Settings, until: str | None = None) -> None:
    """Write the book to its end or to a limit."""
    database = open_library(settings)
    book = find_or_create(database, BRIEF)
    models = ModelService(settings)
    try:
        run_book(book.id, RunConfig(settings, database, models, limits=Limits.parse(until, None)))
    except BookPaused:
        if until is None:
            raise
    finally:
        models.close()
        database.dispose()


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a book of which a chapter is written."""
    home = tmp_path_factory.mktemp("begun") / "home"
    write(settings_of(home), "chapter:1")
    return home


@pytest.fixture(scope="module")
def finished(begun: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with all of it written."""
    home = tmp_path_factory.mktemp("finished") / "home"
    shutil.copytree(begun, home)
    write(settings_of(home))
    return home


def settings_of(home: Path, **values: object) -> Settings:
    return make_settings(home, free_megabytes=0, **values)


@pytest.fixture
def settings(tmp_path: Path, finished: Path) -> Settings:
    """Those of a copy of the finished book."""
    shutil.copytree(finished, tmp_path / "home")
    return settings_of(tmp_path / "home")


@pytest.fixture
def midway(tmp_path: Path, begun: Path) -> Settings:
    """Those of a copy of the book of one chapter."""
    shutil.copytree(begun, tmp_path / "midway")
    return settings_of(tmp_path / "midway")


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    database = open_library(settings)
    yield database
    database.dispose()


def the_book(database: Database) -> Book:
    with database.read() as connection:
        return BookRepository(connection).all()[0]


def everything(database: Database) -> tuple[object, ...]:
    """What a book is made of: its prose, its journal with its bill, and what each document was made of."""
    bill = (steps.c.id, steps.c.step, steps.c.input_hash, steps.c.prompt, steps.c.reply, steps.c.input_tokens)
    made_of = select(document_inputs).order_by(*document_inputs.c)
    with database.read() as connection:
        rows = [connection.execute(select(*bill).order_by(steps.c.id)).all(), connection.execute(made_of).all()]
        timeless = [column for column in documents.c if column.name != "made_at"]
        rows.append(connection.execute(select(*timeless).order_by(documents.c.id)).all())
        [book] = BookRepository(connection).all()
    storage = BookStorage(database, book.id, book.brief.language)
    with storage.read() as stores:
        prose = [stores.documents.current(unit.key, DocumentKind.PROSE) for unit in stores.nodes.leaves()]
    return book.state, book.calls, book.cost, rows, [document.text for document in prose if document]


def referred(connection: Connection) -> tuple[set[str], set[str]]:
    """Hashes of texts that must stay, by replies, tools and documents; and those that are there."""
    needed = set(connection.execute(select(steps.c.reply)).scalars())
    needed |= set(connection.execute(select(tool_uses.c.response)).scalars())
    needed |= set(connection.execute(select(documents.c.text_hash)).scalars())
    needed |= set(connection.execute(select(documents.c.data_hash).where(documents.c.data_hash.is_not(None))).scalars())
    return needed, set(connection.execute(select(texts.c.hash)).scalars())


def test_a_book_goes_on_after_pruning_as_if_nothing_had_been_let_go(database, midway):
    opened = open_library(midway)
    for limit in ("chapter:2", None):
        assert prune(opened, the_book(opened), midway, Keep(last=0)).texts > 0
        write(midway, limit)

    assert the_book(opened).state is BookState.FINISHED
    assert everything(opened) == everything(database)
    prune(opened, the_book(opened), midway, Keep(last=0))
    with opened.read() as connection:
        needed, there = referred(connection)
    assert needed == there
    opened.dispose()


def test_a_wish_that_the_book_rest_outlives_upkeep(settings, database):
    with database.write(Failpoint.EDIT_BOOK) as connection:
        BookRepository(connection).ask_to_rest(the_book(database).id)

    prune(database, the_book(database), settings, Keep(last=0))

    assert the_book(database).stop_requested


def test_only_prompts_of_old_steps_go(settings, database):
    book = the_book(database)
    with database.read() as connection:
        last = connection.execute(
            select(steps.c.id, steps.c.prompt, steps.c.card).order_by(steps.c.id.desc()).limit(5)
        ).all()
        before = connection.execute(select(texts.c.hash, texts.c.body)).all()

    freed = prune(database, book, settings, Keep(last=5))

    with database.read() as connection:
        needed, there = referred(connection)
    kept = {key for row in last for key in (*row.prompt.split(), *row.card.split())}
    assert there == needed | kept
    assert freed.texts == len(before) - len(there)
    assert freed.bytes == sum(len(body) for key, body in before if key not in there)
    with BookStorage(database, book.id, book.brief.language).read() as stores:
        assert "(no longer kept)" not in stores.steps.prompt(last[-1].id)
        assert "(no longer kept)" in stores.steps.prompt(1)
        assert "(no longer kept)" not in stores.steps.card(last[-1].id)
        assert "(no longer kept)" in stores.steps.card(1)


def test_what_a_prompt_holds_that_is_needed_elsewhere_stays(settings, database):
    with database.write(Failpoint.EDIT_BOOK) as connection:
        needed, there = referred(connection)
        held = steps.c.prompt + " ".join(["", *sorted(needed)])
        connection.execute(update(steps).where(steps.c.id == 1).values(prompt=held))

    prune(database, the_book(database), settings, Keep(last=0))

    with database.read() as connection:
        assert referred(connection) == (needed, needed)
    assert needed < there


def test_whoever_was_overtaken_lets_nothing_go(database):
    book = the_book(database)
    with database.write(Failpoint.EDIT_BOOK) as connection:
        overtaken = Lease.take(connection, book.id, "the first", 0)
        Lease.take(connection, book.id, "the second", 60)
        before = referred(connection)

    with pytest.raises(LeaseLost):
        let_go(database, overtaken, Keep(last=0))

    with database.read() as connection:
        assert referred(connection) == before


def test_what_is_young_is_kept(settings, database):
    book = the_book(database)
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(update(steps).where(steps.c.id <= 3).values(recorded_at=steps.c.recorded_at - 86_400 * 9))

    assert prune(database, book, settings, Keep(days=10)).texts == 0
    assert prune(database, book, settings, Keep(days=8, last=10_000)).texts == 0
    assert 0 < prune(database, book, settings, Keep(days=8)).steps <= 3


def test_a_book_that_keeps_no_prompts_is_the_same_book(database, midway):
    bare = midway.model_copy(update={"keep_prompts": False})
    opened = open_library(bare)
    prune(opened, the_book(opened), bare, Keep(last=0))

    write(bare)

    assert everything(opened) == everything(database)
    with opened.read() as connection:
        needed, there = referred(connection)
    assert needed == there
    opened.dispose()


def test_room_is_given_back(settings, database):
    book = the_book(database)
    with database.write(Failpoint.EDIT_BOOK) as connection:
        step = connection.execute(select(steps.c.id).order_by(steps.c.id).limit(1)).scalar_one()
        connection.execute(update(steps).where(steps.c.id == step).values(prompt=steps.c.prompt + " bulk"))
        connection.execute(texts.insert().values(book=book.id, hash="bulk", body=b"x" * 2_000_000))
    with database.look() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    before = settings.database_path.stat().st_size

    prune(database, book, settings, Keep(last=0))
    is_done = give_back(database, settings)

    assert is_done
    assert settings.database_path.stat().st_size < before - 2_000_000


def test_no_room_is_given_back_while_a_book_is_written(settings, database):
    book = the_book(database)
    with database.write(Failpoint.EDIT_BOOK) as connection:
        Lease.take(connection, book.id, "another worker", 600)

    assert not give_back(database, settings)


@pytest.mark.parametrize("work", [reindex, lambda *given: prune(*given, Keep(last=0))])
def test_a_book_that_is_held_is_left_alone(settings, database, work):
    book = the_book(database)
    with database.write(Failpoint.EDIT_BOOK) as connection:
        Lease.take(connection, book.id, "another worker", 600)
    before = everything(database)

    with pytest.raises(BookHeld, match="another worker"):
        work(database, book, settings)

    assert everything(database) == before


def test_a_new_index_embeds_nothing_again(settings, database):
    book = the_book(database)
    told: list[tuple[int, int]] = []

    done = reindex(database, book, settings, lambda count, total: told.append((count, total)))

    assert (done.embedded, done.documents) == (0, told[-1][0])
    assert told[-1][0] == told[-1][1]
    with database.read() as connection:
        assert connection.execute(select(func.count()).select_from(passages)).scalar_one() == done.passages > 0
        row = connection.execute(select(books)).one()
    assert (row.state, row.lease_owner) == ("finished", None)


def test_another_embedding_is_taken_over_by_a_new_index(settings, database):
    book = the_book(database)
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(update(vectors).values(model="of-another-time"))

    first = reindex(database, book, settings)
    again = reindex(database, book, settings)

    with database.read() as connection:
        models = connection.execute(select(vectors.c.model).distinct()).scalars().all()
    assert (first.embedded > 0, again.embedded, models) == (True, 0, [first.model])


def spoil(path: Path) -> None:
    """Overwrite the heads of all pages but those that hold the books' rows."""
    data = bytearray(path.read_bytes())
    for start in range(len(data) // 2, len(data) - 8192, 8192):
        data[start : start + 64] = b"\xff" * 64
    path.write_bytes(data)


def leave_unclean(database: Database) -> None:
    """Leave the book as a worker does that was killed, with all in the file itself."""
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(update(books).values(lease_owner="a dead one", lease_expires=0.0))
    with database.look() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    database.dispose()


def test_a_damaged_file_is_found_after_an_unclean_stop_before_anything_is_paid(midway):
    database = open_library(midway)
    book = the_book(database)
    leave_unclean(database)
    spoil(midway.database_path)

    for _ in range(2):
        with pytest.raises(DatabaseDamaged, match="bookwright restore FILE") as caught:
            write(midway)

    assert f"units of {book.id}" in str(caught.value) or "cannot be read any more" in str(caught.value)
    with database.read() as connection:
        row = connection.execute(select(books.c.calls, books.c.lease_owner)).one()
    assert tuple(row) == (book.calls, "a dead one")


def test_the_file_is_looked_through_once_for_each_unclean_stop(midway):
    database = open_library(midway)
    looked: list[str] = []
    listen(database, looked)
    identity = the_book(database).id

    for _ in range(2):
        check_after_unclean_stop(database, identity)
    assert looked == []

    leave_unclean(database)
    check_after_unclean_stop(database, identity)
    assert len(looked) == 1
    write(midway, "chapter:1")
    check_after_unclean_stop(database, identity)
    assert len(looked) == 1


def listen(database: Database, looked: list[str]) -> None:
    @event.listens_for(database.engine, "before_cursor_execute")
    def note(connection: object, cursor: object, statement: str, *_: object) -> None:
        if "quick_check" in statement:
            looked.append(statement)
