"""Ordering a book from a form: its fields become a brief, a bill is confirmed by its hash before anything is paid."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bookwright.app.confirming import Confirmable
from bookwright.app.estimates.rehearsal import BookEstimate
from bookwright.app.orders.briefs import given, whole_number
from bookwright.app.orders.outlines import outlined
from bookwright.app.orders.samples import check_sample
from bookwright.models.brief import Brief, make_brief
from bookwright.models.errors import InvalidBrief
from bookwright.storage.files.blueprints import folders

_TEXTS = ("premise", "title", "pen_name", "genre", "style", "style_sample", "audience", "ending", "language", "profile")
_WHOLE = ("length", "seed", "candidates")


@dataclass(frozen=True)
class OrderBill(Confirmable):
    """An order with what it would take."""

    subject = "The order"

    brief: Brief
    estimate: BookEstimate

    def shown(self) -> tuple[object, ...]:
        """Return the order and its bill."""
        return given(self.brief), asdict(self.estimate.total)


def brief_of(fields: Mapping[str, str], home: Path) -> Brief:
    """Make a brief of a form's fields; what is empty has its default.

    Raises:
        InvalidBrief: No book can be written from it.
    """
    said = {name: value.strip() for name, value in fields.items() if value.strip()}
    values: dict[str, Any] = {name: said[name] for name in _TEXTS if name in said}
    values |= {name: whole_number(name, said[name]) for name in _WHOLE if name in said}
    if "usd" in said:
        values["budget"] = {"usd": said["usd"]}
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


def blueprint_names(home: Path) -> list[str]:
    """Return what blueprints are called that a book can be written by."""
    return [folder.name for folder in folders(home)]
