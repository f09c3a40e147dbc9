"""The package's own imports: which folder may know which, and no circles, in types neither; and its bounds."""

from graphlib import CycleError, TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

import bookwright
from bench.house import counts, modules_of
from tests import places

ROOT = Path(bookwright.__file__).parent
BELOW = {
    "cli": {"studio", "app", "flows", "exports", "agents", "manuscripts", "prompts", "storage", "models"},
    "studio": {"app", "flows", "exports", "agents", "manuscripts", "prompts", "storage", "models"},
    "app": {"flows", "exports", "agents", "manuscripts", "prompts", "storage", "models"},
    "flows": {"exports", "agents", "manuscripts", "prompts", "storage", "models"},
    "exports": {"agents", "manuscripts", "prompts", "storage", "models"},
    "agents": {"prompts", "storage", "models"},
    "manuscripts": {"models"},
    "migrations": {"storage"},
    "prompts": {"models"},
    "storage": {"blueprints", "models"},
    "models": set(),
    "blueprints": set(),
}
"""What each folder may import, as docs/architecture.md draws it; what lies beside the folders is for all.

Blueprints are data.
"""


def imports_of(package: Path) -> dict[str, frozenset[str]]:
    """Every module of a package with those that it imports."""
    return {module: read.imported - {module} for module, read in modules_of(package).items()}


def folder_of(module: str) -> str:
    """The folder right below the package; empty for what lies in the package itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in BELOW else ""


def upward(imports: dict[str, frozenset[str]]) -> list[str]:
    """The imports that point to a folder which the importing one may not know."""
    return [
        f"{module} imports {other}"
        for module, others in imports.items()
        for other in others
        if folder_of(module) and folder_of(other) not in {folder_of(module), "", *BELOW[folder_of(module)]}
    ]


def circle_in(imports: dict[str, frozenset[str]]) -> list[str]:
    """Return the modules of a circle, the first one again at its end; empty where there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.fixture(scope="module")
def imports() -> dict[str, frozenset[str]]:
    """Those of the package itself, read when the first test asks, not by every process that collects tests."""
    return imports_of(ROOT)


def test_imports_point_one_way(imports: dict[str, frozenset[str]]) -> None:
    assert upward(imports) == []


def test_no_modules_know_each_other_in_a_circle(imports: dict[str, frozenset[str]]) -> None:
    assert circle_in(imports) == []


def test_every_folder_has_its_place_and_is_read(imports: dict[str, frozenset[str]]) -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and (path / "__init__.py").exists()}

    assert folders == set(BELOW)
    assert folders == {folder_of(module) for module in imports} - {""}


def test_files_folders_and_names_keep_to_their_bounds() -> None:
    bounded = {measure.measure: measure.met for measure in counts() if measure.target}

    assert bounded == dict.fromkeys(("house.longest_file", "house.largest_folder", "house.class_names_twice"), True)


def test_modules_go_by_the_paths_that_an_editor_opens() -> None:
    spec = find_spec("bookwright.flows.walk")  # where a debugger looks for what a breakpoint of an editor names

    assert spec is not None
    assert spec.origin == str(places.ROOT / "flows" / "walk.py")


def test_a_wrong_import_behind_a_link_is_found(tmp_path: Path) -> None:
    package = tmp_path / "bookwright"
    package.mkdir()
    for folder in ("models", "storage"):
        (tmp_path / folder / "deep").mkdir(parents=True)
        (package / folder).symlink_to(tmp_path / folder)
    (tmp_path / "models/deep/planted.py").write_text("from bookwright.storage import words")
    (tmp_path / "storage/words.py").write_text("import bookwright.models.deep.planted")

    imports = imports_of(package)

    assert upward(imports) == ["bookwright.models.deep.planted imports bookwright.storage.words"]
    assert set(circle_in(imports)) == {"bookwright.models.deep.planted", "bookwright.storage.words"}
