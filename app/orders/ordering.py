"""Ordering a book from a form: its fields become a brief, a bill is confirmed by its hash before anything is paid."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bookwright.app.confirming import check_confirmed, hash_of
from bookwright.app.estimates.rehearsal import BookEstimate
from bookwright.app.orders.briefs import given
from bookwright.app.orders.outlines import outlined
from bookwright.app.orders.samples import check_sample
from bookwright.models.brief import Brief, make_brief
from bookwright.models.errors import InvalidBrief
from bookwright.storage.files.blueprints import folders

_TEXTS = ("premise", "title", "pen_name", "genre", "style", "style_sample", "audience", "ending", "language", "profile")
_WHOLE = ("length", "seed", "candidates")


def brief_of(fields: Mapping[str, str], home: Path) -> Brief:
    """Make a brief of a form's fields; what is empty has its default.

    Raises:
        InvalidBrief: No book can be written from it.
    """
    said = {name: value.strip() for name, value in fields.items() if value.strip()}
    values: dict[str, Any] = {name: said[name] for name in _TEXTS if name in said}
    values |= {name: _whole(name, said[name]) for name in _WHOLE if name in said}
    if "usd" in said:
        values["budget"] = {"usd": said["usd"]}
    if "model" in said:
        values["models"] = {"default": said["model"]}
    if "blueprint" in said:
        values["blueprint"] = _known_blueprint(said["blueprint"], home)
    values["gates"] = [name.removeprefix("gate_") for name in said if name.startswith("gate_")]
    brief: Brief = make_brief(outlined(values, said["outline"]) if "outline" in said else values)
    if brief.style_sample:
        check_sample(brief.style_sample, brief.language)
    return brief


def blueprint_names(home: Path) -> list[str]:
    """Return what blueprints are called that a book can be written by."""
    return [folder.name for folder in folders(home)]


def bill_hash(brief: Brief, estimate: BookEstimate) -> str:
    """Return what stands for an order with its bill: another order or another price has another one."""
    return hash_of(given(brief), asdict(estimate.total))


def check_bill(brief: Brief, estimate: BookEstimate, confirmed: str) -> None:
    """Make sure that an order is the one whose bill was confirmed.

    Raises:
        InvalidInput: It is another, or costs something else by now.
    """
    check_confirmed(bill_hash(brief, estimate), confirmed, "The order")


def _known_blueprint(name: str, home: Path) -> str:
    """A page names a blueprint and never a folder."""
    if name.partition(":")[0] not in blueprint_names(home):
        raise InvalidBrief(f"There is no blueprint {name!r}.")
    return name


def _whole(name: str, value: str) -> int:
    digits = value.replace(",", "").replace(" ", "").replace("\u202f", "")
    if not digits.isdecimal() or len(digits) > 12:
        raise InvalidBrief(f"The {name} is a whole number, not {value[:40]!r}.")
    return int(digits)
