"""Reads a blueprint and checks it against what this version of the program knows."""

import traceback
from collections.abc import Iterator
from pathlib import Path

from jinja2 import TemplateNotFound, TemplateSyntaxError

from bookwright.agents.blueprints.checks import CHECKS
from bookwright.agents.blueprints.pages import PAGES
from bookwright.agents.blueprints.steps import own_template
from bookwright.models.blueprint import Blueprint, MemberKind
from bookwright.models.errors import InvalidBlueprint
from bookwright.prompts.card import BookCard, Card, FormCard, NodeCard
from bookwright.prompts.render import render
from bookwright.prompts.templates import FAULTS, has_frame
from bookwright.storage.files.blueprints import ENDING, QUALITY, BlueprintFolder, blueprint_of, read_folder

PROMPT_LOCALES = ("en", "zh")
"""Languages that templates are written in; the others use the English ones."""

_BOOK = BookCard("A title", "A premise", "English", 36_000, "words", "short", "a genre", "a style", "some readers")
_CARD = Card(
    _BOOK,
    unit=NodeCard("1", "book", "write", "A title", "A goal", length=_BOOK.length),
    task=NodeCard("1.1", "book", "design", "A task", "A goal"),
    word_allowance=800, entries_least=2, entries_most=5, chapters=12, max_findings=8, child_level="act",
    usual_child_length=3_000, element_allowance=12,
)  # fmt: skip
_FORM = FormCard(_BOOK, "chapter", 1, 4, 1, False, 3_000, "scene", 3)
"""What templates are tried with."""


def usable_blueprint(chosen: str, home: Path, locale: str = "en") -> BlueprintFolder:
    """Return the blueprint that a brief names, whose templates render in the prompts' language.

    Raises:
        InvalidBlueprint: There is none, or it cannot be worked with; the message is one line.
    """
    return _held(blueprint_of(chosen, home), (locale,))


def check_folder(folder: Path) -> BlueprintFolder:
    """Read a folder and try all that a book would ask of it, in every language of the prompts.

    Raises:
        InvalidBlueprint: Something is wrong with it; the message is one line.
    """
    return _held(read_folder(folder), PROMPT_LOCALES)


def _held(found: BlueprintFolder, locales: tuple[str, ...]) -> BlueprintFolder:
    for problem in _unknown(found.plan):
        raise InvalidBlueprint(f"the blueprint {found.plan.name!r}: {problem}")
    for locale in locales:
        _try_templates(found, locale)
    return found


def _unknown(plan: Blueprint) -> Iterator[str]:
    """Name what the plan asks of the program that it does not have."""
    for use in plan.checks:
        if use.check not in CHECKS:
            yield f"there is no check {use.check!r}; there are {', '.join(CHECKS)}"
        elif stray := next((name for name in use.limits if name not in CHECKS[use.check][1]), None):
            known = ", ".join(sorted(CHECKS[use.check][1])) or "none"
            yield f"the check {use.check!r} has no limit {stray!r}; its limits are {known}"
    for member in plan.members:
        if member.kind is MemberKind.PAGE and member.page not in PAGES:
            yield f"there is no page {member.page!r}; there are {', '.join(PAGES)}"


def _try_templates(found: BlueprintFolder, locale: str) -> None:
    names = [member.prompt for member in found.plan.members if member.prompt]
    entries = [member.entries.prompt for member in found.plan.members if member.entries]
    for name in dict.fromkeys([QUALITY, *names, *entries]):
        _try(found, name, _CARD, locale)
        if name != QUALITY and not has_frame(own_template(name), locale, found.prompts):
            raise InvalidBlueprint(
                f"{found.prompts / (name + ENDING)}: stands in no frame; its first line is to be such as "
                '{% extends "story/blueprint/page_frame.md.j2" %}'
            )
    for name in {unit.directions for _, unit in found.plan.all_units if unit.directions}:
        _try(found, name, _FORM, locale)


def _try(found: BlueprintFolder, name: str, card: Card | FormCard, locale: str) -> None:
    try:
        is_empty = not render(own_template(name), card, locale, found.prompts)
    except TemplateSyntaxError as error:
        raise InvalidBlueprint(f"{_file(error.filename, found, name)}, line {error.lineno}: {error.message}") from None
    except TemplateNotFound as error:
        raise InvalidBlueprint(f"{found.prompts / (name + ENDING)}: there is no template {error.name!r}") from None
    except FAULTS as error:
        said = str(error).replace(f"{Card.__module__}.", "")
        raise InvalidBlueprint(f"{_place(error, found, name)}: {said}") from None
    if is_empty:
        raise InvalidBlueprint(f"{found.prompts / (name + ENDING)}: comes to nothing")


def _place(error: Exception, found: BlueprintFolder, name: str) -> str:
    """The file and line of the innermost template that an error comes from."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(ENDING)]
    asked = _file(frames[-1].filename if frames else None, found, name)
    return f"{asked}, line {frames[-1].lineno}" if frames else asked


def _file(filename: str | None, found: BlueprintFolder, name: str) -> str:
    """The file that an error stands in, behind the template that takes it in."""
    asked = str(found.prompts / (name + ENDING))
    return asked if filename in (None, asked) else f"{asked}: {filename}"
