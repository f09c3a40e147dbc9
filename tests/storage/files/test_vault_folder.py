"""A folder's files: whole or not there, never through a link, and a list that outlives being cut off."""

import os
import signal
import time

import pytest

from bookwright.storage.files.vault_folder import ListedPage, VaultFolder, VaultList
from bookwright.storage.vault_rows import VaultMark

PAGES = [letter.encode() * 200_000 for letter in "ab"]


def test_a_killed_writer_leaves_one_page_or_the_other_and_nothing_half_written(tmp_path):
    folder = VaultFolder(tmp_path / "vault")
    folder.write("a/page.md", PAGES[0])
    found = set()

    for kill in range(12):
        child = _write_for_ever(folder)
        time.sleep(0.003 * (kill + 1))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found.add(folder.read("a/page.md"))

    assert found <= set(PAGES)
    assert folder.files() == ["a/page.md"]
    folder.clear_unfinished()
    assert list((tmp_path / "vault" / ".bookwright").iterdir()) == []


def test_what_this_process_is_writing_is_not_cleared_away(tmp_path):
    folder = VaultFolder(tmp_path)
    folder.write("page.md", b"a")
    mine = tmp_path / ".bookwright" / f"{os.getpid()}-abc.tmp"
    mine.write_bytes(b"b")

    folder.clear_unfinished()

    assert mine.exists()


@pytest.mark.parametrize("inside", ["a", "a/b"])
def test_nothing_is_written_or_read_through_a_folder_that_is_a_link(tmp_path, inside):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "page.md").write_bytes(b"theirs")
    folder = VaultFolder(tmp_path / "vault")
    folder.write("x", b"")
    link = folder.root / inside
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside, target_is_directory=True)

    for work in (lambda: folder.write(f"{inside}/page.md", b"mine"), lambda: folder.read(f"{inside}/page.md")):
        with pytest.raises(OSError):
            work()

    assert (outside / "page.md").read_bytes() == b"theirs"
    assert f"{inside}" in folder.files()


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.symlink_to("/etc/hostname"), os.mkfifo])
def test_what_is_no_file_is_not_read(tmp_path, make):
    make(tmp_path / "page.md")

    with pytest.raises(OSError):
        VaultFolder(tmp_path).read("page.md")


def test_a_file_is_put_in_the_place_of_a_link_and_not_through_it(tmp_path):
    (tmp_path / "other").write_bytes(b"theirs")
    (tmp_path / "page.md").symlink_to(tmp_path / "other")

    VaultFolder(tmp_path).write("page.md", b"mine")

    assert (tmp_path / "other").read_bytes() == b"theirs"
    assert not (tmp_path / "page.md").is_symlink()


def test_empty_folders_go_with_their_last_file(tmp_path):
    folder = VaultFolder(tmp_path / "vault")
    folder.write("a/b/c.md", b"1")
    folder.write("a/d.md", b"2")

    folder.remove("a/b/c.md")
    folder.remove("a/missing.md")

    assert not (folder.root / "a" / "b").exists()
    assert folder.files() == ["a/d.md"]


def test_the_list_is_the_same_for_the_next_process(tmp_path):
    folder = VaultFolder(tmp_path)
    kept = VaultList(folder, "1 lamp")
    kept.note({"a": ListedPage("a.md", "1"), "b": ListedPage("b.md", "1")}, VaultMark(4, 1))
    kept.note({"a": ListedPage("c.md", "2"), "b": None}, VaultMark(6, 2))

    again = VaultList(folder, "1 lamp")

    assert (again.pages, again.mark) == ({"a": ListedPage("c.md", "2")}, VaultMark(6, 2))
    assert VaultList(folder, "2 lamp").pages == {}


def test_a_list_that_was_cut_off_loses_its_last_line_only(tmp_path):
    folder = VaultFolder(tmp_path)
    VaultList(folder, "1 lamp").note({"a": ListedPage("a.md", "1")}, VaultMark(4, 1))
    with (tmp_path / ".bookwright" / "manifest.jsonl").open("ab") as file:
        file.write(b'{"key": "b", "pa')

    VaultList(folder, "1 lamp").note({"c": ListedPage("c.md", "1")}, VaultMark(5, 1))

    assert set(VaultList(folder, "1 lamp").pages) == {"a", "c"}


@pytest.mark.parametrize("path", ["../theirs.md", "a/../../theirs.md", "{root}/theirs.md"])
def test_a_list_that_leads_out_of_the_folder_is_not_followed(tmp_path, path):
    (tmp_path / "theirs.md").write_bytes(b"")
    folder = VaultFolder(tmp_path / "vault")
    path = path.format(root=tmp_path)
    VaultList(folder, "1 lamp").note({"a": ListedPage("a.md", "1"), "b": ListedPage(path, "1")}, VaultMark(4, 1))

    for work in (folder.read, folder.remove, lambda path: folder.write(path, b"mine")):
        with pytest.raises(OSError, match="leads out"):
            work(path)

    assert set(VaultList(folder, "1 lamp").pages) == {"a"}
    assert (tmp_path / "theirs.md").read_bytes() == b""


def test_a_list_of_many_changes_is_written_anew(tmp_path):
    folder = VaultFolder(tmp_path)
    kept = VaultList(folder, "1 lamp")

    for stamp in range(300):
        kept.note({"a": ListedPage("a.md", str(stamp))}, VaultMark(stamp + 1, 0))

    assert len((tmp_path / ".bookwright" / "manifest.jsonl").read_bytes().splitlines()) < 320
    assert VaultList(folder, "1 lamp").pages == {"a": ListedPage("a.md", "299")}


def _write_for_ever(folder: VaultFolder) -> int:
    child = os.fork()
    if child:
        return child
    while True:
        for page in PAGES:
            folder.write("a/page.md", page)
