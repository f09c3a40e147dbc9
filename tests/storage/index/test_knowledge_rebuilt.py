"""The knowledge index is built again: of damage, of another model, of a command, of an old copy."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bookwright.models.settings import load_settings
from bookwright.storage.engine.database import open_database
from bookwright.storage.index.passages import PassageRepository, StoredVector
from bookwright.storage.index.vector_index import ChromaIndex
from bookwright.storage.stores import BookStorage
from tests.storage.conftest import BACKINGS, BOOK, new_book, taken
from tests.storage.shelves import DESIGN, QUERIES, CountingEmbedder, Shelf, found


@pytest.fixture(scope="module")
def closed(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """A shelf of 400 documents, all of them in its index, which nobody has open."""
    settings = load_settings(home=tmp_path_factory.mktemp("closed"))
    shutil.copy(sqlite_template, settings.database_path)
    shelf = taken(settings, new_book(open_database(settings)))
    shelf.fill(400)
    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()
    index.close()
    with shelf.storage.write() as stores:
        stores.books.change(BOOK, lease_expires=0.0)
    shelf.storage.database.dispose()
    return shelf


@pytest.fixture
def indexed(closed: Shelf, tmp_path: Path) -> Iterator[Shelf]:
    """A copy of that shelf, in the hands of one who has embedded nothing."""
    settings = closed.settings.model_copy(update={"home": tmp_path / "home"})
    shutil.copytree(closed.settings.home, settings.home)
    storage = BookStorage(open_database(settings), BOOK, closed.storage.language)
    yield taken(settings, storage)
    storage.database.dispose()


def _remove(folder: Path) -> None:
    shutil.rmtree(folder)


def _garble_sqlite(folder: Path) -> None:
    [file] = folder.glob("*/chroma.sqlite3")
    file.write_bytes(b"not a database" * 1_000)


def _truncate_vectors(folder: Path) -> None:
    file = next(folder.glob("*/*/data_level0.bin"))
    file.write_bytes(file.read_bytes()[:100])


def _remove_vectors(folder: Path) -> None:
    file = next(folder.glob("*/*/data_level0.bin"))
    shutil.rmtree(file.parent)


def _take_the_seal_away(folder: Path) -> None:
    (folder / "seal.json").unlink()


@pytest.mark.parametrize("damage", [_remove, _garble_sqlite, _truncate_vectors, _remove_vectors, _take_the_seal_away])
def test_a_damaged_index_is_built_again_without_embedding(indexed, damage: Callable[[Path], None]):
    index = indexed.index()
    before = found(index, *QUERIES)
    index.close()
    folder = ChromaIndex(BOOK, indexed.embedder.name, indexed.settings).folder

    damage(folder)
    again = indexed.index()
    after = found(again, *QUERIES)

    assert after == before
    assert indexed.embedder.embedded == 0
    assert chroma_of(indexed).count() == 400


def test_an_index_whose_vectors_are_not_those_of_the_database_is_built_again(shelf):
    shelf.fill(100)
    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()
    before = found(index, *QUERIES)
    index.close()

    chroma = chroma_of(shelf)
    held = chroma._opened(DESIGN).get(include=["embeddings"])
    chroma._opened(DESIGN).update(ids=held["ids"], embeddings=held["embeddings"][::-1])
    chroma.close()

    assert found(shelf.index(), *QUERIES) == before
    assert chroma_of(shelf).finds(sample_of(shelf))


def test_an_index_older_than_the_database_catches_up_without_embedding(shelf, tmp_path):
    shelf.fill(150)
    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()
    index.close()
    shutil.copytree(shelf.settings.home / "index", tmp_path / "old")
    shelf.fill(150)
    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()
    before = found(index, *QUERIES)
    index.close()
    embedded = shelf.embedder.embedded

    shutil.rmtree(shelf.settings.home / "index")
    shutil.copytree(tmp_path / "old", shelf.settings.home / "index")
    again = shelf.index()

    assert found(again, *QUERIES) == before
    assert shelf.embedder.embedded == embedded


def test_an_index_that_breaks_while_it_is_open_is_built_again(indexed):
    index = indexed.index()
    before = found(index, *QUERIES)

    chroma_of(indexed)._opened(DESIGN).delete(where={"kind": "design"})
    client = chroma_of(indexed)._connected()
    client.delete_collection(chroma_of(indexed)._name_of(DESIGN))
    after = found(index, *QUERIES)

    assert after == before
    assert chroma_of(indexed).count() == 400


@pytest.mark.parametrize("backing", BACKINGS)
def test_another_model_embeds_once_and_then_finds(shelf):
    shelf.fill(100)
    shelf.index().catch_up(shelf.journal)
    shelf.record_step()
    shelf.embedder = CountingEmbedder(name="counting-2")

    index = shelf.index()
    index.catch_up(shelf.journal)
    first = shelf.embedder.embedded
    answers = found(index, *QUERIES)
    index.close()
    again = shelf.index()
    again.catch_up(shelf.journal)

    assert first == 100
    assert shelf.embedder.embedded == 100
    assert found(again, *QUERIES) == answers
    assert len(answers) == 10


@pytest.mark.parametrize("backing", BACKINGS)
def test_reindex_builds_all_anew_and_embeds_nothing_that_is_known(shelf):
    shelf.fill(100)
    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()
    before = found(index, *QUERIES)

    index.reindex(shelf.journal)

    assert found(index, *QUERIES) == before
    assert shelf.embedder.embedded == 100
    assert shelf.rows() == (100, 100)


def test_drop_removes_the_folder_and_the_next_use_builds_it(shelf):
    shelf.fill(100)
    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()
    before = found(index, *QUERIES)

    index.drop()
    folders = list((shelf.settings.home / "index").iterdir())

    assert folders == []
    assert found(index, *QUERIES) == before


def chroma_of(shelf: Shelf) -> ChromaIndex:
    """The collections as the process that holds them sees them."""
    return ChromaIndex(BOOK, shelf.embedder.name, shelf.settings)


def sample_of(shelf: Shelf) -> list[StoredVector]:
    with shelf.storage.read() as stores:
        return PassageRepository(stores.connection, BOOK, shelf.embedder.name).sample(20, 10**9)
