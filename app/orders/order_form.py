"""The order of a book as a form: a new one with its bill, and changes of one, shown before they are saved."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bookwright.app.access import OpenBook
from bookwright.app.changes.editing import SavedEdit, save_or_queue
from bookwright.app.estimates.bill import Confirmable
from bookwright.app.estimates.rehearsal import BookEstimate
from bookwright.app.orders.briefs import changed_brief, check_sample, given, outlined, whole_number
from bookwright.flows.library import check_models
from bookwright.models.brief import Brief, make_brief
from bookwright.models.edit import BriefEdit
from bookwright.models.errors import InvalidBrief
from bookwright.storage.files.blueprints import folders

LONG = ("premise", "style", "ending")
FIELDS = ("premise", "title", "pen_name", "genre", "style", "audience", "ending", "length", "usd")

_TEXTS = ("premise", "title", "pen_name", "genre", "style", "style_sample", "audience", "ending", "language", "profile")
_WHOLE = ("length", "seed", "candidates")
_KEYS = {*_TEXTS, *_WHOLE, "usd", "model", "blueprint", "outline"}


@dataclass(frozen=True)
class OrderBill(Confirmable):
    """An order with what it would take."""

    subject = "The order"

    brief: Brief
    estimate: BookEstimate
    book: str = ""
    """The book that is to be gone on with behind its end, by as much as is estimated; empty for a new one."""
    written: int = 0
    """How long that book was: once it is gone on with, the bill is used up."""

    def shown(self) -> tuple[object, ...]:
        """Return the order and its bill."""
        return given(self.brief), asdict(self.estimate.total), self.book, self.written


def brief_of(fields: Mapping[str, str], home: Path) -> Brief:
    """Make a brief of a form's fields; what is empty has its default.

    Raises:
        InvalidBrief: No book can be written from it.
    """
    said = {name: value.strip() for name, value in fields.items() if value.strip()}
    values: dict[str, Any] = {name: said[name] for name in _TEXTS if name in said}
    values |= {name: whole_number(name, said[name]) for name in _WHOLE if name in said}
    if "usd" in said:
        values["budget"] = {"usd": said["usd"].strip("$ ")}
    if "model" in said:
        values["models"] = {"default": said["model"]}
    if "blueprint" in said:
        if said["blueprint"].partition(":")[0] not in blueprint_names(home):  # a page names none by its folder
            raise InvalidBrief(f"There is no blueprint {said['blueprint']!r}.")
        values["blueprint"] = said["blueprint"]
    values["gates"] = [name.removeprefix("gate_") for name in said if name.startswith("gate_")]
    brief: Brief = make_brief(outlined(values, said["outline"]) if "outline" in said else values)
    if brief.style_sample:
        check_sample(brief.style_sample, brief.language)
    return brief


def brief_of_order(order: Mapping[str, str], home: Path) -> Brief:
    """Make a brief of what an assistant gives, which no form held to its keys; raises `InvalidBrief`."""
    if unknown := [name for name in order if name not in _KEYS and not name.startswith("gate_")]:
        raise InvalidBrief(f"an order has no {unknown[0]!r}; it has {', '.join(sorted(_KEYS))} and gate_KIND.")
    return brief_of(order, home)


def blueprint_names(home: Path) -> list[str]:
    """Return what blueprints are called that a book can be written by."""
    return [folder.name for folder in folders(home)]


def brief_values(brief: Brief) -> dict[str, str]:
    """Return what the form shows of a brief."""
    usd = brief.budget.usd
    return {name: str(getattr(brief, name)) for name in FIELDS if name != "usd"} | {
        "usd": "" if usd is None else f"{usd:g}"
    }


def brief_changes(brief: Brief, fields: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Return which fields of a form read otherwise than the brief, each with how it reads there and in the form.

    Raises:
        InvalidBrief: No book could be written from it.
    """
    now, wanted = brief_values(brief), brief_values(_wanted(brief, fields))
    return [(name, now[name], wanted[name]) for name in FIELDS if now[name] != wanted[name]]


def save_brief(opened: OpenBook, fields: Mapping[str, str], seen: str, after: int | None = None) -> SavedEdit:
    """Change the order of a book, at once or between two steps of whoever writes it.

    `after` is the last change that the author has seen; this one replaces it where it waits still.

    Raises:
        EditConflict: It was changed since it was shown; nothing was saved.
        InvalidBrief: It cannot be so, or not any more; nothing was changed.
    """
    with opened.storage.read() as stores:
        brief = stores.books.get(opened.book.id).brief
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
        changes["budget"] = {"usd": changes.pop("usd").strip("$ ") or None}
    return changed_brief(brief, changes)
