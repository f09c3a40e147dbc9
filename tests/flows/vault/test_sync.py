"""Hand edits in a book's folder: taken in, laid together, shown where they conflict; never lost, never overwritten."""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.errors import BookHeld
from bookwright.models.text.language import Language
from bookwright.storage.engine.database import open_database
from bookwright.storage.lease import Lease
from bookwright.storage.stores import BookStorage
from tests.support.books import make_settings
from tests.support.vaults import (
    CHAPTERS,
    LAMP,
    a_copied_vault,
    a_vault,
    change,
    contents,
    opened,
    outcomes,
    revise,
    sync,
    text_of,
)

LAMP_FILE, LOG_FILE = "chapters/001 The Lamp.md", "chapters/002 The Log.md"
DESIGN, PERSON = "planning/1.3 Motive.md", "worldview/characters/mira.toml"
DESIGNS = DocumentKind.DESIGN


@pytest.mark.parametrize(
    ("mine", "theirs", "outcome", "after"),
    [
        pytest.param(None, None, None, LAMP, id="nothing"),
        pytest.param(("Nobody", "Somebody"), None, "taken", LAMP.replace("Nobody", "Somebody"), id="mine"),
        pytest.param(None, ("Nobody", "Somebody"), "rendered", LAMP.replace("Nobody", "Somebody"), id="theirs"),
        pytest.param(
            ("Nobody", "Somebody"), ("Rain", "Snow"), "merged",
            LAMP.replace("Nobody", "Somebody").replace("Rain", "Snow"), id="different paragraphs",
        ),
        pytest.param(
            ("Nobody", "Somebody"), ("Nobody", "Somebody"), "rendered", LAMP.replace("Nobody", "Somebody"),
            id="the same",
        ),
        pytest.param(
            ("Nobody", "Mira"), ("Nobody", "Tom"), "conflict", LAMP.replace("Nobody", "Tom"), id="one sentence"
        ),
    ],
)  # fmt: skip
def test_three_ways(tmp_path, mine, theirs, outcome, after):
    vault = a_copied_vault(tmp_path)
    if mine:
        change(vault, LAMP_FILE, *mine)
    if theirs:
        revise(vault, "1.1", LAMP.replace(*theirs))
    before = contents(vault)[LAMP_FILE]

    plan = sync(vault, tmp_path)

    assert outcomes(plan).get(LAMP_FILE) == outcome
    assert text_of(vault, "1.1") == after
    if outcome == "conflict":
        assert contents(vault)[LAMP_FILE] == before
    else:
        assert after in contents(vault)[LAMP_FILE].decode()
        assert sync(vault, tmp_path).findings == []


def test_what_is_taken_in_is_the_authors_next_version(tmp_path):
    vault = a_copied_vault(tmp_path)
    change(vault, LAMP_FILE, "Nobody came.", "Somebody came in.")

    sync(vault, tmp_path)

    with vault.storage.read() as stores:
        node = stores.nodes.by_label("1.1")
        newest = stores.documents.versions(node.key, DocumentKind.PROSE)[-1]
        assert (newest.version, newest.origin, newest.base) == (2, DocumentOrigin.AUTHOR, 1)
        assert stores.nodes.root().written == newest.length + sum(
            len(scene["text"].rstrip(".").split()) for scene in CHAPTERS[1]["parts"]
        )


def test_a_chapter_of_scenes_changes_only_the_scene_that_was_changed(tmp_path):
    vault = a_copied_vault(tmp_path)
    change(vault, LOG_FILE, "dated tomorrow", "dated yesterday")

    plan = sync(vault, tmp_path)

    assert [finding.detail for finding in plan.findings] == ["prose 1.2.2"]
    assert text_of(vault, "1.2.2") == "It was dated yesterday."
    with vault.storage.read() as stores:
        assert len(stores.documents.versions(stores.nodes.by_label("1.2.1").key, DocumentKind.PROSE)) == 1


def test_a_settled_conflict_is_taken_in_and_its_file_goes(tmp_path):
    vault = a_copied_vault(tmp_path)
    change(vault, LAMP_FILE, "Nobody", "Mira")
    revise(vault, "1.1", LAMP.replace("Nobody", "Tom"))
    sync(vault, tmp_path)
    conflict = vault.folder.root / "chapters/001 The Lamp.conflict.md"
    text = conflict.read_text("utf-8")
    start, end = text.index("<<<<<<<"), text.index(">>>>>>>")
    conflict.write_text(text[:start] + "Mira and Tom came.\n", "utf-8")

    plan = sync(vault, tmp_path)

    assert end > start
    assert outcomes(plan) == {LAMP_FILE: "taken"}
    assert text_of(vault, "1.1").endswith("Mira and Tom came.")
    assert not conflict.exists()
    assert sync(vault, tmp_path).findings == []


def test_a_conflict_that_somebody_is_settling_is_not_written_over(tmp_path):
    vault = a_copied_vault(tmp_path)
    change(vault, LAMP_FILE, "Nobody", "Mira")
    revise(vault, "1.1", LAMP.replace("Nobody", "Tom"))
    sync(vault, tmp_path)
    path = "chapters/001 The Lamp.conflict.md"
    change(vault, path, "Rain fell", "Sleet fell")
    before = contents(vault)[path]

    assert outcomes(sync(vault, tmp_path)) == {LAMP_FILE: "conflict"}
    assert contents(vault)[path] == before


def test_designs_and_titles_are_taken_in(tmp_path):
    vault = a_copied_vault(tmp_path)
    change(vault, DESIGN, "She is afraid.", "She is brave.")
    change(vault, LAMP_FILE, "# Chapter 1: The Lamp", "# Chapter 1: The Dark")
    change(vault, LOG_FILE, 'title: "The Log"', 'title: "The Book"')

    sync(vault, tmp_path)

    assert text_of(vault, "1.3", DESIGNS) == "She is brave."
    with vault.storage.read() as stores:
        assert [stores.nodes.by_label(label).title for label in ("1.1", "1.2")] == ["The Dark", "The Book"]
    assert {"chapters/001 The Dark.md", "chapters/002 The Book.md"} < set(contents(vault))
    assert LAMP_FILE not in contents(vault)


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        (PERSON, 'id = "mira"', 'id = "tom"', "stays what it is"),
        (PERSON, 'kind = "character"', 'kind = "ghost"', "kind"),
        (PERSON, 'name = "Mira"', "name = Mira", "TOML"),
        (PERSON, "# entry mira, version 1\n", "", "first line"),
        (PERSON, "version 1", "version 9", "does not have"),
        (LAMP_FILE, "1.1 prose 1", "1.1 prose 7", "does not have"),
        (LAMP_FILE, "1.1 prose 1", "1.2.1 prose 1", "does not have"),
        (LAMP_FILE, "1.1 prose 1", "1.1 novel 1", "does not have"),
        (LAMP_FILE, "1.1 prose 1", "1.77 prose 1", "1.77"),
        (LAMP_FILE, "parts:", "mood: dark\nparts:", "mood"),
        (LAMP_FILE, LAMP, "", "without a word"),
        (LAMP_FILE, "Rain", "<<<<<<< yours\nRain", "marks"),
        (LOG_FILE, "<!-- bookwright: 1.2.2 -->", "", "marks between"),
    ],
)
def test_what_cannot_be_taken_in_is_said_and_left(tmp_path, path, old, new, said):
    vault = a_copied_vault(tmp_path)
    change(vault, path, old, new)
    change(vault, DESIGN, "afraid", "brave")
    before = contents(vault)[path]

    plan = sync(vault, tmp_path)

    [finding] = plan.left
    assert (finding.path, said in finding.detail) == (path, True)
    assert contents(vault)[path] == before
    assert text_of(vault, "1.3", DESIGNS) == "She is brave."


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(lambda text: text.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(lambda text: b"\xef\xbb\xbf" + text, id="byte order mark"),
        pytest.param(lambda text: text.replace(b"again.\n", b"again. \n"), id="a blank at a line's end"),
        pytest.param(lambda text: text.replace(b'title: "The Lamp"', b"title: The Lamp"), id="other quotes"),
        pytest.param(lambda text: text + b"\n\n", id="lines at the end"),
        pytest.param(lambda text: text.replace(b"# Chapter 1: The Lamp\n", b""), id="no heading"),
    ],
)
def test_another_form_is_no_new_version_and_comes_back_as_it_was(tmp_path, form):
    vault = a_copied_vault(tmp_path)
    before = contents(vault)
    (vault.folder.root / LAMP_FILE).write_bytes(form(before[LAMP_FILE]))

    plan = sync(vault, tmp_path)

    assert (plan.changes, plan.left) == (0, [])
    assert contents(vault) == before


def test_a_text_whose_characters_were_taken_apart_is_the_same_text(tmp_path):
    vault = a_vault(tmp_path, [{"level": "chapter", "title": "Café", "text": "Où est la clé ?"}])
    path = "chapters/001 Café.md"
    apart = unicodedata.normalize("NFD", contents(vault)[path].decode())
    (vault.folder.root / path).write_text(apart, "utf-8")

    assert sync(vault, tmp_path).changes == 0

    (vault.folder.root / path).write_text(apart + unicodedata.normalize("NFD", "Là."), "utf-8")
    sync(vault, tmp_path)
    assert text_of(vault, "1.1") == "Où est la clé ?\nLà."


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe---", "UTF-8"),
        (b"---\n\x00", "zero bytes"),
        (b"x" * 4_000_001, "more than"),
        (b"Mine.", "front matter"),
    ],
)
def test_a_file_that_is_no_page_is_left(tmp_path, content, said):
    vault = a_copied_vault(tmp_path)
    (vault.folder.root / LAMP_FILE).write_bytes(content)

    [finding] = sync(vault, tmp_path).left

    assert said in finding.detail
    assert contents(vault)[LAMP_FILE] == content


@pytest.mark.parametrize("make", [lambda file: file.mkdir(), lambda file: file.symlink_to("/etc/passwd"), os.mkfifo])
def test_what_is_no_file_is_said_and_left(tmp_path, make):
    vault = a_copied_vault(tmp_path)
    file = vault.folder.root / LAMP_FILE
    file.unlink()
    make(file)
    made = file.lstat()

    plan = sync(vault, tmp_path)

    assert outcomes(plan) == {LAMP_FILE: "refused"}
    assert text_of(vault, "1.1") == LAMP
    assert (file.lstat().st_ino, file.lstat().st_mode) == (made.st_ino, made.st_mode)


def test_a_deleted_file_is_restored_and_strangers_are_left_alone(tmp_path):
    vault = a_copied_vault(tmp_path)
    root = vault.folder.root
    before = contents(vault)
    (root / LAMP_FILE).unlink()
    for path in ("notes/plan.md", "mine.txt", ".DS_Store", "chapters/001 The Lamp.md~"):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("mine")

    plan = sync(vault, tmp_path)

    assert outcomes(plan) == {LAMP_FILE: "restored", "mine.txt": "unknown"}
    assert contents(vault)[LAMP_FILE] == before[LAMP_FILE]
    assert (root / "notes/plan.md").read_text() == "mine"


def test_a_changed_readme_is_kept_among_the_notes(tmp_path):
    vault = a_copied_vault(tmp_path)
    for number in (1, 2):
        change(vault, "README.md", "# Night Watch", f"# My Watch {number}")
        assert outcomes(sync(vault, tmp_path)) == {"README.md": "set_aside"}

    root = vault.folder.root
    assert "# My Watch 1" in (root / "notes/README.md").read_text("utf-8")
    assert "# My Watch 2" in (root / "notes/README 2.md").read_text("utf-8")
    assert "# Night Watch" in (root / "README.md").read_text("utf-8")


def test_an_old_copy_of_a_page_is_no_edit(tmp_path):
    vault = a_copied_vault(tmp_path)
    old = contents(vault)[LAMP_FILE]
    revise(vault, "1.1", "The sun rose.")
    sync(vault, tmp_path)
    (vault.folder.root / LAMP_FILE).write_bytes(old)

    assert outcomes(sync(vault, tmp_path)) == {LAMP_FILE: "rendered"}
    assert text_of(vault, "1.1") == "The sun rose."


def test_an_edit_under_the_old_title_is_found(tmp_path):
    vault = a_vault(tmp_path)
    change(vault, LAMP_FILE, "Nobody", "Somebody")
    with vault.storage.write() as stores:
        stores.nodes.change(stores.nodes.by_label("1.1").key, title="The Dark")
    vault.render()

    assert outcomes(sync(vault, tmp_path)) == {LAMP_FILE: "taken"}
    assert "Somebody" in text_of(vault, "1.1")
    with vault.storage.read() as stores:
        assert stores.nodes.by_label("1.1").title == "The Dark"
    assert LAMP_FILE not in contents(vault)


def test_a_lost_list_loses_no_edit(tmp_path):
    vault = a_copied_vault(tmp_path)
    change(vault, LAMP_FILE, "Nobody", "Somebody")
    revise(vault, "1.1", LAMP.replace("Rain", "Snow"))
    (vault.folder.root / ".bookwright" / "manifest.jsonl").unlink()

    assert outcomes(sync(vault, tmp_path)) == {LAMP_FILE: "merged"}
    assert text_of(vault, "1.1") == LAMP.replace("Nobody", "Somebody").replace("Rain", "Snow")


def test_the_state_of_the_story_is_not_for_writing_by_hand(tmp_path):
    vault = a_copied_vault(tmp_path)
    with vault.storage.write() as stores:
        new = NewDocument(node=stores.nodes.root().key, kind=DocumentKind.GLOBAL_STATE, text="She waits.")
        stores.documents.add(new, None)
    sync(vault, tmp_path)
    change(vault, "planning/State of the story (spoiler).md", "She waits.", "She left.")

    [finding] = sync(vault, tmp_path).left

    assert "kept by the engine" in finding.detail


def test_a_book_that_is_being_written_takes_nothing_in(tmp_path):
    vault = a_copied_vault(tmp_path)
    change(vault, LAMP_FILE, "Nobody", "Somebody")
    before = contents(vault)
    with vault.storage.write() as stores:
        Lease.take(stores.connection, vault.storage.book, "a worker", 60)

    with pytest.raises(BookHeld):
        sync(vault, tmp_path)

    assert contents(vault) == before
    assert text_of(vault, "1.1") == LAMP


PARAGRAPHS = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=40)
    .map(lambda text: unicodedata.normalize("NFC", " ".join(text.split())))
    .filter(bool),
    min_size=3, max_size=6,
)  # fmt: skip


@pytest.fixture(scope="module")
def a_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a rendered book, for examples that each give it a text of their own."""
    home = tmp_path_factory.mktemp("home")
    a_vault(home)
    return home


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(paragraphs=PARAGRAPHS)
def test_rendered_files_bring_nothing_and_edits_of_both_sides_survive(a_home, paragraphs):
    vault = opened(_storage(a_home), a_home)
    text = "\n\n".join(paragraphs)
    revise(vault, "1.1", text)
    vault.render()
    assert sync(vault, a_home).findings == []

    file = vault.folder.root / LAMP_FILE
    file.write_text(file.read_text("utf-8").rstrip("\n") + "\n\nWritten in the file.\n", "utf-8", newline="\n")
    revise(vault, "1.1", "Written in the book.\n\n" + text)

    assert outcomes(sync(vault, a_home)) == {LAMP_FILE: "merged"}
    assert text_of(vault, "1.1") == f"Written in the book.\n\n{text}\n\nWritten in the file."


def _storage(home: Path) -> BookStorage:
    return BookStorage(open_database(make_settings(home)), "lamp", Language.EN)
