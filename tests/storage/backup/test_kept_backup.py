"""A backup whose file is refused, whatever is wrong with it, or restored where nothing is; on both databases."""

import json
import os
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bookwright.models.errors import UnusableBackup
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.backup.backup import BackedUp, back_up, restore
from bookwright.storage.engine.database import open_database
from tests.storage.backup.content import Content, content
from tests.storage.conftest import BACKINGS, new_book, settings_on


@dataclass(frozen=True)
class Kept:
    """A book that has nothing but its root, and its backup; no test changes them."""

    settings: Settings
    made: BackedUp
    content: Content


@pytest.fixture(scope="module", params=BACKINGS)
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """One on either database."""
    home = tmp_path_factory.mktemp("kept")
    settings = settings_on(request.param, home, request)
    new_book(open_database(settings)).database.dispose()
    return Kept(settings, back_up(settings, home / "kept.zip"), content(settings))


@pytest.mark.parametrize(
    ("break_it", "complaint"),
    [
        (lambda path: path.write_bytes(b"no zip"), "no whole backup"),
        (lambda path: path.write_bytes(path.read_bytes()[:-200]), "no whole backup"),
        (lambda path: path.unlink(), "there is no file"),
        (lambda path: (path.unlink(), path.mkdir()), "cannot be read .Is a directory.; name one that you may read"),
        (lambda path: rewrite(path, database=lambda data: data[:50] + b"x" + data[51:]), "is damaged"),
        (lambda path: rewrite(path, manifest={"revision": "9999"}), "install bookwright"),
        (lambda path: rewrite(path, manifest={"format": 2}), "manifest"),
        (lambda path: rewrite(path, manifest={"data": "gone"}), "no whole backup"),
    ],
)
def test_a_file_that_is_no_whole_backup_is_refused(kept, tmp_path, break_it, complaint):
    path = Path(shutil.copy(kept.made.path, tmp_path))
    break_it(path)

    with pytest.raises(UnusableBackup, match=complaint):
        restore(kept.settings, path)

    assert content(kept.settings) == kept.content


def test_a_file_that_this_user_may_not_read_is_refused(kept, tmp_path):
    path, user = Path(shutil.copy(kept.made.path, tmp_path)), os.geteuid()
    path.chmod(0)

    os.seteuid(user or 65_534)  # root may read everything
    try:
        with pytest.raises(UnusableBackup, match=r"cannot be read .Permission denied.; name one that you may read"):
            restore(kept.settings, path)
    finally:
        os.seteuid(user)


def rewrite(path: Path, manifest: dict[str, object] | None = None, database: Callable[[bytes], bytes] = bytes) -> None:
    """Change what a backup says of itself, or what it holds."""
    with zipfile.ZipFile(path) as archive:
        said = json.loads(archive.read("manifest.json"))
        data = database(archive.read(said["data"]))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(said["data"], data)
        archive.writestr("manifest.json", json.dumps(said | (manifest or {})))


def test_a_backup_of_the_other_kind_of_database_is_refused(kept, tmp_path):
    path = Path(shutil.copy(kept.made.path, tmp_path))
    other = "sqlite" if kept.settings.database_url else "postgresql"
    rewrite(path, manifest={"database": other})

    with pytest.raises(UnusableBackup, match=f"a backup of {other}"):
        restore(kept.settings, path)


def test_a_restore_needs_no_database_to_replace(kept, tmp_path, request):
    server = request.getfixturevalue("postgres") if kept.settings.database_url else None
    url = server.url(server.new_database()) if server else ""
    empty = load_settings(home=tmp_path / "empty", database_url=url)

    done = restore(empty, kept.made.path)

    assert content(empty) == kept.content
    assert done.kept is None


def test_a_place_below_a_file_is_no_backup(kept, tmp_path):
    (tmp_path / "backups").write_text("no folder")

    with pytest.raises(UnusableBackup, match="there is no file"):
        restore(kept.settings, tmp_path / "backups" / "bookwright.zip")
