"""The template files as Jinja sees them: what they name, what they take in, who asks for them."""

import ast
import re
from functools import cache
from pathlib import Path

import jinja2.nodes
from jinja2 import meta

import bookwright
from bookwright.prompts.render import TEMPLATES, environment
from tests.agents.everyone import EVERY_AGENT

PATHS = sorted(path.relative_to(TEMPLATES).as_posix().removesuffix(".md.j2") for path in TEMPLATES.rglob("*.j2"))
"""Every template file, without its ending."""

ASKED = sorted({agent.prompt for agent in EVERY_AGENT})
"""The templates that agents name."""

OWN_VARIABLES = {
    "story/block": {"tag", "text"},
    "story/_task": {"task", "unit", "length_unit", "open_points"},
    "story/_tree": {"rows"},
    "story/_state": {"state", "language"},
}
"""Templates that code renders without a card, and what it hands them."""

_NODES = jinja2.nodes
_PATH = re.compile(r"story/[a-z_/]+")


def source(path: str) -> str:
    """A template's text."""
    return (TEMPLATES / f"{path}.md.j2").read_text(encoding="utf-8")


@cache
def parsed(path: str) -> jinja2.nodes.Template:
    """A template's syntax tree."""
    return environment().parse(source(path))


def variables(path: str) -> set[str]:
    """What a template names and does not make itself."""
    made = {name.name for name in parsed(path).find_all(_NODES.Name) if name.ctx == "store"}
    for imported in parsed(path).find_all(_NODES.FromImport):
        made |= {name if isinstance(name, str) else name[1] for name in imported.names}
    return meta.find_undeclared_variables(parsed(path)) - made


def attributes(path: str, variable: str) -> set[str]:
    """What a template reads of one variable."""
    found = parsed(path).find_all(_NODES.Getattr)
    return {node.attr for node in found if isinstance(node.node, _NODES.Name) and node.node.name == variable}


def taken_in(path: str) -> set[str]:
    """The templates that one extends, includes or imports."""
    found = meta.find_referenced_templates(parsed(path))
    return {name.removesuffix(".md.j2") for name in found if name is not None}


def reachable() -> set[str]:
    """The templates that an agent or a line of the program names, and all that those take in."""
    waiting, found = {*ASKED, *_named_in_the_program()}, set[str]()
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= taken_in(path) - found
    return found


def words(text: str) -> int:
    """How many words a person would count."""
    return len(text.split())


def sentences_of_its_own(path: str) -> set[str]:
    """A template's sentences, without comments and tags, lower-cased, a blank for each variable."""
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}", "", source(path), flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}", "_", text, flags=re.DOTALL)
    parts = [part for line in text.splitlines() for part in re.split(r"(?<=[.!?:;])\s+", line)]
    return {" ".join(re.findall(r"[\w'’-]+", part.lower())) for part in parts}


def _named_in_the_program() -> set[str]:
    package = Path(bookwright.__file__).parent
    texts = [
        node.value
        for file in package.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    names = {text.removesuffix(".md.j2") for text in texts}
    return {name for name in names if _PATH.fullmatch(name) and name in PATHS}
