"""The drafts of a unit on their page and in the inbox."""

from contextlib import suppress
from pathlib import Path

from starlette.testclient import TestClient

from bookwright.app.candidates import UnitCandidates, candidates_at
from bookwright.models.errors import GateWaiting
from bookwright.models.gate import GateState
from bookwright.storage.stores import BookStorage
from tests.flows.gated import Desk, sit_down
from tests.studio.test_book_pages import PIECE


def sight_of(storage: BookStorage) -> UnitCandidates:
    with storage.read() as stores:
        return candidates_at(stores.nodes.root(), stores)


def drafted(home: Path, *gates: str) -> Desk:
    """A story with two candidates, as far as its first gate or to its end."""
    desk = sit_down(home, length=900, profile="economy", candidates=2, gates=list(gates))
    with suppress(GateWaiting):
        desk.run()
    desk.asked.author.close()
    return desk


def test_the_page_shows_the_drafts_and_takes_one_and_the_versions_take_it_back(page: TestClient, home: Path) -> None:
    desk = drafted(home)
    sight, book = sight_of(desk.storage), desk.storage.book
    other = 3 - sight.choice.preferred

    shown = page.get(f"/books/{book}/candidates/1").text
    read = page.get(f"/books/{book}/read/1").text
    taken = page.post(f"/books/{book}/candidates/1/take", data={"candidate": str(other)}, headers=PIECE)
    again = page.post(f"/books/{book}/candidates/1/take", data={"candidate": str(other)}, headers=PIECE)
    nobody = page.post(f"/books/{book}/candidates/1/take", data={"candidate": "x"}, headers=PIECE)
    after = sight_of(desk.storage)
    back = page.post(f"/books/{book}/restore/1", data={"kind": "prose", "version": "1"}, headers=PIECE)

    assert shown.count("<details") == 2
    assert "another point of attack" in shown
    assert f"/books/{book}/candidates/1" in read
    assert (taken.status_code, again.status_code, nobody.status_code, back.status_code) == (200, 422, 422, 200)
    assert (after.taken, after.choice.chosen) == (other, other)
    assert sight_of(desk.storage).taken == 0
    desk.database.dispose()


def test_a_draft_is_chosen_in_the_inbox(page: TestClient, home: Path) -> None:
    desk = drafted(home, "candidates")
    sight, book = sight_of(desk.storage), desk.storage.book
    assert sight.gate is not None
    other = 3 - sight.choice.preferred

    inbox = page.get("/inbox").text
    page.post(f"/books/{book}/gates/{sight.gate.id}/approve", data={"candidate": str(other)}, headers=PIECE)

    with desk.storage.read() as stores:
        decided = stores.gates.get(sight.gate.id)
    assert inbox.count('name="candidate"') == 2
    assert decided.state is GateState.APPROVED
    assert decided.text == sight.candidate(other).text.strip()
    desk.database.dispose()
