"""What lies in a book's folder otherwise than it was put there: renamed, copied, behind links, changed once more."""

import pytest

from bookwright.flows.vault.sync import Sync, finish
from bookwright.models.codex.record import RecordKind
from tests.flows.vault.test_sync import LAMP_FILE, LOG_FILE, PERSON
from tests.support.vaults import LAMP, a_copied_vault, change, contents, opened, outcomes, revise, sync, text_of

CONFLICT = "chapters/001 The Lamp.conflict.md"


@pytest.mark.parametrize("path", [LAMP_FILE, PERSON])
def test_a_renamed_file_gets_its_name_back_with_what_was_changed_in_it(tmp_path, path):
    vault = a_copied_vault(tmp_path)
    root = vault.folder.root
    change(vault, path, *(("Nobody", "Somebody") if path == LAMP_FILE else ("At sea.", "On land.")))
    (root / path).rename(root / "my own.md")

    plan = sync(vault, tmp_path)

    assert outcomes(plan) == {path: "taken"}
    assert "was called 'my own.md'" in plan.findings[0].detail
    assert not (root / "my own.md").exists()
    assert ("Somebody" if path == LAMP_FILE else "On land.") in (root / path).read_text("utf-8")
    assert sync(vault, tmp_path).findings == []


def test_a_renamed_folder_gets_its_name_back(tmp_path):
    vault = a_copied_vault(tmp_path)
    before = contents(vault)
    (vault.folder.root / "chapters").rename(vault.folder.root / "Old")

    plan = sync(vault, tmp_path)

    assert outcomes(plan) == {LAMP_FILE: "restored", LOG_FILE: "restored"}
    assert {path: content for path, content in contents(vault).items() if "manifest" not in path} == {
        path: content for path, content in before.items() if "manifest" not in path
    }
    assert not (vault.folder.root / "Old").exists()


def test_a_copy_is_named_and_left(tmp_path):
    vault = a_copied_vault(tmp_path)
    copy = contents(vault)[LAMP_FILE].replace(b"Nobody", b"Somebody")
    (vault.folder.root / "chapters/draft.md").write_bytes(copy)

    plan = sync(vault, tmp_path)

    assert outcomes(plan) == {"chapters/draft.md": "unknown"}
    assert "a copy of 'chapters/001 The Lamp.md'" in plan.findings[0].detail
    assert contents(vault)["chapters/draft.md"] == copy
    assert text_of(vault, "1.1") == LAMP


def test_a_page_of_another_book_is_no_renamed_one(tmp_path):
    vault = a_copied_vault(tmp_path)
    file = vault.folder.root / LAMP_FILE
    (file.parent / "other.md").write_bytes(file.read_bytes().replace(b'book: "lamp"', b'book: "fog"'))
    file.unlink()

    assert outcomes(sync(vault, tmp_path)) == {LAMP_FILE: "restored", "chapters/other.md": "unknown"}


def test_two_files_that_say_they_are_one_page_are_both_left(tmp_path):
    vault = a_copied_vault(tmp_path)
    file = vault.folder.root / LAMP_FILE
    for name in ("one.md", "two.md"):
        (file.parent / name).write_bytes(file.read_bytes().replace(b"Nobody", name.encode()))
    file.unlink()

    assert outcomes(sync(vault, tmp_path)) == {
        LAMP_FILE: "restored", "chapters/one.md": "unknown", "chapters/two.md": "unknown",
    }  # fmt: skip
    assert text_of(vault, "1.1") == LAMP


def test_what_was_changed_beside_a_settled_conflict_is_kept_among_the_notes(tmp_path):
    vault = a_copied_vault(tmp_path)
    change(vault, LAMP_FILE, "Nobody", "Mira")
    revise(vault, "1.1", LAMP.replace("Nobody", "Tom"))
    sync(vault, tmp_path)
    change(vault, LAMP_FILE, "Rain", "Sleet")
    text = contents(vault)[CONFLICT].decode()
    (vault.folder.root / CONFLICT).write_text(text[: text.index("<<<<<<<")] + "Both came.\n", "utf-8")

    plan = sync(vault, tmp_path)

    assert outcomes(plan) == {LAMP_FILE: "taken"}
    assert "is kept in notes/" in plan.findings[0].detail
    assert "Sleet" in (vault.folder.root / "notes/001 The Lamp.md").read_text("utf-8")
    assert text_of(vault, "1.1").endswith("Both came.")
    assert sync(vault, tmp_path).findings == []


def test_a_file_that_changes_while_it_is_taken_in_is_left_and_named(tmp_path):
    vault = a_copied_vault(tmp_path)
    change(vault, LAMP_FILE, "Nobody", "Somebody")
    vault = opened(vault.storage, tmp_path)
    with vault.storage.write() as stores:
        work = Sync(vault, stores)
        plan = work.look()
        work.apply()
    change(vault, LAMP_FILE, "Rain", "Sleet")

    late = finish(vault, plan)

    assert [(finding.path, finding.outcome.value) for finding in late] == [(LAMP_FILE, "refused")]
    assert "Sleet" in contents(vault)[LAMP_FILE].decode()
    assert outcomes(sync(vault, tmp_path)) == {LAMP_FILE: "merged"}
    assert text_of(vault, "1.1") == LAMP.replace("Nobody", "Somebody").replace("Rain", "Sleet")


def test_pages_behind_a_link_are_left_and_named(tmp_path):
    vault = a_copied_vault(tmp_path)
    chapters = vault.folder.root / "chapters"
    chapters.rename(tmp_path / "outside")
    chapters.symlink_to(tmp_path / "outside")
    revise(vault, "1.1", "The sun rose.")

    plan = sync(vault, tmp_path)

    assert {finding.path for finding in plan.left} == {LAMP_FILE, LOG_FILE}
    assert "'chapters' is a link or a file" in plan.left[0].detail
    assert "The sun rose." not in (tmp_path / "outside/001 The Lamp.md").read_text("utf-8")


def test_a_settled_conflict_of_a_record_is_taken_in_and_its_file_goes(tmp_path):
    vault = a_copied_vault(tmp_path)
    change(vault, PERSON, "At sea.", "On land.")
    with vault.storage.write() as stores:
        found = stores.codex.get(RecordKind.ENTRY, "mira")
        sections = (found.record.sections[0].model_copy(update={"text": "In the air."}),)
        stores.codex.edit(found.record.model_copy(update={"sections": sections}), 1, found.origin)
    assert outcomes(sync(vault, tmp_path)) == {PERSON: "conflict"}
    conflict = vault.folder.root / "worldview/characters/mira.conflict.toml"
    text = conflict.read_text("utf-8")
    head, row = text[: text.index("<<<<<<<")], '    { name = "past", text = "Both.", visibility = 3 },\n'

    conflict.write_text(f"{head}{row}", "utf-8")
    [refused] = sync(vault, tmp_path).left
    assert "settled in 'worldview/characters/mira.conflict.toml', which is not valid TOML" in refused.detail

    conflict.write_text(f"{head}{row}]\n", "utf-8")
    plan = sync(vault, tmp_path)

    assert outcomes(plan) == {PERSON: "taken"}
    assert plan.changed_again == []
    with vault.storage.read() as stores:
        assert stores.codex.get(RecordKind.ENTRY, "mira").record.sections[0].text == "Both."
    assert not conflict.exists()
    assert sync(vault, tmp_path).findings == []
