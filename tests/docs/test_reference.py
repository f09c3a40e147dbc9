"""The pages of reference that are made from the code are as the code stands."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from bookwright.models.brief import Brief
from bookwright.models.settings import Settings
from tests.places import ROOT

FOLDER = ROOT / "docs" / "reference"


@pytest.fixture(scope="module")
def make() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_reference", FOLDER / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_as_the_code_stands(make: ModuleType) -> None:
    pages = make.pages()

    assert {path.name for path in FOLDER.glob("*.md")} == set(pages)
    old = [name for name, text in pages.items() if (FOLDER / name).read_text("utf-8") != text]
    assert old == [], "`python docs/reference/make.py` brings them up"


@pytest.mark.parametrize(("page", "model"), [("settings.md", Settings), ("brief.md", Brief)])
def test_no_field_is_left_out(page: str, model: type[Settings] | type[Brief]) -> None:
    text = (FOLDER / page).read_text("utf-8")

    assert [name for name in model.model_fields if f"| `{name}` |" not in text] == []


def test_nothing_of_this_machine_is_in_them() -> None:
    assert [page.name for page in FOLDER.glob("*.md") if str(Path.home()) in page.read_text("utf-8")] == []
