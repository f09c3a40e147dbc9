"""A book's folder on its page: changes taken in, conflicts settled side by side, nothing lost."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bookwright.flows.vault.rendering import Vault
from bookwright.models.document import DocumentKind
from tests.studio.test_book_pages import PIECE
from tests.support.vaults import LAMP, a_vault, change, text_of

LAST = "Nobody came."


def test_what_was_changed_in_a_file_is_shown_and_taken_in(page: TestClient, home: Path) -> None:
    vault = a_vault(home)
    change(vault, _file(vault), "Rain fell", "Hail fell")

    shown = page.get("/books/lamp/folder").text
    page.post("/books/lamp/folder/sync")

    assert "Take it in as new versions" in shown
    assert text_of(vault, "1.1") == LAMP.replace("Rain", "Hail")
    assert "Nothing was changed by hand." in page.get("/books/lamp/folder").text


@pytest.mark.parametrize(("side", "stands"), [("file", "Hail fell"), ("book", "Snow fell")])
def test_a_conflict_is_settled_by_a_choice_and_both_sides_are_kept(
    page: TestClient, home: Path, side: str, stands: str
) -> None:
    vault = a_vault(home)
    path = _file(vault)
    change(vault, path, "Rain fell", "Hail fell")
    page.post("/books/lamp/edit/1.1", data={"text": LAMP.replace("Rain", "Snow"), "version": "1", "kind": "prose"})
    shown = page.get("/books/lamp/folder").text
    form = dict(re.findall(r'<input type="hidden" name="(path|seen)" value="([^"]+)"', shown))

    stale = page.post("/books/lamp/folder/settle", data=form | {"side-1": side, "seen": "other"}, headers=PIECE)
    open_still = page.post("/books/lamp/folder/settle", data=form, headers=PIECE)
    page.post("/books/lamp/folder/settle", data=form | {"side-1": side})

    assert open_still.status_code == 422
    assert "Hail fell on the pier." in shown
    assert "Snow fell on the pier." in shown
    assert stale.status_code == 409
    assert text_of(vault, "1.1") == LAMP.replace("Rain fell", stands)
    assert "File and book changed the same words" not in page.get("/books/lamp/folder").text
    kept = (vault.folder.root / "notes" / Path(path).name).read_text("utf-8")
    assert "Hail fell" in kept
    with vault.storage.read() as stores:
        versions = stores.documents.versions(stores.nodes.by_label("1.1").key, DocumentKind.PROSE)
        assert any("Snow fell" in stores.documents.text_of(one) for one in versions)


def test_each_place_of_a_conflict_is_settled_by_itself(page: TestClient, home: Path) -> None:
    vault = a_vault(home)
    path = _file(vault)
    change(vault, path, "Rain fell", "Hail fell")
    change(vault, path, LAST, f"{LAST} And so to bed.")
    own = LAMP.replace("Rain", "Snow").replace(LAST, f"{LAST} She wept.")
    page.post("/books/lamp/edit/1.1", data={"text": own, "version": "1", "kind": "prose"})
    shown = page.get("/books/lamp/folder").text
    form = dict(re.findall(r'<input type="hidden" name="(path|seen)" value="([^"]+)"', shown))

    page.post("/books/lamp/folder/settle", data=form | {"side-1": "file", "side-2": "book"})

    assert shown.count('role="radiogroup"') == 2
    assert text_of(vault, "1.1") == LAMP.replace("Rain", "Hail").replace(LAST, f"{LAST} She wept.")


def _file(vault: Vault) -> str:
    """The file that holds the first chapter."""
    return next(path for path in vault.folder.files() if "Rain fell" in (vault.folder.root / path).read_text("utf-8"))
