"""The examples that come with the program: briefs, an outline, a manuscript."""

import shutil
from pathlib import Path

import bookwright
from bookwright.models.errors import InvalidInput
from bookwright.models.text.hints import did_you_mean

_FOLDER = Path(bookwright.__file__).parent / "examples"


def example_files() -> list[Path]:
    """Return all examples, by name."""
    return sorted(path for path in _FOLDER.iterdir() if path.is_file() and path.suffix in (".toml", ".md", ".txt"))


def example_brief(name: str) -> Path:
    """Return the brief of an example, such as `lighthouse`.

    Raises:
        InvalidInput: There is none of that name; the message lists them.
    """
    briefs = {path.stem: path for path in example_files() if path.suffix == ".toml"}
    if name not in briefs:
        hint = did_you_mean(name, briefs, f"; there are {', '.join(briefs)}")
        raise InvalidInput(f"there is no example {name!r}{hint}")
    return briefs[name]


def copy_examples(folder: Path) -> list[Path]:
    """Copy all examples into a folder, which is made, and return what lies there; what is there already stays.

    Raises:
        InvalidInput: The folder cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        copies = [folder / file.name for file in example_files()]
        for file, copy in zip(example_files(), copies, strict=True):
            if not copy.exists():
                shutil.copyfile(file, copy)
    except OSError as error:
        raise InvalidInput(f"{str(folder)!r} cannot be written to: {error.strerror or error}") from None
    return copies
