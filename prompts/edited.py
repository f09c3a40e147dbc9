"""A template that a person edited, in the place of the one that ships: its source to begin with, and its rendering."""

import traceback
from pathlib import Path

from jinja2 import (
    ChoiceLoader,
    FunctionLoader,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    UndefinedError,
    meta,
)

from bookwright.models.errors import InvalidTemplate
from bookwright.prompts.card import Card
from bookwright.prompts.templates import ENDING, environment, source_in

_FAULTS = (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)
"""What an expression in a template may raise; there is nothing else that runs."""


def source_of(path: str, locale: str, folder: Path | None = None) -> tuple[str, Path]:
    """Return a template's text as a prompt language sees it, and the file it stands in.

    `folder` holds the templates of the book's blueprint, if it has one.

    Raises:
        InvalidTemplate: This version has no such template.
    """
    try:
        text, file = source_in(environment(locale, folder), f"{path}{ENDING}")
    except TemplateNotFound:
        raise InvalidTemplate(f"this version has no template {path!r}") from None
    return text, Path(file)


def takes_in(path: str, locale: str, folder: Path | None = None) -> list[str]:
    """Return the templates that one extends, includes or imports, by path."""
    found = meta.find_referenced_templates(environment(locale, folder).parse(source_of(path, locale, folder)[0]))
    return sorted({name.removesuffix(ENDING) for name in found if name is not None})


def render_edited(file: Path, stands_for: str, path: str, card: Card, locale: str, folder: Path | None = None) -> str:
    """Render what `prompts.render` renders for a path, with a file in the place of that template or of one it takes in.

    All other templates are found as always, the overlay's before the English ones.

    Raises:
        InvalidTemplate: The file cannot be read, is no template, or names what no card holds.
    """
    text, name = _read(file), f"{stands_for}{ENDING}"
    own = FunctionLoader(lambda wanted: (text, str(file), None) if wanted == name else None)
    shipped = environment(locale, folder)
    assert shipped.loader is not None  # all of `environment` have one
    jinja = shipped.overlay(loader=ChoiceLoader([own, shipped.loader]))
    try:
        return jinja.get_template(f"{path}{ENDING}").render(vars(card)).strip()
    except TemplateSyntaxError as error:
        raise InvalidTemplate(f"{error.filename}, line {error.lineno}: {error.message}") from None
    except RecursionError:
        raise InvalidTemplate(f"{file}: it extends or includes {stands_for!r}, and so itself") from None
    except TemplateNotFound as error:
        raise InvalidTemplate(f"{_place(error, file)}: there is no template {error.name!r} to take in") from None
    except UndefinedError as error:
        said = str(error).replace(f"{Card.__module__}.", "")
        raise InvalidTemplate(f"{_place(error, file)}: {said}; no card holds it") from None
    except _FAULTS as error:
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
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_template(frame.filename, file)]
    return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else str(file)


def _is_template(filename: str, file: Path) -> bool:
    return filename == str(file) or filename.endswith(ENDING)
