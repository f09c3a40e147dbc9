"""A book as JSON and back: equal byte for byte from any database, and nothing written of a file that is not whole."""

import hashlib
import json
import re

import pytest
from sqlalchemy import func, insert, select

from bookwright.exports.json import import_book, whole_book
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import InvalidInput, InvalidSetting, UnusableBook
from bookwright.models.settings import load_settings
from bookwright.models.talk.session import Turn, TurnKind
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import open_database
from bookwright.storage.engine.migrate import upgrade
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.repositories.sessions import SessionRepository
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import books, document_inputs, documents, maintenance, session_messages, sessions, steps
from tests.cli.shelf import a_book
from tests.support.books import make_book, make_settings


def a_full_book(home, **brief):
    """A book with something in most tables, and with what is hard to tell: texts that are no UTF-8, odd characters."""
    settings = make_settings(home)
    make_book(settings, "A book before it, whose rows have the first keys.", identity="earlier")
    storage = a_book(settings, **brief)
    with storage.write() as stores:
        root = stores.nodes.root()
        prose = stores.documents.latest(DocumentKind.PROSE)
        odd = 'A lone \ud83d half\ude00, a \u2028 line, "quotes" and \\ back.'
        state = NewDocument(node=root.key, kind=DocumentKind.GLOBAL_STATE, text=odd, inputs=(prose.id,))
        document = stores.documents.add(state, None)
        stores.queue.add(DocumentKind.GLOBAL_STATE, document.id)
        [owed] = [row for row, *_ in stores.queue.waiting()]
        step = stores.connection.execute(select(func.max(steps.c.id))).scalar_one()
        values = dict(stores.connection.execute(select(steps).where(steps.c.id == step)).mappings().one())
        values |= {"id": step + 7, "activity": "maintain", "round": owed, "reasoning": "思う\u2029"}
        stores.connection.execute(insert(steps).values(values))
        talks = SessionRepository(stores.connection)
        talk = talks.create("writer", storage.book, book=storage.book)
        talks.append(talk.id, [Turn(kind=TurnKind.SAY, text="Go on.")])
        talks.fork(talk.id, talk.tab)
    return storage


def told(storage):
    return "".join(whole_book(storage))


def file_of(storage, folder):
    path = folder / "book.json"
    path.write_text(told(storage), encoding="utf-8")
    return path


def other_database(home, url=""):
    settings = load_settings(home=home, embedding="hashing", model="rehearsal:exact", database_url=url)
    database = open_database(settings)
    upgrade(database)
    return database


def counted(database, table):
    with database.read() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def rows_without_names(text):
    """The rows without the ids of sessions, by which they are ordered."""
    named = json.loads(re.sub(r'"(id|session|parent)": "[0-9a-f-]{36}"', r'"\1": "x"', text))
    del named["sha256"]
    return {name: sorted(map(json.dumps, rows)) if isinstance(rows, list) else rows for name, rows in named.items()}


def with_sum(text):
    """Give a changed file the sum of what it now says."""
    body = text[: text.rindex('"sha256"')]
    return f'{body}"sha256": "{hashlib.sha256(body.encode()).hexdigest()}"\n}}\n'


def test_a_book_comes_back_equal_byte_for_byte(tmp_path):
    storage = a_full_book(tmp_path / "a")
    path = file_of(storage, tmp_path)
    database = other_database(tmp_path / "b")
    make_book(make_settings(tmp_path / "b"), [{"level": "chapter", "title": "x", "text": "x"}] * 9, identity="other")

    assert import_book(path, database) == "lamp"

    assert told(BookStorage(database, "lamp", storage.language)) == path.read_text("utf-8")
    assert json.loads(path.read_text("utf-8"))["rows"]["session_messages"] == 2
    assert counted(database, books) == 2


def test_postgres_takes_a_book_of_sqlite_and_gives_it_back(tmp_path, postgres, postgres_template):
    storage = a_full_book(tmp_path / "a")
    path = file_of(storage, tmp_path)
    database = other_database(tmp_path / "b", postgres.url(postgres.new_database(postgres_template)))

    import_book(path, database)
    import_book(path, database, "lamp-2")

    there = told(BookStorage(database, "lamp", storage.language))
    assert there == path.read_text("utf-8")
    path.write_text(there, encoding="utf-8")
    third = other_database(tmp_path / "c")
    import_book(path, third)
    assert told(BookStorage(third, "lamp", storage.language)) == there
    database.dispose()


def test_keys_are_mapped_also_where_no_constraint_names_them(tmp_path):
    storage = a_full_book(tmp_path / "a")
    database = other_database(tmp_path / "b")
    make_book(make_settings(tmp_path / "b"), [{"level": "chapter", "title": "x", "text": "x"}] * 9, identity="other")

    import_book(file_of(storage, tmp_path), database)

    with database.read() as connection:
        of_book = documents.c.book == "lamp"
        [queued] = connection.execute(select(maintenance).where(maintenance.c.book == "lamp")).all()
        maintained = steps.c.activity == "maintain"
        rounds = list(connection.execute(select(steps.c.round).where(steps.c.book == "lamp", maintained)).scalars())
        [(document, source)] = connection.execute(select(document_inputs)).all()
        ids = set(connection.execute(select(documents.c.id).where(of_book)).scalars())
    assert rounds == [queued.id]
    assert {document, source, queued.document} <= ids


def test_a_book_that_is_there_is_refused_and_taken_in_under_another_name(tmp_path):
    storage = a_full_book(tmp_path)
    path = file_of(storage, tmp_path)

    with pytest.raises(InvalidInput, match="'lamp' is here already; `--as NAME`"):
        import_book(path, storage.database)
    import_book(path, storage.database, "lamp-2")

    copy = told(BookStorage(storage.database, "lamp-2", storage.language))
    assert rows_without_names(copy.replace('"lamp-2"', '"lamp"')) == rows_without_names(path.read_text("utf-8"))
    with storage.database.read() as connection:
        tabs = connection.execute(select(sessions.c.tab).where(sessions.c.book == "lamp-2")).scalars()
        assert set(tabs) == {"lamp-2"}
    assert counted(storage.database, session_messages) == 4


def test_a_book_that_is_being_written_comes_as_one_that_rests(tmp_path):
    storage = a_full_book(tmp_path / "a")
    with storage.write() as stores:
        stores.books.change("lamp", state="writing", lease_owner="process 1 on elsewhere", lease_expires=9e9)
    database = other_database(tmp_path / "b")

    import_book(file_of(storage, tmp_path), database)

    with database.read() as connection:
        book = BookRepository(connection).get("lamp")
    assert (book.state, book.lease_owner, book.reason) == ("paused", None, "it was being written when it was exported")


def test_an_export_is_one_state_of_the_book_whatever_is_written_meanwhile(tmp_path):
    storage = a_full_book(tmp_path)
    before = told(storage)

    pieces = whole_book(storage)
    begun = [next(pieces) for _ in range(3)]
    with storage.write() as stores:
        root = stores.nodes.root()
        stores.documents.add(NewDocument(node=root.key, kind=DocumentKind.DESIGN, text="Later."), None)

    assert "".join([*begun, *pieces]) == before


DAMAGES = {
    "cut off": (lambda text: text[: len(text) // 2], r"line \d+: .*cut off"),
    "cut after a row": (lambda text: text[: text.index("\n", len(text) // 2) + 1], "cut off"),
    "empty": (lambda text: "", "no book that"),
    "another JSON": (lambda text: "[1]\n", "no book that `export --to json` wrote"),
    "an older format": (lambda text: text.replace("bookwright-book/2", "bookwright-book/1"), "its format is"),
    "a newer schema": (lambda text: re.sub('"revision": "[0-9]+"', '"revision": "9999"', text), "a newer version"),
    "laid out anew": (lambda text: json.dumps(json.loads(text), indent=1), "line 5: it is no JSON, or not laid out"),
    "a changed text": (lambda text: text.replace("Rain fell. The", "Snow fell. The"), "not the one that its hash"),
    "a changed figure": (lambda text: text.replace('"input_tokens": 3600', '"input_tokens": 3601'), "its sum is not"),
    "something after it": (lambda text: text + "more\n", "its sum is not"),
    "a path as its name": (lambda text: with_sum(text.replace('"book": "lamp"', '"book": "../up"')), "no book's id"),
    "a row too few": (
        lambda text: with_sum(text.replace('"briefs": 1', '"briefs": 2')),
        "1 rows of briefs and says 2",
    ),
    "a key twice": (lambda text: with_sum(text.replace('{"key": 3,', '{"key": 2,')), "its key is 2, where 3"),
    "a parent of its own": (lambda text: with_sum(text.replace('"parent": 1', '"parent": 5')), "no such row in nodes"),
    "a word for a number": (lambda text: with_sum(text.replace('"calls": 3', '"calls": "3"')), "'calls' cannot be"),
    "a number past all": (lambda text: with_sum(text.replace('"calls": 3', '"calls": 1e99')), "'calls' cannot be"),
    "no number": (lambda text: with_sum(text.replace('"length_ratio": 1.0', '"length_ratio": NaN')), "cannot be 'nan'"),
    "a strange column": (lambda text: with_sum(text.replace('"calls": 3', '"calls": 3, "x": 1')), "has no 'x'"),
    "a strange table": (lambda text: with_sum(text.replace('"gates": [', '"gatez": [')), "none of a book"),
    "no brief in it": (lambda text: with_sum(text.replace('\\"premise\\"', '\\"x\\"')), "no book that can be read"),
    "two versions alike": (
        lambda text: with_sum(text.replace('"version": 2, "is_current"', '"version": 1, "is_current"')),
        "do not fit together",
    ),
    "a label out of its tree": (lambda text: with_sum(text.replace('"label": "1.1"', '"label": "1.9"')), "is '1.1'"),
    "a label that is a path": (lambda text: with_sum(text.replace('"label": "1.1"', '"label": "../x"')), "is '1.1'"),
    "a second root": (lambda text: with_sum(text.replace('"parent": 1', '"parent": null')), "only the first node"),
    "a level of no book": (lambda text: with_sum(text.replace('"level": "chapter"', '"level": "x"')), "'level' cannot"),
    "a state of no book": (lambda text: with_sum(text.replace('"state": "', '"state": "x')), "'state' cannot be"),
    "a text of no kind": (lambda text: with_sum(text.replace('"kind": "prose"', '"kind": "x"')), "'kind' cannot be"),
    "a list that is none": (lambda text: with_sum(text.replace('"outline": "[]"', '"outline": "["')), "is no JSON"),
    "a deep nest": (lambda text: text.replace('"books": [\n', '"books": [\n' + "[" * 100_000 + "\n"), "no JSON"),
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The text of a whole file, and a database without books."""
    return told(a_full_book(tmp_path_factory.mktemp("a"))), other_database(tmp_path_factory.mktemp("b"))


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_is_not_whole_is_refused_before_anything_is_written(tmp_path, whole, damage):
    change, complaint = DAMAGES[damage]
    text, database = whole
    path = tmp_path / "book.json"
    path.write_text(change(text), encoding="utf-8")
    assert change(text) != text

    with pytest.raises(UnusableBook, match=complaint) as refusal:
        import_book(path, database)

    assert str(path) in str(refusal.value)
    assert [counted(database, table) for table in (books, steps, documents)] == [0, 0, 0]


def test_a_file_of_a_version_that_stored_no_cards_is_taken_in(tmp_path):
    storage = a_full_book(tmp_path / "a")
    newer = r'"card": "[^"]*", |"story_time": null, |"has_failed": (true|false), '
    older = re.sub(newer, "", told(storage)).replace(f'"revision": "{migrate.HEAD}"', '"revision": "0013"')
    (tmp_path / "book.json").write_text(with_sum(older), encoding="utf-8")
    assert all(name not in older for name in ('"card"', '"story_time"', '"has_failed"', f'"{migrate.HEAD}"'))
    database = other_database(tmp_path / "b")

    taken = BookStorage(database, import_book(tmp_path / "book.json", database), storage.language)

    with taken.read() as stores:
        assert all(stores.steps.asked(line.id).is_of_older_version for line in stores.steps.lines())
    assert '"card": null' in told(taken)


def test_a_file_that_is_not_there_and_a_name_that_is_none_are_refused(tmp_path):
    database = other_database(tmp_path / "b")

    with pytest.raises(UnusableBook, match="cannot be read"):
        import_book(tmp_path / "none.json", database)
    with pytest.raises(InvalidSetting, match="can be no book's id"):
        import_book(tmp_path / "none.json", database, "../x")
