"""A book's folder: rendered, kept up, made again, and never over what a person changed."""

import os
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from sqlalchemy import event

from bookwright.agents.runtime.events.bus import EventBus
from bookwright.exports.vault.page_text import is_untouched
from bookwright.exports.vault.progress import PATH as PROGRESS
from bookwright.exports.vault.progress import load_from_book
from bookwright.flows.deps import RunObserver
from bookwright.flows.vault.keeper import VaultKeeper, VaultObserver, kept_vault
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.step import Activity
from bookwright.models.text.language import Language
from bookwright.storage.stores import BookStorage
from tests.support.books import finish, make_book, make_settings
from tests.support.vaults import CHAPTERS, a_vault, change, contents, opened, revise, sync

PREMISES = {
    Language.EN: "A keeper of a lighthouse counts ships.",
    Language.ZH: "灯塔管理员数船。",
    Language.JA: "灯台守は船を数える。",
    Language.KO: "등대지기가 배를 센다.",
}
FOLDERS = {
    Language.EN: {"worldview", "planning", "chapters"},
    Language.ZH: {"世界观", "规划", "章节"},
    Language.JA: {"世界観", "企画", "章"},
    Language.KO: {"세계관", "기획", "장"},
}


def test_a_book_is_a_folder_of_sealed_files(tmp_path):
    vault = a_vault(tmp_path)

    assert vault.folder.files() == [
        "README.md", "agent-log/progress.md", "chapters/001 The Lamp.md", "chapters/002 The Log.md",
        "planning/1.3 Motive.md", "worldview/characters/mira.toml", "worldview/secrets (spoilers)/the-log.toml",
    ]  # fmt: skip
    assert all(map(is_untouched, contents(vault).values()))


@pytest.mark.parametrize("language", Language)
def test_folders_and_readme_are_in_the_books_language(tmp_path, language):
    vault = a_vault(tmp_path, premise=PREMISES[language], language=language.value)

    folders = {path.partition("/")[0] for path in vault.folder.files()}
    readme = (vault.folder.root / "README.md").read_text("utf-8")

    assert folders >= FOLDERS[language] | {"agent-log"}
    assert all(f"(<{folder}>)" in readme for folder in FOLDERS[language])


def test_every_link_of_the_readme_leads_to_a_file(tmp_path):
    vault = a_vault(tmp_path)

    links = (vault.folder.root / "README.md").read_text("utf-8").split("](<")[1:]
    paths = [link.partition(">)")[0] for link in links]

    assert "chapters/002 The Log.md" in paths
    assert [path for path in paths if path != "summaries" and not (vault.folder.root / path).exists()] == []


def test_a_link_of_the_readme_is_read_as_the_name_that_it_means(tmp_path):
    vault = a_vault(tmp_path, title="Half & 50%41 # &copy; off")
    with vault.storage.write() as stores:
        stores.nodes.change(stores.nodes.by_label("1.1").key, title="50%41 # &copy;")
    vault.render()

    [link] = re.findall(r"\(<(chapters/001[^>]*)>\)", (vault.folder.root / "README.md").read_text("utf-8"))

    assert not set("#&") & set(link)
    assert (vault.folder.root / unquote(link)).is_file()


def test_a_deleted_folder_comes_back_byte_for_byte(tmp_path):
    vault = a_vault(tmp_path)
    before = contents(vault)
    _wipe(vault.folder.root)

    opened(vault.storage, tmp_path).render()

    assert contents(vault) == before


def test_a_second_rendering_writes_nothing(tmp_path):
    vault = a_vault(tmp_path)

    assert opened(vault.storage, tmp_path).render().written == []


def test_a_folder_without_its_list_is_rendered_over_and_not_held(tmp_path):
    vault = a_vault(tmp_path)
    (vault.folder.root / ".bookwright" / "manifest.jsonl").unlink()
    revise(vault, "1.1", "The sun rose.")

    done = opened(vault.storage, tmp_path).render()

    assert done.held == []
    assert "chapters/001 The Lamp.md" in done.written


def test_only_what_changed_is_written(tmp_path):
    vault = a_vault(tmp_path)
    revise(vault, "1.2.1", "She read nothing.")

    assert vault.follow(with_whole=False).written == ["chapters/002 The Log.md"]
    assert vault.follow(with_whole=False).written == []


def test_where_nothing_is_new_following_asks_one_thing_of_the_database(tmp_path):
    vault = a_vault(tmp_path)
    asked = []
    with vault.storage.read() as stores:
        engine = stores.connection.engine
    event.listen(engine, "before_cursor_execute", lambda *arguments: asked.append(arguments[2]))

    vault.follow(with_whole=False)

    assert len([statement for statement in asked if statement.lstrip().upper().startswith("SELECT")]) == 1


@pytest.mark.parametrize("activity", [Activity.PLAN, Activity.JUDGE, Activity.DECIDE, Activity.DIVIDE, Activity.WRITE])
def test_an_activity_that_ends_in_no_page_asks_nothing_of_the_database(tmp_path, activity):
    vault = a_vault(tmp_path)
    with vault.storage.read() as stores:
        root = stores.nodes.root()
        engine = stores.connection.engine
    asked = []
    event.listen(engine, "before_cursor_execute", lambda *arguments: asked.append(arguments[2]))

    VaultObserver(RunObserver(), VaultKeeper(vault, asked.append, asked.append)).run(activity, root, lambda: None)

    assert asked == []


def test_a_new_title_renames_the_file(tmp_path):
    vault = a_vault(tmp_path)
    with vault.storage.write() as stores:
        stores.nodes.change(stores.nodes.by_label("1.1").key, title="The: Dark?")

    done = vault.render()

    assert done.removed == ["chapters/001 The Lamp.md"]
    assert "chapters/001 The Dark.md" in done.created


def test_a_page_of_what_is_no_more_is_taken_out_unless_it_was_changed(tmp_path):
    vault = a_vault(tmp_path)
    secret, person = "worldview/secrets (spoilers)/the-log.toml", "worldview/characters/mira.toml"
    change(vault, person, "At sea.", "On land.")
    with vault.storage.write() as stores:
        stores.connection.exec_driver_sql("UPDATE codex SET is_removed = 1")

    done = vault.render()

    assert (done.removed, done.held) == ([secret], [person])


def test_titles_that_a_file_system_takes_for_one_are_two_files(tmp_path):
    titles = ["Lamp", "LAMP", "lamp.", "CON", "a/../b", "\u202elamp", "x" * 120, "章" * 120]
    chapters = [{"level": "chapter", "title": title, "text": f"{number} rain."} for number, title in enumerate(titles)]

    vault = a_vault(tmp_path, chapters)

    found = [path for path in vault.folder.files() if path.startswith("chapters/")]
    assert len({path.casefold() for path in found}) == len(titles)
    assert opened(vault.storage, tmp_path).render().written == []


def test_a_file_that_was_changed_by_hand_waits(tmp_path):
    vault = a_vault(tmp_path)
    change(vault, "chapters/001 The Lamp.md", "Nobody came.", "Somebody came.")
    revise(vault, "1.1", "The sun rose.")
    told = []

    for _ in range(2):
        VaultKeeper(vault, told.append, told.append).render()

    assert "Somebody came." in (vault.folder.root / "chapters/001 The Lamp.md").read_text("utf-8")
    assert len(told) == 2
    assert "bookwright sync lamp" in told[0]


def test_an_empty_file_is_as_good_as_none(tmp_path):
    vault = a_vault(tmp_path)
    file = vault.folder.root / "chapters/001 The Lamp.md"
    file.write_bytes(b"\x00" * 100)
    revise(vault, "1.1", "The sun rose.")

    assert vault.render().held == []
    assert "The sun rose." in file.read_text("utf-8")


def test_a_file_that_a_power_cut_emptied_is_made_again(tmp_path):
    vault = a_vault(tmp_path)
    file = vault.folder.root / "chapters/001 The Lamp.md"
    before = file.read_bytes()
    file.write_bytes(b"")

    done = opened(vault.storage, tmp_path).render()

    assert done.written == ["chapters/001 The Lamp.md"]
    assert file.read_bytes() == before


@pytest.mark.parametrize("is_link", [True, False])
def test_a_folder_in_the_place_of_a_page_is_told_once_and_stops_nothing(tmp_path, is_link):
    vault = a_vault(tmp_path)
    file = vault.folder.root / "chapters/001 The Lamp.md"
    file.unlink()
    if is_link:
        file.symlink_to(tmp_path / "elsewhere")
    else:
        file.mkdir()
    revise(vault, "1.1", "The sun rose.")
    revise(vault, "1.2.1", "She slept.")
    told: list[str] = []

    VaultKeeper(vault, lambda path: None, told.append).render()

    assert len(told) == 1
    assert not (tmp_path / "elsewhere").exists()
    assert "She slept." in (vault.folder.root / "chapters/002 The Log.md").read_text("utf-8")


def test_where_there_can_be_no_folder_the_book_goes_on_with_one_warning(tmp_path):
    (tmp_path / "vaults").mkdir()
    (tmp_path / "vaults" / "lamp").write_text("a file in its place")
    told: list[str] = []
    vault = opened(_stored(tmp_path), tmp_path)
    keeper = VaultKeeper(vault, told.append, told.append)

    for _ in range(3):
        keeper.render()

    assert len(told) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_told_once(tmp_path):
    vault = a_vault(tmp_path)
    revise(vault, "1.1", "The sun rose.")
    vault.folder.root.chmod(0o500)
    told: list[str] = []

    VaultKeeper(vault, told.append, told.append).render()

    vault.folder.root.chmod(0o700)
    assert len(told) == 1


def test_the_progress_file_tells_the_books_phases(tmp_path):
    vault = a_vault(tmp_path)
    finish(vault.storage, "A keeper waits.")
    vault.render()

    progress = load_from_book((vault.folder.root / PROGRESS).read_text("utf-8"))

    assert [(stage.name, stage.status.value) for stage in progress.stages] == [
        ("book begun", "completed"), ("plan", "skipped"), ("design", "completed"),
        ("chapter 1: The Lamp", "completed"), ("chapter 2: The Log", "pending"), ("publish", "completed"),
    ]  # fmt: skip
    assert (progress.book, progress.status, progress.next_stage()) == ("lamp", "finished", 5)


@pytest.mark.parametrize(
    ("folder", "path"),
    [
        ("worldview/peoples", "worldview/peoples/1.3 Motive.md"),
        ("../../etc", "etc/1.3 Motive.md"),
        ("notes", "_notes/1.3 Motive.md"),
        ("/", "_/1.3 Motive.md"),
    ],
)
def test_a_task_of_a_blueprint_stands_in_its_folder_and_its_stage_is_told(tmp_path, folder, path):
    vault = a_vault(tmp_path)
    with vault.storage.write() as stores:
        key = stores.nodes.by_label("1.3").key
        stores.nodes.change(key, stage="foundation/peoples", stage_title="Foundation", folder=folder)

    assert vault.render().created == [path]

    progress = load_from_book((vault.folder.root / PROGRESS).read_text("utf-8"))
    assert [stage.name for stage in progress.stages] == [
        "book begun", "chapter 1: The Lamp", "chapter 2: The Log", "Foundation", "publish"
    ]  # fmt: skip


def test_a_folder_of_another_book_of_that_name_is_no_guide(tmp_path):
    vault = a_vault(tmp_path)
    with vault.storage.write() as stores:
        stores.connection.exec_driver_sql("UPDATE books SET created_at = created_at + 1")

    assert opened(vault.storage, tmp_path).list.pages == {}


def test_nothing_is_rendered_where_no_folder_is_wanted(tmp_path):
    storage = _stored(tmp_path)
    with storage.read() as stores:
        book = stores.books.get(storage.book)

    with kept_vault(storage, book, make_settings(tmp_path, keep_vault=False), EventBus()) as keeper:
        assert keeper is None

    assert not (tmp_path / "vaults").exists()


def test_a_findings_page_stands_with_the_designs_of_its_unit(tmp_path):
    vault = a_vault(tmp_path)
    with vault.storage.write() as stores:
        task = stores.nodes.by_label("1.3")
        stores.documents.add(NewDocument(node=task.key, kind=DocumentKind.FINDINGS, text="Ships sink."), None)

    assert vault.render().created == ["planning/1.3 findings Motive.md"]
    assert sync(vault, tmp_path).findings == []


def _stored(home: Path) -> BookStorage:
    return make_book(make_settings(home), CHAPTERS)


def _wipe(root: Path) -> None:
    for path in sorted(root.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    root.rmdir()
