"""The order of a book as a form: its changes are shown before they are saved, by the state that was seen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bookwright.app.access import OpenBook
from bookwright.app.changes.editing import SavedEdit, save_or_queue
from bookwright.app.orders.briefs import changed_brief, whole_number
from bookwright.flows.library import check_models
from bookwright.flows.revision.brief_edits import brief_seen
from bookwright.models.brief import Brief
from bookwright.models.edit import BriefEdit
from bookwright.models.errors import EditConflict

LONG = ("premise", "style", "ending")
FIELDS = ("premise", "title", "pen_name", "genre", "style", "audience", "ending", "length", "usd")


@dataclass(frozen=True)
class BriefChange:
    """One field that reads otherwise."""

    field: str
    before: str
    after: str


def brief_values(brief: Brief) -> dict[str, str]:
    """Return what the form shows of a brief."""
    usd = brief.budget.usd
    return {name: str(getattr(brief, name)) for name in FIELDS if name != "usd"} | {
        "usd": "" if usd is None else f"{usd:g}"
    }


def brief_changes(brief: Brief, fields: Mapping[str, str]) -> list[BriefChange]:
    """Return which fields of a form read otherwise than the brief.

    Raises:
        InvalidBrief: No book could be written from it.
    """
    now, wanted = brief_values(brief), brief_values(_wanted(brief, fields))
    return [BriefChange(name, now[name], wanted[name]) for name in FIELDS if now[name] != wanted[name]]


def save_brief(opened: OpenBook, fields: Mapping[str, str], seen: str, after: int | None = None) -> SavedEdit:
    """Change the order of a book, at once or between two steps of whoever writes it.

    `after` is the change that waits and that the author has seen, which this one replaces.

    Raises:
        EditConflict: It was changed since it was shown; nothing was saved.
        InvalidBrief: It cannot be so, or not any more; nothing was changed.
    """
    with opened.storage.read() as stores:
        brief = stores.books.get(opened.book.id).brief
    if brief_seen(brief) != seen:
        raise EditConflict("The order was changed since this page was shown; look at it again.")
    wanted = _wanted(brief, fields)
    check_models(wanted, opened.settings)
    return save_or_queue(opened, BriefEdit(brief=wanted.model_dump(mode="json"), seen=seen), after)


def _wanted(brief: Brief, fields: Mapping[str, str]) -> Brief:
    now = brief_values(brief)
    said = {name: fields[name].replace("\r\n", "\n").strip() for name in FIELDS if name in fields}
    changes: dict[str, Any] = {name: value for name, value in said.items() if value != now[name].strip()}
    if "length" in changes:
        changes["length"] = whole_number("length", changes["length"])
    if "usd" in changes:
        changes["budget"] = {"usd": changes.pop("usd") or None}
    return changed_brief(brief, changes)
