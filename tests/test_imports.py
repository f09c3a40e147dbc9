"""The package's own imports: which folder may know which, and no circles, in types neither."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import bookwright

ROOT = Path(bookwright.__file__).parent
BELOW = {
    "cli": {"flows", "exports", "agents", "manuscripts", "prompts", "storage", "models"},
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


def modules() -> dict[str, Path]:
    """Every module of the package by its name."""
    found = {path.relative_to(ROOT.parent).with_suffix("").parts: path for path in ROOT.rglob("*.py")}
    return {".".join(parts).removesuffix(".__init__"): path for parts, path in found.items()}


MODULES = modules()


def named(node: ast.AST) -> Iterator[str]:
    """What an import statement may name of ours: a module, or something in it."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module is not None:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def imported(module: str) -> frozenset[str]:
    """What a module imports of the package: at its top, late in a function, or for types alone."""
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    names = [name for node in ast.walk(tree) for name in named(node)]
    owners = {name if name in MODULES else name.rpartition(".")[0] for name in names}
    return frozenset(owners & MODULES.keys()) - {module}


def folder_of(module: str) -> str:
    """The folder right below the package; empty for what lies in the package itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in BELOW else ""


def test_imports_point_one_way() -> None:
    pairs = [(module, other) for module in MODULES for other in imported(module)]

    wrong = [
        f"{module} imports {other}"
        for module, other in pairs
        if folder_of(module) and folder_of(other) not in {folder_of(module), "", *BELOW[folder_of(module)]}
    ]

    assert wrong == []


def circle_in(graph: dict[str, frozenset[str]]) -> list[str]:
    """Return the modules of a circle, the first one again at its end; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_know_each_other_in_a_circle() -> None:
    assert circle_in({module: imported(module) for module in MODULES}) == []


def test_every_folder_has_its_place() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and (path / "__init__.py").exists()}

    assert folders == set(BELOW)
