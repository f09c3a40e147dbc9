"""The house as figures: modules, rooms, names that stand twice, fragments, functions."""

import ast
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import bookwright
from bench import starts
from bench.measure import Measure

PACKAGE = Path(bookwright.__file__).parent


def sources(package: Path = PACKAGE) -> dict[str, Path]:
    """The modules of a package by their names; its folders may be links, so each is followed by hand."""
    found = {path.relative_to(package.parent): path for path in package.glob("*.py")}
    for folder in (path for path in package.iterdir() if path.is_dir()):
        root, name = folder.resolve(), folder.relative_to(package.parent)
        found |= {name / path.relative_to(root): path for path in root.rglob("*.py")}
    return {".".join(place.with_suffix("").parts).removesuffix(".__init__"): path for place, path in found.items()}


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """What a module is made of, expressions left out: no import stands in one, nor a function with a name."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, field, ())


def _imported(nodes: Iterable[ast.AST], modules: Set[str]) -> frozenset[str]:
    """Which modules a module imports: at its top, late in a function, or for types alone."""
    names = [name for node in nodes for name in _named(node)]
    return frozenset({name if name in modules else name.rpartition(".")[0] for name in names} & modules)


def _named(node: ast.AST) -> Iterator[str]:
    """What an import statement may name: a module, or something in it."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module is not None:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _lengths(nodes: Iterable[ast.AST]) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


@dataclass(frozen=True)
class Module:
    """What is counted of a module; its tree is not kept, since the garbage collector would look through all of them."""

    imported: frozenset[str]
    classes: tuple[str, ...]
    """Those at its top."""
    functions: tuple[int, ...]
    """Their lengths."""
    lines: int


def _read(text: str, modules: Set[str]) -> Module:
    tree = ast.parse(text)
    nodes = [*_statements(tree)]
    classes = tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef))
    return Module(_imported(nodes, modules), classes, tuple(_lengths(nodes)), len(text.splitlines()))


@cache
def modules_of(package: Path) -> dict[str, Module]:
    """Read every module of a package, once in a process, by its name."""
    paths = sources(package)
    return {module: _read(path.read_text("utf-8"), paths.keys()) for module, path in paths.items()}


def _is_fragment(module: str, importers: set[str]) -> bool:
    """True for a module that one other imports, which lies in the same folder."""
    return len(importers) == 1 and next(iter(importers)).rpartition(".")[0] == module.rpartition(".")[0]


def run(is_full: bool) -> Iterator[Measure]:
    """Count the house, and time the verbs."""
    yield from counts()
    yield from starts.run(is_full)


def counts() -> Iterator[Measure]:
    """Count modules, lines, the largest room, names that stand twice, fragments and functions."""
    paths, modules = sources(), modules_of(PACKAGE)
    importers: dict[str, set[str]] = defaultdict(set)
    for module, read in modules.items():
        for other in read.imported - {module}:
            importers[other].add(module)
    classes = Counter(name for read in modules.values() for name in read.classes)
    is_step = {module: module.startswith("bookwright.migrations.versions.") for module in paths}
    rooms = Counter(path.parent for module, path in paths.items() if path.stem != "__init__" and not is_step[module])
    functions = sorted(length for module, read in modules.items() if not is_step[module] for length in read.functions)
    upgrades = [length for module, read in modules.items() if is_step[module] for length in read.functions]
    lines = [read.lines for read in modules.values()]
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
