"""The Python interface: its examples run as they are printed, it is light to import, and it is what the page says."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bookwright
from bookwright import BookPaused, Brief, Event, Library
from bookwright.app import library_book, python_api

ROOT = Path(__file__).parent.parent


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of an example's own."""
    monkeypatch.setenv("BOOKWRIGHT_FREE_MEGABYTES", "0")
    return tmp_path


def test_the_examples_of_the_docstrings_run(folder: Path) -> None:
    names = {"folder": folder, "Brief": Brief}
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner()
    shared: dict[str, object] = dict(vars(python_api)) | names
    for module in (python_api, library_book):
        for test in sorted(finder.find(module, extraglobs=names), key=lambda test: test.lineno or 0):
            test.globs = shared
            runner.run(test, clear_globs=False)

    assert (runner.failures, runner.tries >= 17) == (0, True)


def test_the_page_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOKWRIGHT_HOME", str(folder))
    monkeypatch.setenv("BOOKWRIGHT_EMBEDDING", "hashing")
    monkeypatch.chdir(folder)

    failed, tried = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False)

    assert (failed, tried >= 12) == (0, True)


def test_the_page_names_all_that_is_public() -> None:
    page = (ROOT / "docs/python.md").read_text("utf-8")

    assert len(bookwright.__all__) == 10
    assert [name for name in bookwright.__all__ if f"`{name}`" not in page] == []
    assert all(getattr(bookwright, name).__doc__ for name in bookwright.__all__ if name != "Event")


def test_types_know_what_is_public() -> None:
    stub = (Path(bookwright.__file__).parent / "__init__.pyi").read_text("utf-8")

    assert sorted(bookwright.__all__) == sorted(re.findall(r"import (\w+) as", stub))


def test_types_want_of_a_brief_what_has_to_be_given_also_without_pydantics_plugin() -> None:
    assert [name for name, field in Brief.model_fields.items() if field.is_required()] == ["premise", "length"]
    assert "__dataclass_transform__" in vars(type(Brief))  # type checkers do not see that of its base


def test_importing_the_package_loads_nothing() -> None:
    code = "import bookwright, sys; print([name for name in sys.modules if name.startswith('bookwright.')])"

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert said.strip() == "[]"


def test_a_book_that_rests_says_so_and_goes_on_elsewhere(folder: Path) -> None:
    library = Library(folder, model="rehearsal:exact", embedding="hashing")
    heard: list[Event] = []
    brief = Brief(premise="A clerk finds a letter.", length=6_000)

    with pytest.raises(BookPaused, match="chapter 1"):
        library.write(brief, until="chapter 1", on_event=heard.append)

    [book] = library.books()
    assert book.state == "paused"
    assert heard
    assert 0 < book.written < 6_000
    assert book.read("chapter 1") in book.read()
    assert Library(folder, model="rehearsal:exact", embedding="hashing").book(book.id[:4]).resume().state == "finished"


def test_a_brief_that_names_more_changes_the_book_that_is_there(folder: Path) -> None:
    library = Library(folder, model="rehearsal:exact", embedding="hashing")
    brief = Brief(premise="A clerk finds a letter.", length=600)
    book = library.write(brief)

    library.write(Brief(premise="A clerk finds a letter.", length=600, pen_name="C. Holt"))

    assert book.facts.brief.pen_name == "C. Holt"
    assert book.facts.brief_version == 2
