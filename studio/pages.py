"""Pages and pieces of pages: templates with what every one of them shows."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from bookwright.app.wording import duration, moment, money, tokens
from bookwright.exports.markup import clean, to_xhtml
from bookwright.studio.remedies import in_words
from bookwright.studio.state import StudioState
from bookwright.studio.texts import COOKIE, LANGUAGES, Speaker, done_words, kind_words, language_of

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Crumb:
    """Where a page stands: the book it is of, and which of the book's pages it is."""

    book: str = ""
    title: str = ""
    language: str = ""
    """The book's, for fonts and hyphenation."""
    tab: str = ""
    branch: str = ""
    """The name of a branch; empty for a book that is none."""


@dataclass(frozen=True)
class Undo:
    """What takes back what was just done."""

    post: str
    values: Mapping[str, str | int] = field(default_factory=dict)


def go_to(address: str) -> HTMLResponse:
    """Have the browser open another page of the studio."""
    return HTMLResponse("", headers={"HX-Redirect": address})


def is_piece(request: Request) -> bool:
    """Whether a page asks for a piece of itself, and not the browser for the whole."""
    return "hx-request" in request.headers


def page(request: Request, template: str, crumb: Crumb = Crumb(), status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page, or a piece of one, in the language that the person reads."""
    studio: StudioState = request.app.state.studio
    say = speaker(request)
    html = _templates().get_template(template).render(
        say=say, language=say.language, languages=LANGUAGES, token=studio.keys.token, crumb=crumb,
        path=request.url.path, version=_version(), model=studio.settings.model,
        is_embedded=studio.settings.model.startswith("embedded:"), **values,
    )  # fmt: skip
    return HTMLResponse(html, status)


def speaker(request: Request) -> Speaker:
    """Return who says the texts of a page, by the person's choice or their browser's."""
    return Speaker(language_of(request.cookies.get(COOKIE), request.headers.get("accept-language", "")))


def ago(seconds: float) -> float:
    """Return how long since a moment, in seconds."""
    return max(time.time() - seconds, 0.0)


def _prose(paragraph: str) -> Markup:
    return Markup(to_xhtml(paragraph))  # it escapes what it is given


@cache
def _templates() -> Environment:
    """Return the templates; every value is escaped unless it is markup of our own making."""
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {
        "money": money, "moment": moment, "tokens": tokens, "duration": duration, "prose": _prose, "clean": clean,
        "kind": kind_words, "done": done_words, "in_words": in_words,
        "count": lambda number: f"{number:,}", "percent": lambda share: f"{share:.0%}", "svg": Markup,
    }  # fmt: skip
    return environment


@cache
def _version() -> str:
    """Return what changes with the static files, so that browsers ask for new ones."""
    files = (_HERE / "static").rglob("*")
    return f"{max(int(file.stat().st_mtime) for file in files):x}"
