"""The house as figures: modules, rooms, names that stand twice, fragments, functions."""

import ast
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import bookwright
from bench import starts
from bench.measure import Measure

PACKAGE = Path(bookwright.__file__).parent


def sources() -> dict[str, Path]:
    """The modules of the package by their names; its folders are links, so each is followed by hand."""
    found = {f"bookwright.{path.stem}": path for path in PACKAGE.glob("*.py")}
    for folder in (path for path in PACKAGE.iterdir() if path.is_dir()):
        root = folder.resolve()
        for path in root.rglob("*.py"):
            parts = path.relative_to(root.parent).with_suffix("").parts
            found[".".join(("bookwright", *parts)).removesuffix(".__init__")] = path
    return found


def _lengths(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def _imported(tree: ast.AST, modules: set[str]) -> set[str]:
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return {name if name in modules else name.rpartition(".")[0] for name in names} & modules


def _is_fragment(module: str, importers: set[str]) -> bool:
    """True for a module that one other imports, which lies in the same folder."""
    return len(importers) == 1 and next(iter(importers)).rpartition(".")[0] == module.rpartition(".")[0]


def run(is_full: bool) -> Iterator[Measure]:
    """Count the house, and time the verbs."""
    yield from counts()
    yield from starts.run(is_full)


def counts() -> Iterator[Measure]:
    """Count modules, lines, the largest room, names that stand twice, fragments and functions."""
    paths = sources()
    trees = {module: ast.parse(path.read_text("utf-8")) for module, path in paths.items()}
    importers: dict[str, set[str]] = defaultdict(set)
    for module, tree in trees.items():
        for other in _imported(tree, set(trees)) - {module}:
            importers[other].add(module)
    classes = Counter(node.name for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef))
    is_step = {module: module.startswith("bookwright.migrations.versions.") for module in trees}
    rooms = Counter(path.parent for module, path in paths.items() if path.stem != "__init__" and not is_step[module])
    functions = sorted(length for module, tree in trees.items() if not is_step[module] for length in _lengths(tree))
    upgrades = [length for module, tree in trees.items() if is_step[module] for length in _lengths(tree)]
    lines = [len(path.read_text("utf-8").splitlines()) for path in paths.values()]
    yield Measure("house.modules", len(paths), "files", reference="581 at the survey")
    yield Measure("house.lines", sum(lines), "lines", reference="65,500 at the survey")
    yield Measure("house.longest_file", max(lines), "lines", "<= 300")
    yield Measure("house.largest_folder", max(rooms.values()), "modules", "<= 20", "76 at the survey; migrations apart")
    yield Measure("house.class_names_twice", sum(count > 1 for count in classes.values()), "names", "<= 0", "68")
    fragments = sum(_is_fragment(module, found) for module, found in importers.items())
    yield Measure("house.fragments", fragments, "modules with one importer", reference="134 in their folder")
    yield Measure("house.function_median", statistics.median(functions), "lines", reference="5")
    yield Measure("house.function_longest", functions[-1], "lines", reference="56, migrations apart")
    yield Measure("house.longest_upgrade", max(upgrades), "lines of one migration")
