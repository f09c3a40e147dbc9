"""Templates by path: ours, their overlays, and those of a blueprint's folder; what each reads of its card."""

from collections.abc import Callable, MutableMapping
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined, Template, meta, nodes
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import pass_context

from bookwright.models.text.length import WORDS_PER_CHARACTER

TEMPLATES = Path(__file__).parent

BLUEPRINT = "blueprint"
"""Begins the path of a template that stands in a blueprint's folder."""


@pass_context
def words(context: Context, count: int) -> str:
    """Name a number of words as the book counts: `25 | words` is "25 words", or "40 characters" in Japanese."""
    if context["book"].length_unit == "words":
        return f"{count} words"
    return f"{round(count / WORDS_PER_CHARACTER / 10) * 10} characters"


class _Templates(Environment):
    """Templates whose globals are a plain dict: each context is made of it, and Jinja's own chain of two is slow."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of all templates, with those of one laid over them."""
        return {**self.globals, **(d or {})}


@lru_cache(maxsize=8)
def environment(locale: str = "en") -> Environment:
    """The templates as a prompt language sees them: its overlay first, then the English set."""
    folders = [TEMPLATES] if locale == "en" else [TEMPLATES / "locales" / locale, TEMPLATES]
    made = _Templates(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
        auto_reload=False,
        cache_size=-1,  # all are ours: a dict, where Jinja's own cache looks through its whole queue each time
    )
    made.filters["words"] = words
    return made


@lru_cache(maxsize=16)
def environment_with(folder: Path, locale: str = "en") -> Environment:
    """The templates with those of a blueprint's folder beside them, under `blueprint/`; its overlay first.

    Whoever wrote the folder is a stranger: its templates can compute and reach nothing but their card.
    """
    own = FileSystemLoader([folder] if locale == "en" else [folder / locale, folder])
    inner = environment(locale).loader
    assert inner is not None  # ours has one
    made = ImmutableSandboxedEnvironment(
        loader=ChoiceLoader([PrefixLoader({BLUEPRINT: own}), inner]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        auto_reload=True,  # its author may be at work on it
    )
    made.filters["words"] = words
    return made


def template(path: str, locale: str, folder: Path | None = None) -> Template:
    """Find a template by its path, among ours or, with a folder, those of a blueprint, too."""
    if folder is None:
        return own_template(path, locale)
    return environment_with(folder, locale).get_template(f"{path}.md.j2")


@cache
def own_template(path: str, locale: str = "en") -> Template:
    """Find one of ours, which never change while a program runs."""
    return environment(locale).get_template(f"{path}.md.j2")


def fields_of(path: str, locale: str = "en", folder: Path | None = None) -> frozenset[str]:
    """Return what a template reads of its card, with all that it takes in."""
    name = f"{path}.md.j2"
    return _own_fields(name, locale) if folder is None else _theirs(name, environment_with(folder, locale))


@cache
def _own_fields(name: str, locale: str) -> frozenset[str]:
    return _fields(name, environment(locale), partial(_own_fields, locale=locale))


def _theirs(name: str, templates: Environment) -> frozenset[str]:
    return _fields(name, templates, partial(_theirs, templates=templates))


def _fields(name: str, templates: Environment, of_another: Callable[[str], frozenset[str]]) -> frozenset[str]:
    assert templates.loader is not None  # ours has one
    tree = templates.parse(templates.loader.get_source(templates, name)[0])
    taken = (found for found in meta.find_referenced_templates(tree) if found)
    return frozenset(meta.find_undeclared_variables(tree)).union(*map(of_another, taken))


def has_frame(path: str, locale: str, folder: Path) -> bool:
    """True if a template of a blueprint's folder stands in another one, which has what every prompt needs."""
    found = environment_with(folder, locale)
    assert found.loader is not None  # it was given one
    source, _, _ = found.loader.get_source(found, f"{path}.md.j2")
    return found.parse(source).find(nodes.Extends) is not None
