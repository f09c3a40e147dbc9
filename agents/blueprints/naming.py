"""The title and the description that a planner's page gives the book, read off its headings."""

from dataclasses import dataclass

from bookwright.agents.blueprints.wording import HEADING, is_heading
from bookwright.models.blueprint import Blueprint
from bookwright.models.document import DocumentKind
from bookwright.storage.stores import Stores

_TITLE, _DESCRIPTION = 120, 2_000
_MARKS = " \t*_`\"'“”‘’«»「」『』《》〈〉"


@dataclass(frozen=True)
class PlannedName:
    """What a book is to be called, and what may be told of it to anybody; empty where its page says neither."""

    title: str = ""
    description: str = ""


def planned_name(page: str) -> PlannedName:
    """Return what stands under the headings of the title and of the description, in the first place of each."""
    _, *pieces = HEADING.split(page)
    found: dict[str, str] = {}
    for heading, below in zip(pieces[::2], pieces[1::2], strict=True):
        name = next((name for name in ("title", "description") if is_heading(heading.strip(_MARKS), name)), "")
        if name:
            found.setdefault(name, below.strip())
    title = next(iter(found.get("title", "").splitlines()), "").strip(_MARKS)
    return PlannedName(title if len(title) <= _TITLE else "", found.get("description", "")[:_DESCRIPTION])


def kept_name(stores: Stores, plan: Blueprint) -> PlannedName:
    """Return the name that the page holds which is to name the book; empty while there is none."""
    namers = {member.name for member in plan.members if member.names_book}
    tasks = [task.key for task in stores.nodes.children(stores.nodes.root().key) if task.member in namers]
    pages = stores.documents.of_nodes(tasks, DocumentKind.DESIGN)
    return planned_name(pages[0].text) if pages else PlannedName()
