"""Pages that code makes, and makes again once the documents they list have changed."""

from dataclasses import replace

from bookwright.agents.blueprints.ground import BookGround
from bookwright.agents.blueprints.pages import page_text
from bookwright.flows.blueprints.gathering import gather
from bookwright.flows.blueprints.members import member_of
from bookwright.flows.deps import Deps
from bookwright.models.blueprint import PROSE, Member, MemberKind
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores

_NEEDS_PEOPLE = ("cast_index",)


def make_page(node: TaskNode, deps: Deps) -> None:
    """Make a page of what is there, in a move of its own; one that would read as it does is left as it is."""
    member = member_of(node, deps)
    ground = _of(member, gather(deps, with_people=member.page in _NEEDS_PEOPLE))
    text = page_text(member.page, ground, is_spoiler=member.tells_end)
    written = (page.document for page in ground.pages if not page.is_made)  # of other made pages it has the titles
    inputs = (*written, *(chapter.document for chapter in ground.chapters))
    new = NewDocument(node=node.key, kind=DocumentKind.DESIGN, text=text, inputs=inputs)
    with deps.stores() as stores:
        known = stores.documents.current(node.key, DocumentKind.DESIGN)
        rests_on = stores.documents.inputs_of(known.id) if known else []
    is_as_it_was = known is not None and known.text == text and set(rests_on) == set(inputs)
    if is_as_it_was and node.status is NodeStatus.DONE:
        return

    def move(stores: Stores, step: int) -> None:
        if not is_as_it_was:
            stores.documents.add(new, step)
        stores.nodes.change(node.key, status=NodeStatus.DONE.value)

    deps.desk.journal.move(move)


def renew_pages(book: TaskNode, deps: Deps) -> None:
    """Make anew the pages of a finished book that would read otherwise by now."""
    if deps.blueprint is None:
        return
    with deps.stores() as stores:
        tasks = [task for task in stores.nodes.children(book.key, TaskType.DESIGN) if task.stage]
    for task in tasks:
        if task.status is NodeStatus.DONE and is_made_by_code(task, deps):
            make_page(task, deps)


def is_made_by_code(node: TaskNode, deps: Deps) -> bool:
    """True for a page that no model writes."""
    return bool(node.stage) and deps.blueprint is not None and member_of(node, deps).kind is MemberKind.PAGE


def _of(member: Member, ground: BookGround) -> BookGround:
    """Keep of the book what a page is about; all of it where the blueprint does not say."""
    if not member.of:
        return ground
    pages = tuple(page for page in ground.pages if page.member in member.of)
    is_of_prose = PROSE in member.of or any(page.is_made for page in pages) or bool(ground.register)
    return replace(ground, pages=pages, chapters=ground.chapters if is_of_prose else ())
