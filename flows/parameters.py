"""Checks the parameters of a flow run. They come from strangers: none may name a path or a host of the worker."""

import json
import re
from typing import Any
from urllib.parse import urlsplit

from bookwright.flows.library import book_id
from bookwright.flows.webhook import allowed
from bookwright.models.book import is_book_id
from bookwright.models.brief import Brief, make_brief, parse_brief
from bookwright.models.errors import BookwrightError, InvalidBrief, InvalidInput
from bookwright.models.settings import Settings

MAX_BYTES = 512 * 1024
"""Of a brief as JSON; Prefect takes no longer parameters either."""

MAX_WORDS_TODAY = 10_000_000
_UNTIL = re.compile(r"([a-z]{1,20}[: ])?[1-9][0-9]{0,6}|1(\.[1-9][0-9]{0,8}){1,12}", re.ASCII)
_MODEL = re.compile(r"[a-z0-9-]{1,40}(:[A-Za-z0-9][\w.:/@+-]{0,199})?", re.ASCII)
_BLUEPRINT = re.compile(r"[\w-]{1,100}(:[\w-]{1,100})?")
_FILES = "embedded"
"""The provider whose models may be files, where a terminal names one."""


def read_brief(brief: dict[str, Any] | str | None) -> Brief:
    """Make a brief of a parameter; raise `InvalidBrief` if there is none, or it is too large or no brief for a book."""
    if not brief:
        raise InvalidBrief("neither a brief nor a book is given")
    size = len(brief.encode("utf-8", "replace") if isinstance(brief, str) else json.dumps(brief))
    if size > MAX_BYTES:
        raise InvalidBrief(f"the brief has {size:,} bytes; as a parameter it may have {MAX_BYTES:,}")
    made: Brief = parse_brief(brief) if isinstance(brief, str) else make_brief(brief)
    if made.blueprint and not _BLUEPRINT.fullmatch(made.blueprint):  # a place on the worker's disk
        raise InvalidBrief(f"blueprint in the brief: a worker takes one by its name, not {made.blueprint[:60]!r}")
    for model in made.models.values():
        _check_model(model)
    return made


def book_of(parameters: dict[str, Any]) -> str:
    """Return the id of the book that a run's parameters mean; empty where they mean none, as the run itself says."""
    try:
        return str(parameters.get("book") or book_id(read_brief(parameters.get("brief"))))
    except BookwrightError:
        return ""


def check_options(book: str | None, until: str | None, words_today: int | None, model: str | None) -> None:
    """Raise `InvalidInput` unless what stands beside a brief is a name or a number, and none without bound."""
    if book is not None and not is_book_id(book):
        raise InvalidInput(f"book is {book[:60]!r}, which no book is called")
    if until is not None and not _UNTIL.fullmatch(until):
        raise InvalidInput(
            f"--until is {until[:60]!r}; name a chapter (chapter 9, or 9), a label (1.16), or so many units of a "
            "level, such as scene:12"
        )
    if words_today is not None and words_today > MAX_WORDS_TODAY:
        raise InvalidInput(f"--words-today is {words_today}; it may be at most {MAX_WORDS_TODAY:,}")
    if model is not None:
        _check_model(model)


def check_webhook(brief: Brief, settings: Settings) -> None:
    """Raise `InvalidBrief` if a brief that came by the API tells somebody whom the server's owner has not named."""
    if brief.webhook and not allowed(brief.webhook, settings.webhook_hosts):
        host = urlsplit(brief.webhook).hostname
        raise InvalidBrief(
            f"webhook in the brief: workers tell nobody at {host!r} unless config.toml allows it: "
            f'webhook_hosts = ["{host}"]'
        )


def _check_model(model: str) -> None:
    provider, _, name = model.partition(":")
    is_place = ".." in name or "//" in name or (provider == _FILES and "/" in name)
    if is_place or not _MODEL.fullmatch(model):
        raise InvalidInput(f"a worker takes a model by its name, provider:model, not {model[:60]!r}")
