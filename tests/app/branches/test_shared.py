"""What a branch shares with its origin stays readable: when prompts go, when it is taken elsewhere, in its index."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from bookwright.exports.files import export
from bookwright.exports.json import import_book
from bookwright.flows.library import open_library
from bookwright.flows.upkeep import prune, reindex
from bookwright.models.codex.record import Origin, RecordKind
from bookwright.models.document import DocumentKind
from bookwright.storage.branches.repository import BranchRepository
from bookwright.storage.steps.retention import Keep
from bookwright.storage.stores import BookStorage, Stores
from bookwright.storage.tables import vectors
from tests.app.branches.grove import NEWS, Grove, prose, resting, rewrite


def texts_of(stores: Stores) -> list[tuple[str, str, str]]:
    """Every current text of a book, by place."""
    nodes = {node.key: node.label for node in stores.nodes.walk()}
    found = stores.documents.of_nodes(nodes, *DocumentKind)
    return sorted((nodes[document.node], document.kind.value, document.text) for document in found)


def test_letting_go_of_an_origins_prompts_leaves_a_branch_all_its_texts(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin)
    with grove.open(origin).storage.write() as stores:  # what the branch has from here is replaced
        for leaf in list(stores.nodes.leaves()):
            stores.nodes.change(leaf.key, title="Other")
    with grove.open(branch).storage.read() as stores:
        before = texts_of(stores)

    freed = prune(grove.database, grove.book(origin), grove.settings, Keep(last=1))

    assert freed.texts > 0
    with grove.open(branch).storage.read() as stores:
        assert texts_of(stores) == before


def test_a_branch_that_is_taken_elsewhere_stands_alone_with_all_its_texts(
    grown: Grove, branch: str, tmp_path: Path
) -> None:
    twig = grown.fork(branch)
    rewrite(grown, twig, "1.5", prose(grown, twig, "1.5") + NEWS)
    file = export(grown.open(twig).storage, "json", tmp_path / "branch.json")
    settings = grown.settings.model_copy(update={"home": tmp_path / "elsewhere"})
    database = open_library(settings)

    import_book(file, database, "alone")

    storage = BookStorage(database, "alone", grown.open(twig).storage.language)
    with storage.read() as stores, grown.open(twig).storage.read() as others:
        assert texts_of(stores) == texts_of(others)
        assert BranchRepository(stores.connection).find("alone") is None
    assert json.loads(file.read_text())["books"]
    database.dispose()


def test_a_branch_finds_what_its_origin_embedded_and_embeds_nothing_again(grove: Grove, origin: str) -> None:
    reindex(grove.database, grove.book(origin), grove.settings)
    branch = grove.fork(origin)

    done = reindex(grove.database, grove.book(branch), grove.settings)

    assert done.documents > 0
    assert done.embedded == 0
    with grove.database.read() as connection:
        owners = set(connection.execute(select(vectors.c.book)).scalars())
    assert owners == {origin}


@pytest.mark.parametrize("at", [None, "chapter 2"])
def test_every_version_of_a_record_reads_in_a_branch_of_a_branch_as_it_did(
    grove: Grove, origin: str, at: str | None
) -> None:
    with grove.open(origin).storage.write() as stores:
        entry = stores.codex.entries()[0]
        for name in ("First", "Second"):
            found = stores.codex.get(RecordKind.ENTRY, entry.id)
            stores.codex.edit(found.record.model_copy(update={"aliases": (name,)}), found.version, Origin.AUTHOR)
    twig = grove.fork(grove.fork(origin), at)

    with grove.open(origin).storage.read() as stores, grove.open(twig).storage.read() as others:
        told = [(one.record, one.version, one.origins, one.origin) for one in stores.codex.every_version()]
        shared = [(one.record, one.version, one.origins, one.origin) for one in others.codex.every_version()]
        current = others.codex.entries()
    if at is None:
        assert shared == told
    else:
        assert shared == [one for one in told if one in shared]
    assert [entry.id for entry in current] == list(dict.fromkeys(one[0].id for one in shared))


def test_every_document_rests_in_a_branch_of_a_branch_and_in_its_file_on_what_it_did(
    grown: Grove, origin: str, branch: str, tmp_path: Path
) -> None:
    twig = grown.fork(branch)
    import_book(export(grown.open(twig).storage, "json", tmp_path / "twig.json"), grown.database, "alone")

    found = []
    for book in (branch, twig, "alone"):
        with grown.open(book).storage.read() as stores:
            found.append(resting(stores))
            documents = stores.documents.of_nodes([node.key for node in stores.nodes.walk()], *DocumentKind)
            under = {one.id: {version.slot for version in stores.staleness.inputs_of(one.id)} for one in documents}
            resting_on = {(one.node, one.kind): stores.staleness.resting_on(one) for one in documents}
            assert all(slot in under[other.id] for slot, others in resting_on.items() for other in others)
            assert any(resting_on.values())

    assert found[0] == found[1] == found[2]
    assert len(found[0]) > 20
    assert all(rests for _, kind, rests in found[0] if kind == DocumentKind.PROSE)
