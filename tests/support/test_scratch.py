"""Temporary files go where they cost least, unless there is no room or somebody has said where."""

import os
import stat
import tempfile
from pathlib import Path

import pytest

from tests.support.scratch import temporary_files


@pytest.fixture(autouse=True)
def unsaid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", None)


def test_they_are_in_memory_for_children_too_and_gone_afterwards(tmp_path: Path) -> None:
    before = tempfile.gettempdir()
    tempfile.tempdir = None

    with temporary_files(tmp_path, room=1):
        folder = Path(tempfile.mkdtemp())
        told = os.environ["TMPDIR"]
        mode = stat.S_IMODE(Path(told).stat().st_mode)

    assert mode == 0o711, "other users must get to what is theirs, and list nothing"
    assert folder.parent == Path(told)
    assert folder.is_relative_to(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert "TMPDIR" not in os.environ
    assert tempfile.gettempdir() == before


@pytest.mark.parametrize(("memory", "room"), [(Path("/nowhere"), 1), (None, 1 << 62)])
def test_without_room_they_are_where_they_were(memory: Path | None, room: int, tmp_path: Path) -> None:
    with temporary_files(memory or tmp_path, room):
        assert "TMPDIR" not in os.environ
        assert list(tmp_path.iterdir()) == []


def test_whoever_says_where_finds_them_there_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = tmp_path / "said"
    said.mkdir()
    monkeypatch.setenv("TMPDIR", str(said))

    with temporary_files(tmp_path, room=1):
        folder = Path(tempfile.mkdtemp())

    assert folder.parent == said
    assert folder.exists()
