"""Who else is on the machine reads nothing of a data folder: new ones, older ones, and as another user in truth."""

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bookwright.flows.prefect.server import known_login, login_file, make_login
from bookwright.models.errors import InvalidSetting
from bookwright.models.settings import load_settings
from bookwright.storage.engine.database import make_home
from bookwright.storage.files.privacy import open_to_others
from tests.places import ROOT

NOBODY = 65_534
SOURCES = ROOT
BRIEF = ("--premise", "A keeper reads a log in her own hand.", "--title", "The Log", "--words", "900")

is_root = os.name == "posix" and os.geteuid() == 0
needs_root = pytest.mark.skipif(not is_root, reason="only root can become another user; run the tests as root once")

READ_ALL = """
import json, os, sys
found = []
for place, folders, files in os.walk(sys.argv[1]):
    found += [os.path.join(place, name) for name in (*folders, *files)]
def reads(path):
    try:
        return bool(os.listdir(path)) if os.path.isdir(path) else open(path, "rb").read(1) is not None
    except OSError:
        return False
named = json.load(sys.stdin)
print(json.dumps([found, [path for path in (sys.argv[1], *named) if reads(path)]]))
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def inside(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def bookwright(home: Path, *arguments: str, **more: object) -> "subprocess.CompletedProcess[str]":
    """A command in a process of its own, with the mask that most people have."""
    variables = {"HOME": str(home), "MODEL": "rehearsal:exact", "EMBEDDING": "hashing", "FREE_MEGABYTES": "0"}
    command = ["sh", "-c", 'umask 022; exec "$@"', "sh", sys.executable, "-m", "bookwright", *arguments]
    return subprocess.run(
        command, env=os.environ | {f"BOOKWRIGHT_{name}": value for name, value in variables.items()}, cwd=SOURCES,
        check=False, capture_output=True, text=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def written() -> Iterator[Path]:
    """A data folder with a finished book, as the program left it."""
    with TemporaryDirectory(prefix="bookwright-privacy-") as name:
        home = Path(name) / "home"
        assert bookwright(home, "write", *BRIEF, "--no-prefect", "--export", "epub,md").returncode == 0
        yield home


@pytest.fixture
def home(written: Path) -> Iterator[Path]:
    """A copy of it with its modes, in a place that everybody may enter."""
    with TemporaryDirectory(prefix="bookwright-privacy-") as name:
        Path(name).chmod(0o755)
        yield Path(shutil.copytree(written, Path(name) / "home"))


def test_what_a_program_makes_its_owner_alone_can_read(written: Path) -> None:
    made = [path.relative_to(written).parts[0] for path in inside(written)]

    assert {"bookwright.db", "events", "vaults", "exports"} <= set(made)
    assert [path for path in (written, *inside(written)) if mode(path) & 0o077] == []


def test_an_export_that_is_wanted_elsewhere_has_the_mode_of_any_new_file(home: Path, tmp_path: Path) -> None:
    done = bookwright(home, "export", "the-log", "--to", "epub", "--output", str(tmp_path / "out.epub"))

    assert done.returncode == 0, done.stderr
    assert mode(tmp_path / "out.epub") == 0o644


def test_an_older_data_folder_is_closed_at_the_next_start(home: Path) -> None:
    for path in (home, *inside(home)):
        path.chmod(0o755 if path.is_dir() else 0o644)
    link, outside = home / "link", home.parent / "elsewhere.txt"
    outside.write_text("of somebody else's")
    outside.chmod(0o644)
    link.symlink_to(outside)

    make_home(load_settings(home=home))

    assert [path for path in (home, *inside(home)) if not path.is_symlink() and mode(path) & 0o077] == []
    assert mode(outside) == 0o644


def test_the_login_is_made_once_in_a_file_of_its_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFECT_SERVER_API_AUTH_STRING", raising=False)
    settings, other = load_settings(home=tmp_path / "one"), load_settings(home=tmp_path / "other")

    made = make_login(settings)

    assert make_login(settings) == known_login(settings) == made
    assert made.startswith("bookwright:")
    assert len(made) > 40
    assert make_login(other) != made
    assert mode(login_file(settings)) == 0o600
    assert [path.name for path in login_file(settings).parent.iterdir()] == ["login"]


def test_an_empty_login_lets_nobody_in_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFECT_SERVER_API_AUTH_STRING", raising=False)
    settings = load_settings(home=tmp_path)
    login_file(settings).parent.mkdir()
    login_file(settings).write_text("\n")

    with pytest.raises(InvalidSetting, match="holds no login; remove it"):
        make_login(settings)


def test_what_others_can_read_is_listed_up_to_a_limit(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for name in ("a", "b", "c"):
        (home / name).write_text(name)
        (home / name).chmod(0o644)

    closed = open_to_others(home, 2)
    home.chmod(0o755)

    assert closed == []
    assert len(open_to_others(home, 2)) == 2
    assert open_to_others(tmp_path / "nothing", 2) == []


@needs_root
def test_another_user_reads_nothing(home: Path) -> None:
    make_login(load_settings(home=home))
    beside = home.parent / "for-everybody.txt"
    beside.write_text("This can be read, so that the test can fail.")
    beside.chmod(0o644)
    named = json.dumps([str(path) for path in (*inside(home), beside)])

    done = subprocess.run(
        ["/usr/bin/env", "python3", "-c", READ_ALL, str(home)], input=named, text=True, capture_output=True,
        user=NOBODY, group=NOBODY, extra_groups=[], check=True, cwd="/", env={"PATH": "/usr/bin:/bin"},
    )  # fmt: skip

    assert json.loads(done.stdout) == [[], [str(beside)]]
    assert len(json.loads(named)) > 10
