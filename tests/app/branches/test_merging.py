"""What a branch has made is taken over as it is, both sides' changes are an author's to settle, and undo is exact."""

import json
from dataclasses import replace
from random import Random

import pytest
from sqlalchemy import select, update

from bookwright.app.branches.merge_plan import OURS, THEIRS
from bookwright.app.branches.merging import MergeOrder, look_at_merge, merge, stale_after, undo_merge
from bookwright.flows.intake.continuation import go_on
from bookwright.flows.revision.revise import WRITABLE, take_in
from bookwright.models.codex.entries import CodexEntry, EntryKind
from bookwright.models.codex.record import Origin, RecordKind
from bookwright.models.document import Document, DocumentKind, NewDocument
from bookwright.models.errors import BookHeld, EditConflict, InvalidInput
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.lease import Lease
from bookwright.storage.tables import merges
from tests.app.branches.grove import NEWS, Grove, prose, rewrite
from tests.flows.revision.changed import as_made, resting_by_marks


def test_a_merge_of_everything_equals_the_branch_and_taken_back_equals_before(
    grown: Grove, origin: str, branch: str
) -> None:
    before, text = grown.rows(origin), grown.text(origin)
    book = grown.open(origin)

    merge(book, MergeOrder(branch))

    assert grown.text(origin) == grown.text(branch) != text
    assert stale_after(book)[0] == []
    assert look_at_merge(book, MergeOrder(branch)).is_empty
    undo_merge(book)
    assert grown.rows(origin) == before
    assert grown.text(origin) == text


def test_a_book_with_an_open_chapter_is_not_closed_by_what_comes_over_of_a_finished_one(
    grove: Grove, origin: str
) -> None:
    branch = grove.fork(origin, at="chapter 2")
    rewrite(grove, origin, "1", "A lamp, and who lit it.", DocumentKind.BLURB)
    book = grove.open(branch)

    assert merge(book, MergeOrder(origin)).texts

    with book.storage.read() as stores:
        assert stores.nodes.root().status is NodeStatus.OPEN
    with pytest.raises(InvalidInput, match="is still to be written"), book.storage.write() as stores:
        go_on(stores, stores.books.get(branch), 3_000)


def test_new_units_of_a_branch_come_over_with_all_that_is_in_them(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin, at="chapter 2")
    with grove.open(branch).storage.write() as stores:  # planned anew, it divides where its origin did not
        brief = stores.books.get(branch).brief
        stores.books.edit_brief(branch, brief.model_copy(update={"max_unit_length": 1_600}))
    grove.write(branch)
    before, book = grove.rows(origin), grove.open(origin)

    sight = merge(book, MergeOrder(branch))

    assert sight.units
    assert grove.text(origin) == grove.text(branch)
    with book.storage.read() as stores, grove.open(branch).storage.read() as others:
        assert [leaf.label for leaf in stores.nodes.leaves()] == [leaf.label for leaf in others.nodes.leaves()]
        assert stores.nodes.root().written == others.nodes.root().written
    undo_merge(book)
    assert grove.rows(origin) == before


def test_a_merge_says_of_whom_only_the_prose_that_it_replaces_had_told(grove: Grove, origin: str) -> None:
    with grove.open(origin).storage.write() as stores:
        told = stores.documents.current(stores.nodes.by_label("1.4").key, DocumentKind.PROSE)
        assert told is not None
        odo = CodexEntry(id="odo", kind=EntryKind.CHARACTER, name="Odo")
        stores.codex.add(odo, Origin.PROSE, document=told.id)
    branch, book = grove.fork(origin), grove.open(origin)
    rewrite(grove, branch, "1.4", "Snow fell, and nobody came.")
    before = grove.rows(origin)

    seen, done = look_at_merge(book, MergeOrder(branch)), merge(book, MergeOrder(branch))

    with book.storage.read() as stores:
        assert "odo" not in [entry.id for entry in stores.codex.entries()]
    assert (seen.untold, done.untold) == ((), ("odo",))
    undo_merge(book)
    assert grove.rows(origin) == before


def test_a_text_alone_is_not_put_over_one_that_stands_in_parts(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin, at="chapter 1")
    with grove.open(branch).storage.write() as stores:  # as if it had been planned anew and divided
        chapter = stores.nodes.by_label("1.4")
        part = PlanNode(task_type=TaskType.WRITE, title="The Lamp", goal="She lights it.")
        [scene] = stores.nodes.add(chapter, [part], level="scene", length=10)
        stores.documents.add(NewDocument(node=scene.key, kind=DocumentKind.PROSE, text="She lit it."), None)
    rewrite(grove, origin, "1.4", NEWS)
    before, book = grove.rows(branch), grove.open(branch)

    with pytest.raises(InvalidInput, match=r"1\.4.* has its text in parts; take one of them, or all of it"):
        merge(book, MergeOrder(origin, take="1.4", kind=DocumentKind.PROSE))

    assert grove.rows(branch) == before


def test_a_text_that_its_own_side_left_as_it_was_does_not_take_the_place_of_parts(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin, at="chapter 1")
    divide(grove, branch, "1.4")
    before, order = grove.rows(branch), MergeOrder(origin, take="1.4", choices={"1.4": THEIRS})

    with pytest.raises(InvalidInput, match=r"no conflict at 1\.4"):  # the text is that of before the fork
        merge(grove.open(branch), order)
    assert grove.rows(branch) == before

    rewrite(grove, origin, "1.4", NEWS)
    merge(grove.open(branch), order)
    assert prose(grove, branch, "1.4") == NEWS.strip()


def test_the_version_that_came_from_a_branch_names_it_as_its_author_does(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin, name="She Stays")
    rewrite(grove, branch, "1.4", NEWS)
    book = grove.open(origin)

    merge(book, MergeOrder(branch))

    with book.storage.read() as stores:
        newest = stores.documents.versions(stores.nodes.by_label("1.4").key, DocumentKind.PROSE)[-1]
    assert newest.note == "from branch She Stays"


def test_a_text_that_comes_over_into_an_open_chapter_counts_as_written(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin, at="chapter 2")
    rewrite(grove, origin, "1.5", f"{prose(grove, origin, '1.5')}{NEWS}")  # two versions, of which the branch has none
    edited = grove.open(branch)

    merge(edited, MergeOrder(origin))

    assert prose(grove, branch, "1.5") == prose(grove, origin, "1.5")
    with edited.storage.read() as stores, grove.open(origin).storage.read() as others:
        assert [stores.nodes.by_label(label).written for label in ("1", "1.5")] == [
            others.nodes.by_label(label).written for label in ("1", "1.5")
        ]


def divide(grove: Grove, book: str, label: str) -> None:
    """Give a unit with a text of its own a part with another, as an older version did."""
    with grove.open(book).storage.write() as stores:
        part = PlanNode(task_type=TaskType.WRITE, title="The Lamp", goal="She lights it.")
        [scene] = stores.nodes.add(stores.nodes.by_label(label), [part], level="scene", length=10)
        made = stores.documents.add(NewDocument(node=scene.key, kind=DocumentKind.PROSE, text="She lit it."), None)
        stores.nodes.add_written(scene, made.length)


def test_all_of_a_unit_that_has_its_text_twice_puts_a_text_in_one_piece_in_place_of_its_parts(
    grove: Grove, origin: str
) -> None:
    branch = grove.fork(origin)
    with grove.open(origin).storage.read() as stores:
        written = stores.nodes.root().written
    divide(grove, origin, "1.4")
    before, book, order = grove.rows(origin), grove.open(origin), MergeOrder(branch, take="1.4")

    with pytest.raises(InvalidInput, match="has nothing there that the book has not"):
        merge(book, order)  # the branch has left the text as it was
    rewrite(grove, branch, "1.4", NEWS)
    assert [(one.place, one.kind) for one in look_at_merge(book, order).conflicts] == [("1.4", None)]
    merge(book, replace(order, choices={"1.4": THEIRS}))

    assert grove.text(origin) == grove.text(branch)
    with book.storage.read() as stores, grove.open(branch).storage.read() as others:
        assert stores.nodes.root().written == others.nodes.root().written != written
    undo_merge(book)
    assert grove.rows(origin) == before


def test_a_text_that_is_printed_on_neither_side_is_not_said_to_be_taken_over(grove: Grove, origin: str) -> None:
    divide(grove, origin, "1.4")
    branch = grove.fork(origin)
    rewrite(grove, branch, "1.4", NEWS)
    before = grove.rows(origin)

    with pytest.raises(InvalidInput, match="has nothing there that the book has not"):
        merge(grove.open(origin), MergeOrder(branch, take="1.4"))
    assert grove.rows(origin) == before

    rewrite(grove, branch, "1.4.1", "She put it out.")
    assert [label for label, _, _ in merge(grove.open(origin), MergeOrder(branch)).texts] == ["1.4.1"]
    assert grove.text(origin) == grove.text(branch)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_stale_after_a_merge_is_what_stood_in_the_stored_prompts(grove: Grove, origin: str, seed: int) -> None:
    with grove.open(origin).storage.read() as stores:
        resting = resting_by_marks(stores)
    branch = grove.fork(origin)
    edited = _hand_edits(grove, branch, seed)
    book, before = grove.open(origin), grove.rows(origin)
    with book.storage.read() as stores:
        nodes = {one: stores.nodes.by_label(label) for label, one in edited}
        olds = [stores.documents.current(node.key, one.kind) for one, node in nodes.items()]
        known = [old for old in olds if old is not None]
        made = [as_made(old, stores.documents.versions(old.node, old.kind)) for old in known]
        current = {key for key in resting if stores.documents.get(key)} - {old.id for old in known}

    merge(book, MergeOrder(branch))

    stale = {one.document.id for one in stale_after(book)[0] if one.is_direct}
    assert stale == {key for key in current if resting[key] & {old.id for old in (*known, *made)}}
    undo_merge(book)
    assert stale_after(book)[0] == []
    assert grove.rows(origin) == before


def _hand_edits(grove: Grove, book: str, seed: int) -> list[tuple[str, Document]]:
    with grove.open(book).storage.write() as stores:
        labels = {node.key: node.label for node in stores.nodes.walk()}
        there = stores.documents.of_nodes(labels, *WRITABLE)
        chosen = Random(seed).sample(there, 3)
        for old in chosen:
            assert take_in(stores, stores.nodes.get(old.node), old, old.text + NEWS) is not None
        return [(labels[old.node], old) for old in chosen]


def test_a_chapter_alone_makes_stale_what_rests_on_the_other_one(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin, at="chapter 1")
    grove.write(branch)
    book, before = grove.open(origin), grove.rows(origin)

    merge(book, MergeOrder(branch, take="chapter 2"))

    assert prose(grove, origin, "1.5") == prose(grove, branch, "1.5")
    assert prose(grove, origin, "1.4") != prose(grove, branch, "1.4")
    stale = {(one.document.label, one.document.kind) for one in stale_after(book)[0] if one.is_direct}
    assert ("1.5", DocumentKind.PROSE) in stale  # it was written behind a first chapter that is not here
    undo_merge(book)
    assert grove.rows(origin) == before


def test_changes_of_different_sentences_are_laid_together(grove: Grove, origin: str) -> None:
    branch, text = grove.fork(origin), prose(grove, origin, "1.4")
    rewrite(grove, origin, "1.4", "Nobody came.\n\n" + text)
    rewrite(grove, branch, "1.4", text + NEWS)

    sight = merge(grove.open(origin), MergeOrder(branch, take="chapter 1"))

    assert prose(grove, origin, "1.4") == "Nobody came.\n\n" + text + NEWS
    assert ("1.4", DocumentKind.PROSE, True) in sight.texts
    with grove.open(origin).storage.read() as stores:
        parts = [stores.documents.current(leaf.key, DocumentKind.PROSE) for leaf in stores.nodes.leaves()]
        assert stores.nodes.root().written == sum(part.length for part in parts if part)


@pytest.mark.parametrize(
    ("choice", "stands"), [(OURS, "She went."), (THEIRS, "She stayed."), ("She waited.", "She waited.")]
)
def test_a_sentence_that_both_changed_is_the_authors_to_settle(
    grove: Grove, origin: str, choice: str, stands: str
) -> None:
    rewrite(grove, origin, "1.4", "Rain fell. She looked up.")
    branch = grove.fork(origin)
    rewrite(grove, origin, "1.4", "Rain fell. She went.")
    rewrite(grove, branch, "1.4", "Rain fell. She stayed.")
    order, book = MergeOrder(branch), grove.open(origin)
    before = grove.rows(origin)

    (conflict,) = look_at_merge(book, order).conflicts
    with pytest.raises(InvalidInput, match=r"both sides changed 1\.4"):
        merge(book, order)

    assert (conflict.place, conflict.ours, conflict.theirs) == ("1.4", "Rain fell. She went.", "Rain fell. She stayed.")
    assert grove.rows(origin) == before
    merge(book, MergeOrder(branch, choices={"1.4": choice}))
    assert prose(grove, origin, "1.4").endswith(stands)


def test_a_chapter_that_both_wrote_anew_is_one_conflict_and_ours_leaves_it(
    grown: Grove, origin: str, branch: str
) -> None:
    rewrite(grown, origin, "1.5", "It was over.")
    book = grown.open(origin)

    assert [conflict.place for conflict in look_at_merge(book, MergeOrder(branch)).conflicts][:1] == ["1.5"]
    merge(book, MergeOrder(branch, choices={"all": OURS}))

    assert prose(grown, origin, "1.5") == "It was over."


def test_a_record_comes_over_and_one_that_both_changed_is_a_conflict(grove: Grove, origin: str) -> None:
    with grove.open(origin).storage.read() as stores:
        first, second = stores.codex.entries()[:2]
    branch, book = grove.fork(origin), grove.open(origin)
    for where, entry, alias in ((branch, first, "The Tall One"), (branch, second, "Theirs"), (origin, second, "Mine")):
        with grove.open(where).storage.write() as stores:
            found = stores.codex.get(RecordKind.ENTRY, entry.id)
            told = entry.model_copy(update={"aliases": (alias,)})
            stores.codex.edit(told, found.version, Origin.AUTHOR)
    before = grove.rows(origin)

    assert [one.place for one in look_at_merge(book, MergeOrder(branch)).conflicts] == [f"codex/{second.id}"]
    merge(book, MergeOrder(branch, choices={f"codex/{second.id}": OURS}))

    with book.storage.read() as stores:
        names = {entry.id: entry.aliases for entry in stores.codex.entries()}
    assert (names[first.id], names[second.id]) == (("The Tall One",), ("Mine",))
    undo_merge(book)
    assert grove.rows(origin) == before


def test_a_merge_is_taken_back_only_while_nothing_came_after(grove: Grove, origin: str) -> None:
    branch, book = grove.fork(origin), grove.open(origin)
    rewrite(grove, branch, "1.4", "She stayed.")
    with pytest.raises(InvalidInput, match="nothing was merged"):
        undo_merge(book)
    merge(book, MergeOrder(branch))
    rewrite(grove, origin, "1.5", "It was over.")

    with pytest.raises(EditConflict, match="gone on"):
        undo_merge(book)

    assert prose(grove, origin, "1.4") == "She stayed."


def test_a_merge_of_a_version_that_knew_fewer_columns_is_taken_back(grove: Grove, origin: str) -> None:
    branch, book, before = grove.fork(origin), grove.open(origin), grove.rows(origin)
    rewrite(grove, branch, "1.4", "She stayed.")
    merge(book, MergeOrder(branch))
    with book.storage.write() as stores:
        undo = json.loads(stores.connection.execute(select(merges.c.undo)).scalar_one())
        for row in [*undo["documents"]["changed"], *undo["documents"]["now"]]:
            del row["shared"]
        stores.connection.execute(update(merges).values(undo=json.dumps(undo)))

    undo_merge(book)

    assert grove.rows(origin) == before


def test_a_merge_that_a_later_branch_shares_is_not_taken_back(grove: Grove, origin: str) -> None:
    branch, book = grove.fork(origin), grove.open(origin)
    rewrite(grove, branch, "1.4", "She stayed.")
    merge(book, MergeOrder(branch))
    twig = grove.fork(origin, name="later")

    with pytest.raises(InvalidInput, match=twig):
        undo_merge(book)


def test_what_cannot_be_merged_is_refused(grove: Grove, origin: str) -> None:
    branch, book = grove.fork(origin), grove.open(origin)
    with pytest.raises(InvalidInput, match="nothing there"):
        merge(book, MergeOrder(branch))
    with pytest.raises(InvalidInput, match="one and the same"):
        merge(book, MergeOrder(origin))
    with pytest.raises(InvalidInput, match=r"no conflict at 1\.9"):
        merge(book, MergeOrder(branch, choices={"1.9": OURS}))
    rewrite(grove, branch, "1.4", "She stayed.")
    with book.storage.write() as stores:
        Lease.take(stores.connection, origin, "another", 60)
    with pytest.raises(BookHeld):
        merge(book, MergeOrder(branch))
