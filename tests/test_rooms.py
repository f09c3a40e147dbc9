"""Tests stand where what they test stands."""

from pathlib import Path

from tests.places import ROOT

ACROSS = {"durability", "reference", "relay", "safety", "support"}
"""Folders of tests of whole walks, and of what the tests themselves need."""


def test_each_folder_of_tests_has_its_folder_in_the_tree() -> None:
    assert strange(ROOT) == set()


def test_a_folder_that_moved_away_from_its_tests_is_named(tmp_path: Path) -> None:
    for place in ("flows/prefect", "tests/flows/prefect", "tests/flows/branches", "tests/relay"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "test_one.py").touch()

    assert strange(tmp_path) == {"flows/branches"}


def strange(root: Path) -> set[str]:
    """Return the folders of tests that have no folder of the same name outside."""
    folders = {path.parent.relative_to(root / "tests") for path in (root / "tests").rglob("test_*.py")}
    return {folder.as_posix() for folder in folders if not (root / folder).is_dir() and folder.parts[0] not in ACROSS}
