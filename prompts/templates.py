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
ENDING = ".md.j2"

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


@lru_cache(maxsize=24)
def environment(locale: str = "en", folder: Path | None = None) -> Environment:
    """The templates as a prompt language sees them: its overlay first, then the English set.

    With a blueprint's `folder` its templates stand beside them, under `blueprint/`. Whoever wrote those is a stranger:
    they can compute and reach nothing but their card.
    """
    ours = FileSystemLoader([TEMPLATES] if locale == "en" else [TEMPLATES / "locales" / locale, TEMPLATES])
    if folder is None:
        # All are ours: a dict, where Jinja's own cache looks through its whole queue each time.
        made: Environment = _Templates(loader=ours, auto_reload=False, cache_size=-1)
    else:
        theirs = FileSystemLoader([folder] if locale == "en" else [folder / locale, folder])
        loader = ChoiceLoader([PrefixLoader({BLUEPRINT: theirs}), ours])
        made = ImmutableSandboxedEnvironment(loader=loader, auto_reload=True)  # its author may be at work on it
    made.undefined, made.trim_blocks, made.lstrip_blocks = StrictUndefined, True, True
    made.filters["words"] = words
    return made


def template(path: str, locale: str, folder: Path | None = None) -> Template:
    """Find a template by its path, among ours or, with a folder, those of a blueprint, too."""
    return own_template(path, locale) if folder is None else environment(locale, folder).get_template(f"{path}{ENDING}")


@cache
def own_template(path: str, locale: str = "en") -> Template:
    """Find one of ours, which never change while a program runs."""
    return environment(locale).get_template(f"{path}{ENDING}")


def source_in(templates: Environment, name: str) -> tuple[str, str]:
    """Return a template's text by its name with the ending, and the file it stands in.

    Raises:
        TemplateNotFound: There is none.
    """
    assert templates.loader is not None  # all of `environment` have one
    text, file, _ = templates.loader.get_source(templates, name)
    return text, str(file)


def fields_of(path: str, locale: str = "en", folder: Path | None = None) -> frozenset[str]:
    """Return what a template reads of its card, with all that it takes in."""
    name = f"{path}{ENDING}"
    return _own_fields(name, locale) if folder is None else _theirs(name, environment(locale, folder))


@cache
def _own_fields(name: str, locale: str) -> frozenset[str]:
    return _fields(name, environment(locale), partial(_own_fields, locale=locale))


def _theirs(name: str, templates: Environment) -> frozenset[str]:
    return _fields(name, templates, partial(_theirs, templates=templates))


def _fields(name: str, templates: Environment, of_another: Callable[[str], frozenset[str]]) -> frozenset[str]:
    tree = templates.parse(source_in(templates, name)[0])
    taken = (found for found in meta.find_referenced_templates(tree) if found)
    return frozenset(meta.find_undeclared_variables(tree)).union(*map(of_another, taken))


def has_frame(path: str, locale: str, folder: Path) -> bool:
    """True if a template of a blueprint's folder stands in another one, which has what every prompt needs."""
    templates = environment(locale, folder)
    return templates.parse(source_in(templates, f"{path}{ENDING}")[0]).find(nodes.Extends) is not None
