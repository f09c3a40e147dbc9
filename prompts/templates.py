"""Templates by path: ours, their overlays, and those of a blueprint's folder; what each reads of its card.

And one that a person edited, in the place of ours: its source to begin with, and its rendering.
"""

import traceback
from collections.abc import MutableMapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import meta, nodes
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import pass_context

from bookwright.models.errors import InvalidTemplate
from bookwright.models.text.length import WORDS_PER_CHARACTER
from bookwright.prompts.card import Card

TEMPLATES = Path(__file__).parent
ENDING = ".md.j2"

BLUEPRINT = "blueprint"
"""Begins the path of a template that stands in a blueprint's folder."""

FAULTS = (jinja2.TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)
"""What an expression in a template may raise; there is nothing else that runs."""


@pass_context
def words(context: Context, count: int) -> str:
    """Name a number of words as the book counts: `25 | words` is "25 words", or "40 characters" in Japanese."""
    if context["book"].length_unit == "words":
        return f"{count} words"
    return f"{round(count / WORDS_PER_CHARACTER / 10) * 10} characters"


class _Templates(jinja2.Environment):
    """Templates whose globals are a plain dict: each context is made of it, and Jinja's own chain of two is slow."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of all templates, with those of one laid over them."""
        return {**self.globals, **(d or {})}


@lru_cache(maxsize=24)
def environment(locale: str = "en", folder: Path | None = None) -> jinja2.Environment:
    """The templates as a prompt language sees them: its overlay first, then the English set.

    With a blueprint's `folder` its templates stand beside them, under `blueprint/`. Whoever wrote those is a stranger:
    they can compute and reach nothing but their card.
    """
    ours = jinja2.FileSystemLoader([TEMPLATES] if locale == "en" else [TEMPLATES / "locales" / locale, TEMPLATES])
    if folder is None:
        # All are ours: a dict, where Jinja's own cache looks through its whole queue each time.
        made: jinja2.Environment = _Templates(loader=ours, auto_reload=False, cache_size=-1)
    else:
        theirs = jinja2.FileSystemLoader([folder] if locale == "en" else [folder / locale, folder])
        loader = jinja2.ChoiceLoader([jinja2.PrefixLoader({BLUEPRINT: theirs}), ours])
        made = ImmutableSandboxedEnvironment(loader=loader, auto_reload=True)  # its author may be at work on it
    made.undefined, made.trim_blocks, made.lstrip_blocks = jinja2.StrictUndefined, True, True
    made.filters["words"] = words
    return made


def template(path: str, locale: str, folder: Path | None = None) -> jinja2.Template:
    """Find a template by its path, among ours or, with a folder, those of a blueprint, too."""
    return own_template(path, locale) if folder is None else environment(locale, folder).get_template(f"{path}{ENDING}")


@cache
def own_template(path: str, locale: str = "en") -> jinja2.Template:
    """Find one of ours, which never change while a program runs."""
    return environment(locale).get_template(f"{path}{ENDING}")


def source_in(templates: jinja2.Environment, name: str) -> tuple[str, str]:
    """Return the text of a template by its name with the ending, and its file; raise `TemplateNotFound` without one."""
    assert templates.loader is not None  # all of `environment` have one
    text, file, _ = templates.loader.get_source(templates, name)
    return text, str(file)


def fields_of(path: str, locale: str = "en", folder: Path | None = None) -> frozenset[str]:
    """Return what a template reads of its card, with all that it takes in."""
    find = _own_fields if folder is None else _fields
    return find(f"{path}{ENDING}", environment(locale, folder))


def _fields(name: str, templates: jinja2.Environment) -> frozenset[str]:
    read, taken = _named(source_in(templates, name)[0])
    return read.union(*(_fields(other, templates) for other in taken))


_own_fields = cache(_fields)


@lru_cache(maxsize=1_024)
def _named(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a template reads by itself, and the names of those that it takes in."""
    tree = environment().parse(source)
    taken = filter(None, meta.find_referenced_templates(tree))
    return frozenset(meta.find_undeclared_variables(tree)), frozenset(taken)


def has_frame(path: str, locale: str, folder: Path) -> bool:
    """True if a template of a blueprint's folder stands in another one, which has what every prompt needs."""
    templates = environment(locale, folder)
    return templates.parse(source_in(templates, f"{path}{ENDING}")[0]).find(nodes.Extends) is not None


def source_of(path: str, locale: str, folder: Path | None = None) -> tuple[str, Path]:
    """Return a template's text as a prompt language sees it, and the file it stands in.

    `folder` holds the templates of the book's blueprint, if it has one.

    Raises:
        InvalidTemplate: This version has no such template.
    """
    try:
        text, file = source_in(environment(locale, folder), f"{path}{ENDING}")
    except jinja2.TemplateNotFound:
        raise InvalidTemplate(f"this version has no template {path!r}") from None
    return text, Path(file)


def takes_in(path: str, locale: str, folder: Path | None = None) -> list[str]:
    """Return the templates that one extends, includes or imports, by path."""
    _, taken = _named(source_of(path, locale, folder)[0])
    return sorted(name.removesuffix(ENDING) for name in taken)


def render_edited(file: Path, stands_for: str, path: str, card: Card, locale: str, folder: Path | None = None) -> str:
    """Render what `prompts.render` renders for a path, with a file in the place of that template or of one it takes in.

    All other templates are found as always, the overlay's before the English ones.

    Raises:
        InvalidTemplate: The file cannot be read, is no template, or names what no card holds.
    """
    text, name = _read(file), f"{stands_for}{ENDING}"
    own = jinja2.FunctionLoader(lambda wanted: (text, str(file), None) if wanted == name else None)
    shipped = environment(locale, folder)
    assert shipped.loader is not None  # all of `environment` have one
    jinja = shipped.overlay(loader=jinja2.ChoiceLoader([own, shipped.loader]))
    try:
        return jinja.get_template(f"{path}{ENDING}").render(vars(card)).strip()
    except jinja2.TemplateSyntaxError as error:
        raise InvalidTemplate(f"{error.filename}, line {error.lineno}: {error.message}") from None
    except RecursionError:
        raise InvalidTemplate(f"{file}: it extends or includes {stands_for!r}, and so itself") from None
    except jinja2.TemplateNotFound as error:
        raise InvalidTemplate(f"{_place(error, file)}: there is no template {error.name!r} to take in") from None
    except jinja2.UndefinedError as error:
        said = str(error).replace(f"{Card.__module__}.", "")
        raise InvalidTemplate(f"{_place(error, file)}: {said}; no card holds it") from None
    except FAULTS as error:
        raise InvalidTemplate(f"{_place(error, file)}: {error}") from None


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidTemplate(f"the template {str(file)!r} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InvalidTemplate(f"the template {str(file)!r} is no UTF-8 text (byte {error.start})") from None


def _place(error: Exception, file: Path) -> str:
    """The file and line of the innermost template that an error comes from."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == str(file) or frame.filename.endswith(ENDING):
            return f"{frame.filename}, line {frame.lineno}"
    return str(file)
