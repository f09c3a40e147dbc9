"""What the pages say: in English as it stands in the templates, in Chinese by a table; names of activities; errors.

An error is told as an author needs it: what is wrong in words, and the way out as a button in place of a command.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bookwright.models.errors import (
    BookHeld,
    BookNotFound,
    BookwrightError,
    DatabaseBusy,
    DatabaseUnreachable,
    EditConflict,
    GateDecided,
    GateNotFound,
    InvalidInput,
    MissingKey,
    NodeNotFound,
    StorageError,
    UnknownModel,
)

LANGUAGES = {"en": "English", "zh": "中文"}
COOKIE = "studio_language"
_FIELD = re.compile(r"\\\{(\w+)\\\}")
_ENDS = re.compile(r"(.+?[.;])\s+")
_FOLDER = Path(__file__).parent / "texts"

DOING = {
    "recall": "Recalling what {unit} rests on",
    "condense": "Making what is long short enough to keep in mind",
    "plan": "Planning {unit}",
    "judge": "Weighing the plan of {unit}",
    "decompose": "Taking a large question apart",
    "execute": "Working out {unit}",
    "aggregate": "Putting what was worked out together",
    "decide": "Deciding how {unit} goes on",
    "divide": "Laying out what comes next in {unit}",
    "brief": "Telling the writer what {unit} needs",
    "write": "Writing {unit}",
    "close": "Looking back on {unit}",
    "review": "Reading {unit} with fresh eyes",
    "maintain": "Bringing the memory of the story up to date",
    "publish": "Finding title and blurb",
}
"""What an activity is called while it goes on."""

_DONE = {
    "recall": "recalled", "condense": "made shorter", "plan": "planned", "judge": "weighed", "decompose": "taken apart",
    "execute": "worked out", "aggregate": "put together", "decide": "decided", "divide": "laid out",
    "brief": "told to the writer", "write": "written", "close": "looked back on", "review": "read afresh",
    "maintain": "kept in memory", "publish": "titled", "ask": "asked by you",
}  # fmt: skip

_KINDS = {
    "prose": "the text", "writers_brief": "what its writer is told", "write_plan": "the plan of its text",
    "book_design": "the design of the book", "global_state": "the state of the story", "style_guide": "the style",
    "quality": "its scores", "leak_review": "the review of its secrets", "consistency": "the check for contradictions",
    "retelling": "what a reader retold", "candidates": "its drafts",
}  # fmt: skip

_VERB = re.compile(r"`bookwright (\w+)")
_COMMAND = re.compile(r"`(?!#)(?:bookwright )?[^`]*`|(?<!\w)--[a-z]{2}")

_PAGES = {
    "brief": ("Change the order", "/brief"), "secrets": ("To the codex", "/codex"), "codex": ("To the codex", "/codex"),
    "foreshadowing": ("To the threads", "/threads"), "refresh": ("What is stale", "/stale"),
    "stale": ("What is stale", "/stale"), "sync": ("What was changed in the folder", "/folder"),
    "vault": ("What was changed in the folder", "/folder"), "log": ("To the journal", "/journal"),
    "read": ("Read", "/read"), "export": ("Exports", "/exports"), "status": ("To the book", ""),
}  # fmt: skip
"""Where a page does what a verb of the terminal does."""


class Speaker:
    """Says texts in one language; what the table lacks is said in English."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._table = table(language)

    def __call__(self, english: str, **values: Any) -> str:
        """Say a text with its values put in: `say("{count} books", count=3)`; or what the engine has said."""
        told = self._table.get(english)
        if told is None:
            return english.format(**values) if values else self._of_engine(english)
        return told.format(**values) if values else told

    def _of_engine(self, english: str) -> str:
        """Say a message as a whole, or sentence by sentence; what the table does not know stays as it is."""
        whole = self._matched(english)
        if whole is not None or not messages(self.language):
            return whole or english
        return _ENDS.sub(self._piece, english + " ").strip()

    def _piece(self, found: re.Match[str]) -> str:
        told = self._matched(found[1].rstrip(";"))
        return f"{told}。" if told else found[0]

    def _matched(self, english: str) -> str | None:
        bare = english.strip().rstrip(".")
        for pattern, told in messages(self.language):
            if found := pattern.fullmatch(bare):
                return told.format(**found.groupdict())
        return None


@cache
def table(language: str) -> Mapping[str, str]:
    """Return the texts of a language by the English ones; of English those that are more than they are called by."""
    file = _FOLDER / f"{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


@cache
def messages(language: str) -> list[tuple[re.Pattern[str], str]]:
    """Return what the engine says as patterns, each with what is said for it; none for English."""
    told = table(f"{language}_messages")
    return [(re.compile(_FIELD.sub(r"(?P<\1>[^;]+?)", re.escape(english))), said) for english, said in told.items()]


def language_of(chosen: str | None, accepted: str) -> str:
    """Return the language to speak: the one chosen, else the first that the browser asks for and that there is."""
    if chosen in LANGUAGES:
        return str(chosen)
    wanted = (part.split(";")[0].strip()[:2].lower() for part in accepted.split(","))
    return next((language for language in wanted if language in LANGUAGES), "en")


def doing_words(activity: str) -> str:
    """Return what an activity is called while it goes on; `{unit}` stands for what it is about."""
    return DOING.get(activity, "Working on {unit}")


def done_words(activity: str) -> str:
    """Return what an activity of the journal is called."""
    return _DONE.get(activity, activity)


def kind_words(kind: str) -> str:
    """Return what a kind of document is called."""
    return _KINDS.get(kind, kind.replace("_", " "))


@dataclass(frozen=True)
class Remedy:
    """A way out: a page to go to, or something to have done."""

    label: str
    link: str = ""
    post: str = ""


def status_of(error: BookwrightError) -> int:
    """Return what the answer is called in HTTP."""
    if isinstance(error, (BookNotFound, NodeNotFound)):
        return 404
    if isinstance(error, (BookHeld, EditConflict, GateDecided)):
        return 409
    if isinstance(error, InvalidInput):
        return 422
    return 503 if isinstance(error, StorageError) else 500


def in_words(message: str) -> str:
    """Leave out what of a message tells of commands: a page has buttons for that."""
    pieces = re.split(r"(?<=[;.])\s+", " ".join(message.split()))
    kept = [piece for piece in pieces if not _COMMAND.search(piece)]
    told = " ".join(kept).rstrip(";").strip()
    return told or _COMMAND.sub("", message).strip()


def remedy_of(error: BookwrightError, book: str, here: str = "") -> Remedy | None:
    """Return the way out of an error on the page at the address `here`; None where the words say all."""
    if isinstance(error, BookHeld) and book:
        return Remedy("Ask it to pause", post=f"/books/{book}/pause")
    if isinstance(error, (MissingKey, UnknownModel)):
        return Remedy("How to set a model and its key", link="/help#models")
    if isinstance(error, BookNotFound):
        return Remedy("To the shelf", link="/")
    if isinstance(error, NodeNotFound) and book:
        return Remedy("To the book", link=f"/books/{book}")
    if isinstance(error, (GateDecided, GateNotFound)):
        return Remedy("To the inbox", link="/inbox")
    if here and isinstance(error, (EditConflict, DatabaseBusy, DatabaseUnreachable)):
        return Remedy("Look at it again", link=here)
    return remedy_in(str(error), book)


def remedy_in(message: str, book: str) -> Remedy | None:
    """Return as a page to go to what a message would have a person type; None where it names nothing of that kind."""
    if "API key" in message:
        return Remedy("How to set a model and its key", link="/help#models")
    verbs = _VERB.findall(message) if book else []
    return next((Remedy(_PAGES[verb][0], f"/books/{book}{_PAGES[verb][1]}") for verb in verbs if verb in _PAGES), None)
