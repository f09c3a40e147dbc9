"""What a branch has of its own: a lease, a cap, a folder, a stream of events, secrets; and what a backup keeps."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.app.access import at_rest
from bookwright.app.branches.forks import branch_tree
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.run_book import run_book
from bookwright.flows.vault.rendering import Vault
from bookwright.flows.vault.sync import Sync
from bookwright.models.book import BookState
from bookwright.models.codex.entries import Secret
from bookwright.models.codex.record import Origin, RecordKind
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookHeld, BookPaused
from bookwright.storage.backup.backup import back_up, restore
from tests.app.branches.conftest import copied
from tests.app.branches.grove import Grove
from tests.flows.revision.changed import Written
from tests.relay.test_prompts_keep_secrets import HIDDEN, Gossip, leaks
from tests.support.vaults import contents

EVENT_FILE = "events/{}.ndjson"


def test_a_branch_is_forked_and_written_while_its_origin_is_held_by_another(
    grown: Grove, origin: str, branch: str
) -> None:
    with (
        closing(ModelService(grown.settings)) as models,
        hold_book(origin, RunConfig(grown.settings, grown.database, models), way_on="the same command"),
        pytest.raises(BookHeld),
    ):
        grown.write(origin)

    assert grown.book(branch).state is BookState.FINISHED
    assert grown.book(branch).lease_owner is None


def test_the_cap_of_a_branch_counts_what_the_branch_has_spent_alone(grove: Grove, origin: str) -> None:
    spent = grove.book(origin).tokens
    branch = grove.fork(origin, at="chapter 2")
    _cap(grove, branch, 1)
    with pytest.raises(BookPaused, match="budget"):
        grove.write(branch)
    assert grove.book(branch).tokens == 0
    _cap(grove, branch, spent)

    grove.write(branch)

    assert 0 < grove.book(branch).tokens <= spent  # what its origin spent is no part of it
    assert grove.book(origin).brief.budget.tokens is None


def _cap(grove: Grove, book: str, tokens: int) -> None:
    with grove.open(book).storage.write() as stores:
        brief = stores.books.get(book).brief
        stores.books.edit_brief(book, brief.changed(budget={"tokens": tokens}))


def test_an_edit_in_the_folder_of_a_branch_is_the_branchs_alone(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin)
    vaults = {book: Vault(grove.open(book).storage, grove.book(book), grove.settings) for book in (origin, branch)}
    for vault in vaults.values():
        vault.render()
    before, text = contents(vaults[origin]), grove.text(origin)
    page = next(path for path in sorted(before) if path.startswith("chapters/"))
    file = vaults[branch].folder.root / page
    assert vaults[branch].folder.root != vaults[origin].folder.root
    assert contents(vaults[branch])[page].splitlines()[-1] == before[page].splitlines()[-1]
    file.write_text(file.read_text().rstrip() + "\n\nAnd the lamp was blue all along.\n")

    for book in vaults:
        fresh = Vault(grove.open(book).storage, grove.book(book), grove.settings)
        with at_rest(fresh.storage) as stores:
            work = Sync(fresh, stores)
            work.look()
            work.apply()

    assert b"the lamp was blue all along" in grove.text(branch)
    assert grove.text(origin) == text
    assert contents(vaults[origin]) == before


def test_what_is_said_while_a_branch_is_written_stands_in_a_file_of_its_own(
    grove: Grove, grown: Grove, origin: str, branch: str
) -> None:
    before, after, of_branch = (
        folder.settings.home / EVENT_FILE.format(book)
        for folder, book in ((grove, origin), (grown, origin), (grown, branch))
    )

    events = [json.loads(line) for line in of_branch.read_text().splitlines()]
    assert len(events) > 2 * grown.book(branch).calls
    assert origin not in of_branch.read_text()
    assert after.read_bytes() == before.read_bytes()


@dataclass(frozen=True)
class Secretive:
    """A data folder with a branch that has secrets, and whoever wrote that, gossiping about them."""

    grove: Grove
    gossip: Gossip


TOLD_LATER = Secret.model_validate({"id": "twin", "content": HIDDEN[0], "revealed_at": 2})
"""A secret of the branch alone."""
TOLD_AT_ONCE = Secret.model_validate({"id": "ledger", "content": HIDDEN[1], "revealed_at": 1})
"""A secret of its origin, which the branch tells nowhere."""


@pytest.fixture(scope="module")
def secretive(lamps: Written, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secretive]:
    with copied(lamps[1], tmp_path_factory.mktemp("secretive") / "grove") as grove:
        with grove.open(lamps[0].book).storage.write() as stores:
            stores.codex.add(TOLD_AT_ONCE, Origin.AUTHOR)
        branch = grove.fork(lamps[0].book, at="chapter 1")
        with grove.open(branch).storage.write() as stores:
            stores.codex.add(TOLD_LATER, Origin.AUTHOR)
            found = stores.codex.get(RecordKind.SECRET, TOLD_AT_ONCE.id)
            stores.codex.edit(TOLD_AT_ONCE.model_copy(update={"revealed_at": None}), found.version, Origin.AUTHOR)
        settings = grove.settings.model_copy(update={"model": "rehearsal:exact"})
        with closing(ModelService(settings)) as models:
            gossip = Gossip(models, (" ".join(HIDDEN),))
            run_book(branch, RunConfig(settings, grove.database, gossip))
        yield Secretive(grove, gossip)


def test_a_secret_that_is_told_to_a_branch_stays_secret_there_until_its_page(secretive: Secretive, origin: str) -> None:
    gossip = secretive.gossip

    labels = [request.facts["label"] for request in gossip.asked if request.facts["activity"] == "write"]
    by_label: dict[str, list[str]] = {}
    for label, prompt in zip(labels, gossip.prose_prompts, strict=True):
        by_label.setdefault(label, []).append(prompt)
    first, *later = sorted(by_label, key=lambda label: [int(part) for part in label.split(".")])
    assert not any(leaks(prompt, HIDDEN[:1]) for prompt in by_label[first])
    assert any(leaks(prompt, HIDDEN[:1]) for label in later for prompt in by_label[label])
    with secretive.grove.open(origin).storage.read() as stores:
        assert TOLD_LATER.id not in {own.id for own in stores.codex.secrets()}


def test_a_secret_that_a_branch_keeps_longer_stays_out_of_its_prompts_and_not_of_its_origins(
    secretive: Secretive, origin: str
) -> None:
    assert secretive.gossip.prose_prompts
    assert not any(leaks(prompt, HIDDEN[1:]) for prompt in secretive.gossip.prose_prompts)
    with secretive.grove.open(origin).storage.read() as stores:
        assert stores.codex.secrets() == [TOLD_AT_ONCE]


def test_a_backup_keeps_branches_with_all_that_they_share(grown: Grove, origin: str, branch: str) -> None:
    twig = grown.fork(branch)
    before = {book: (grown.text(book), grown.rows(book)) for book in (origin, branch, twig)}
    tree = branch_tree(grown.open(origin)).facts()
    back_up(grown.settings, grown.settings.home / "backup.zip")
    with grown.open(twig).storage.write() as stores:
        stores.books.delete(twig)
    with grown.open(branch).storage.write() as stores:
        stores.books.delete(branch)

    grown.database.dispose()
    restore(grown.settings, grown.settings.home / "backup.zip")

    assert {book: (grown.text(book), grown.rows(book)) for book in before} == before
    assert branch_tree(grown.open(origin)).facts() == tree
    with grown.open(twig).storage.read() as stores:
        prose = stores.documents.latest(DocumentKind.PROSE)
        assert prose is not None
        assert stores.documents.inputs_of(prose.id)
