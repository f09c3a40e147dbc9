"""`vault` and `sync`, and what other commands do to a book's folder."""

import json

import pytest

from bookwright.exports.vault.page_text import is_untouched
from tests.cli.shelf import a_book

LAMP = "chapters/001 The Lamp.md"


@pytest.fixture
def folder(settings, cli):
    """The rendered folder of a small book."""
    a_book(settings)
    cli("vault", "lamp", "--render")
    return settings.home / "vaults" / "lamp"


def _change(file, old, new):
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def test_vault_tells_the_folder_before_and_after_it_is_there(settings, cli):
    a_book(settings)

    before, after = cli("vault", "lamp"), cli("vault", "lamp", "--render")

    assert before.out == after.out == f"{settings.home / 'vaults' / 'lamp'}\n"
    assert "not there yet" in before.err
    assert "files written" in after.err


def test_vault_tells_what_the_progress_file_says(cli, folder):
    facts = json.loads(cli("vault", "lamp", "--json").out)

    assert facts["stages"] == [
        "book begun", "plan", "design", "chapter 1: The Lamp", "chapter 2: The Log", "chapter 3: The Ship", "publish"
    ]  # fmt: skip
    assert facts["next_stage"] == 6


def test_sync_takes_edits_in_and_says_what_is_stale(cli, folder):
    _change(folder / LAMP, "Rain fell.", "Snow fell.")

    shown, done, again = cli("sync", "lamp", "--dry-run"), cli("sync", "lamp", "--yes"), cli("sync", "lamp", "--yes")

    assert (shown.code, done.code, again.code) == (0, 0, 0)
    assert "taken" in shown.out
    assert "1 file taken in" in done.err
    assert "nothing was changed by hand" in again.err
    assert "Snow fell." in cli("read", "lamp").out


def test_a_dry_run_changes_nothing(cli, folder):
    _change(folder / LAMP, "Rain fell.", "Snow fell.")
    before = (folder / LAMP).read_bytes()

    facts = json.loads(cli("sync", "lamp", "--dry-run", "--json").out)

    assert (facts["is_done"], facts["taken"]) == (False, 1)
    assert (folder / LAMP).read_bytes() == before
    assert "Rain fell." in cli("read", "lamp").out


def test_without_a_yes_nothing_is_taken_in(cli, folder):
    _change(folder / LAMP, "Rain fell.", "Snow fell.")

    assert cli("sync", "lamp").code != 0
    assert "Rain fell." in cli("read", "lamp").out


def test_a_conflict_leaves_with_exit_code_1_and_says_where_to_settle_it(cli, folder, tmp_path):
    _change(folder / LAMP, "Rain fell.", "Snow fell.")
    words = tmp_path / "words.txt"
    words.write_text("Hail fell. The [red] lamp went out.")

    told = cli("revise", "lamp", "1.1", "--text", words)
    done = cli("sync", "lamp", "--yes", "--json")

    [conflict] = json.loads(done.out)["files"]
    assert "bookwright sync lamp" in told.err
    assert (done.code, conflict["outcome"]) == (1, "conflict")
    assert "<<<<<<< yours" in (folder / "chapters/001 The Lamp.conflict.md").read_text("utf-8")
    assert "Snow fell." in (folder / LAMP).read_text("utf-8")
    assert "Hail fell." in cli("read", "lamp").out


def test_what_is_changed_by_a_command_is_in_the_folder_at_once(cli, folder, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("Hail fell.")

    cli("revise", "lamp", "1.1", "--text", words)
    cli("codex", "add", "lamp", "Tom")

    assert "Hail fell." in (folder / LAMP).read_text("utf-8")
    assert 'name = "Tom"' in (folder / "worldview/characters/tom.toml").read_text("utf-8")


def test_a_look_renders_nothing(settings, cli):
    a_book(settings)

    cli("show", "lamp", "1.1")
    cli("stale", "lamp")

    assert not (settings.home / "vaults").exists()


def test_delete_takes_the_folder_and_leaves_and_names_what_is_the_authors(cli, folder):
    (folder / "notes").mkdir()
    (folder / "notes" / "idea.md").write_text("mine")
    _change(folder / LAMP, "Rain fell.", "Snow fell.")

    told = cli("delete", "lamp", "--yes")

    left = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert left == [LAMP, "notes/idea.md"]
    assert all(path in told.err for path in left)


def test_delete_leaves_nothing_where_nothing_is_the_authors(settings, cli, folder):
    assert json.loads(cli("delete", "lamp", "--yes", "--json").out)["left"] == []
    assert list((settings.home / "vaults").iterdir()) == []


def test_an_imported_book_has_its_own_folder_with_the_same_texts(settings, cli, folder, tmp_path):
    file = tmp_path / "lamp.json"
    cli("export", "lamp", "--to", "json", "--output", file)

    cli("import", file, "--as", "twin")
    cli("vault", "twin", "--render")

    twin = folder.parent / "twin"
    assert (twin / LAMP).read_text("utf-8").split("# ")[1] == (folder / LAMP).read_text("utf-8").split("# ")[1]
    assert json.loads(cli("sync", "twin", "--json").out)["files"] == []


def test_a_book_that_is_put_away_keeps_its_folder(cli, folder):
    cli("archive", "lamp")

    assert is_untouched((folder / LAMP).read_bytes())


def test_nothing_is_synced_where_no_folders_are_kept(cli, folder, monkeypatch):
    monkeypatch.setenv("BOOKWRIGHT_KEEP_VAULT", "false")

    assert cli("sync", "lamp").code == 2


def test_another_folder_may_hold_the_vaults(settings, cli, tmp_path, monkeypatch):
    monkeypatch.setenv("BOOKWRIGHT_VAULTS", str(tmp_path / "books"))
    a_book(settings)

    cli("vault", "lamp", "--render")

    assert (tmp_path / "books" / "lamp" / "README.md").exists()


def test_a_written_book_has_its_folder_and_tells_of_its_files(settings, cli):
    lines = cli("write", "--premise", "A keeper counts ships.", "--words", "600", "--no-prefect", "--json-progress").out

    events = [json.loads(line) for line in lines.splitlines()]
    told = [line["path"] for line in events if line["event"] == "file_created"]
    [folder] = (settings.home / "vaults").iterdir()
    files = {str(path) for path in folder.rglob("*") if path.is_file() and ".bookwright" not in path.parts}
    assert files <= set(told)
    assert len(told) == len(set(told))
    assert json.loads(cli("sync", folder.name, "--json").out)["files"] == []


def test_sync_names_the_record_that_a_changed_codex_file_holds(cli, folder):
    cli("codex", "add", "lamp", "Mira", "--section", "trade=She keeps the lamp.")
    _change(folder / "worldview/characters/mira.toml", "keeps the lamp", "keeps the log")

    shown = json.loads(cli("sync", "lamp", "--dry-run", "--json").out)

    assert [(file["path"], file["detail"]) for file in shown["files"]] == [
        ("worldview/characters/mira.toml", "entry mira")
    ]


def test_a_folder_in_whose_place_a_file_stands_is_named_and_leaves_with_exit_code_1(cli, folder):
    (folder / "agent-log/progress.md").unlink()
    (folder / "agent-log").rmdir()
    (folder / "agent-log").write_text("mine")

    outcome = cli("sync", "lamp", "--yes")

    assert outcome.code == 1
    assert "is a link or a file, no folder" in " ".join(outcome.out.split())
    assert "1 left as before" in outcome.err
    assert (folder / "agent-log").read_text() == "mine"
