"""The template files as Jinja sees them: what they name, what they take in, who asks for them."""

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache
from pathlib import Path

import jinja2.nodes
from jinja2 import meta

import bookwright
from bookwright.prompts.card import BookCard, Card, NodeCard
from bookwright.prompts.templates import TEMPLATES, environment
from tests.agents.everyone import EVERY_AGENT
from tests.support.tags import BLOCK_TAGS, PROSE_TAGS

OVERLAYS = TEMPLATES / "locales"
"""A folder for each prompt language but English, laid over the English set."""


def _below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix().removesuffix(".md.j2") for path in folder.rglob("*.j2"))


PATHS = [path for path in _below(TEMPLATES) if path.startswith("story/")]
"""Every template file of the English set that tells of a story, without its ending."""

OVERLAID = {
    folder.name: [path for path in _below(folder) if path.startswith("story/")] for folder in sorted(OVERLAYS.iterdir())
}
"""The same of every overlay, by prompt language; paths as in the English set."""

ASKED = sorted({agent.prompt for agent in EVERY_AGENT})
"""The templates that agents name."""

EVERY_TAG = tuple(dict.fromkeys((*BLOCK_TAGS, *PROSE_TAGS)))
"""The components of all contexts."""

STEP_WITHIN_A_LINE = r"[^\n\d]\d+\. \*\*"
"""A step of a method that does not begin its line: a tag at the end of the line before takes the line's end with it."""

OWN_VARIABLES = {
    "story/block": {"tag", "text"},
    "story/_task": {"task", "unit", "length_unit", "open_points", "tasks", "left_out", "setting"},
    "story/_tree": {"rows"},
    "story/_state": {"state", "language"},
    "story/_correction": {"failure", "problem", "language"},
    "story/_problem": {"name", "values"},
    "story/_plot": {"plot", "language"},
    "story/_origin": {"label", "level", "kind", "title"},
    "story/_heading": {"level", "kind", "title", "number"},
    "story/_book_order": {"book", "unit", "place"},
    "story/_writers_task": {"goal", "happens", "constraints", "criteria", "open_points", "setting"},
    "story/_setting": {"setting"},
    "story/_style_guide": {"profile", "unit"},
    "story/_style_page": {"guide"},
    "story/_manner": {"profile"},
    "story/_secrets": {"secrets"},
    "story/_threads": {"threads"},
    "story/_codex": {"entries"},
    "story/_no_room": {"count"},
    "story/_hints": {"sight"},
    "story/_order": {"note"},
    "story/reading/_retelling": {"told"},
    "story/_left_out": set(),
    "story/relay/_record": {"entry"},
    "story/relay/_taken_out": {"gaps"},
}
"""Templates that code renders without a card, and what it hands them."""

OF_A_BLUEPRINT = "blueprint/"
"""Begins the name of a template that each blueprint has of its own."""

_NODES = jinja2.nodes
_PATH = re.compile(r"story/[a-z_/]+")


def source(path: str, locale: str = "en") -> str:
    """A template's text as a prompt language sees it: the overlay's, or the English one."""
    overlay = OVERLAYS / locale / f"{path}.md.j2"
    return (overlay if overlay.is_file() else TEMPLATES / f"{path}.md.j2").read_text(encoding="utf-8")


@cache
def parsed(path: str, locale: str = "en") -> jinja2.nodes.Template:
    """A template's syntax tree."""
    return environment(locale).parse(source(path, locale))


@cache
def variables(path: str, locale: str = "en") -> frozenset[str]:
    """What a template names and does not make itself."""
    tree = parsed(path, locale)
    made = {name.name for name in tree.find_all(_NODES.Name) if name.ctx == "store"}
    for imported in tree.find_all(_NODES.FromImport):
        made |= {name if isinstance(name, str) else name[1] for name in imported.names}
    return frozenset(meta.find_undeclared_variables(tree) - made)


@cache
def _read(path: str, locale: str) -> frozenset[tuple[str, str]]:
    """What a template reads of any variable: the variable, and what of it."""
    found = parsed(path, locale).find_all(_NODES.Getattr)
    return frozenset((node.node.name, node.attr) for node in found if isinstance(node.node, _NODES.Name))


def attributes(path: str, variable: str, locale: str = "en") -> set[str]:
    """What a template reads of one variable."""
    return {name for own, name in _read(path, locale) if own == variable}


def unheld(path: str, locale: str = "en") -> set[str]:
    """What a template names, or reads of a book or a unit, that no card holds."""
    known = OWN_VARIABLES.get(path, {field.name for field in fields(Card)})
    cards = (("book", BookCard), ("unit", NodeCard), ("task", NodeCard))
    held = {variable: {field.name for field in fields(card)} for variable, card in cards}
    read = {f"{own}.{name}" for own, names in held.items() for name in attributes(path, own, locale) - names}
    return (variables(path, locale) - known) | read


@cache
def taken_in(path: str, locale: str = "en") -> frozenset[str]:
    """The templates that one extends, includes or imports."""
    found = [name for name in meta.find_referenced_templates(parsed(path, locale)) if name is not None]
    return frozenset(name.removesuffix(".md.j2") for name in found if not name.startswith(OF_A_BLUEPRINT))


def reachable(locale: str = "en") -> set[str]:
    """The templates that an agent or a line of the program names, and all that those take in."""
    waiting, found = {*ASKED, *_named_in_the_program(), *_named_in_blueprints()}, set[str]()
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= taken_in(path, locale) - found
    return found


@cache
def whole(path: str, locale: str = "en") -> str:
    """A template's text, and that of all it takes in."""
    below = "".join(whole(name, locale) for name in sorted(taken_in(path, locale)))
    return source(path, locale) + below


def faults(
    rendered: Callable[[str], Iterable[tuple[str, str]]], paths: Iterable[str], look: Callable[[str], object]
) -> dict[tuple[str, str], object]:
    """What a look at each text that is rendered finds wrong with it, by template and card."""
    return {(path, name): found for path in paths for name, text in rendered(path) if (found := look(text))}


def words(text: str) -> int:
    """How many words a person would count."""
    return len(text.split())


def sentences_of_its_own(path: str, locale: str = "en") -> set[str]:
    """A template's sentences, without comments and tags, lower-cased, a blank for each variable."""
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}", "", source(path, locale), flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}", "_", text, flags=re.DOTALL)
    parts = [part for line in text.splitlines() for part in re.split(r"(?<=[.!?:;])\s+|[。！？；：]", line)]
    return {" ".join(re.findall(r"[\w'’-]+", part.lower())) for part in parts}


def _named_in_blueprints() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in (TEMPLATES.parent / "blueprints").rglob("*.md.j2"))
    return {name for text in texts for name in re.findall(r"extends \"(story/[a-z_/]+)", text)}


@cache
def _named_in_the_program() -> set[str]:
    folders = [path.resolve() for path in Path(bookwright.__file__).parent.iterdir() if path.is_dir()]
    codes = (file.read_text(encoding="utf-8") for folder in folders for file in folder.rglob("*.py"))
    texts = [
        node.value
        for code in codes
        if "story/" in code  # most files name no template, and parsing takes long
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    names = {text.removesuffix(".md.j2") for text in texts}
    return {name for name in names if _PATH.fullmatch(name) and name in PATHS}
