"""Reads from the database what checks and code-made pages look at."""

from collections.abc import Iterator
from dataclasses import replace

from bookwright.agents.blueprints.ground import BookGround, ChapterSeen, PageSeen
from bookwright.agents.relay.leaks.folding import fold
from bookwright.agents.relay.leaks.keywords import find_keyword
from bookwright.exports.vault.names import brief_locale
from bookwright.flows.activities.unit_facts import prose_below
from bookwright.flows.blueprints.members import PartOf, member_of, page_length, part_of
from bookwright.flows.deps import Deps
from bookwright.models.blueprint import MemberKind
from bookwright.models.codex.entries import EntryKind
from bookwright.models.codex.extraction import ConsistencyReport
from bookwright.models.document import Document, DocumentKind, Findings
from bookwright.models.story.register import Register
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_unverified
from bookwright.storage.stores import Stores

_BY_CODE = (MemberKind.PAGE, MemberKind.POLISH)
_PAGES = (DocumentKind.DESIGN, DocumentKind.FINDINGS)


def gather(deps: Deps, *, with_people: bool = False) -> BookGround:
    """Return the book as code can see it; who stands in which chapter is looked for only where it is asked."""
    with deps.stores() as stores:
        root = stores.nodes.root()
        chapters = tuple(_chapters(stores))
        people = {own.name: own.names for own in stores.codex.entries() if own.kind is EntryKind.CHARACTER}
        ground = BookGround(
            title=stores.books.get(root.book).title or deps.brief.title,
            language=deps.brief.language,
            premise=deps.brief.premise,
            pages=tuple(_pages(root, stores, deps)),
            chapters=chapters,
            register=register_of(stores),
            threads={thread.id: thread for thread in stores.codex.threads()},
            reading=stores.codex.reading_order(),
            people=dict.fromkeys(people, ()), aliases=people, own_locale=brief_locale(deps.brief),
        )  # fmt: skip
        return replace(ground, people=_people(ground, stores) if with_people else {})


def register_of(stores: Stores) -> Register | None:
    """Return what the book's registers lay down together; None where it has none."""
    found = []
    for task in stores.nodes.children(stores.nodes.root().key, TaskType.DESIGN):
        document = stores.documents.current(task.key, DocumentKind.REGISTER) if task.stage else None
        if document is not None:
            found.append(Register.model_validate_json(stores.documents.data_of(document)))
    if len(found) < 2:
        return found[0] if found else None
    secrets = tuple(own for register in found for own in register.secrets)
    return Register.model_construct(
        secrets=secrets, threads=tuple(own for register in found for own in register.threads)
    )


def is_of_this_end(document: Document, stores: Stores) -> bool:
    """True for a document that is newer than the book's end; one that is older tells of a book that was shorter.

    The end came when its last page was first summed up: what a refresh makes anew there ends no other book.
    """
    last = stores.nodes.root()
    while (below := stores.nodes.last_unit(last.key)) is not None:
        last = below
    ends = stores.documents.versions(last.key, DocumentKind.SUMMARY)
    return not ends or document.id > ends[0].id


def documents_of_pages(root: TaskNode, stores: Stores) -> Iterator[tuple[TaskNode, Document]]:
    """Yield the tasks of members that have a page, with its document, in reading order."""
    tasks = [task for task in stores.nodes.children(root.key) if task.stage]
    below = {task.key: [part for part in stores.nodes.children(task.key) if part.stage] for task in tasks}
    pages = [page for task in tasks for page in (task, *below[task.key])]
    found = {document.node: document for document in stores.documents.of_nodes([page.key for page in pages], *_PAGES)}
    for page in pages:
        if page.key in found and part_of(page) is not PartOf.FIX:
            yield page, found[page.key]


def _pages(root: TaskNode, stores: Stores, deps: Deps) -> Iterator[PageSeen]:
    unverified = render_unverified(deps.brief.language.english_name)
    for node, document in documents_of_pages(root, stores):
        member = member_of(node, deps)
        data = stores.documents.data_of(document)
        yield PageSeen(
            label=node.label, title=node.title, text=document.text.removeprefix(unverified).lstrip(),
            length=document.length, member=member.name,
            stage=node.stage_title, document=document.id, is_entry=part_of(node) is PartOf.ENTRY,
            is_findings=document.kind is DocumentKind.FINDINGS, is_made=member.kind in _BY_CODE,
            is_spoiler=member.tells_end, asked=page_length(node, deps) if deps.makes_designs else 0,
            sources=len(Findings.model_validate_json(data).sources) if data else 0,
        )  # fmt: skip


def _chapters(stores: Stores) -> Iterator[ChapterSeen]:
    root = stores.nodes.root()
    for number, label in enumerate(stores.codex.reading_order().chapters, 1):
        node = stores.nodes.by_label(label)
        kept = {own.kind: own for own in stores.documents.of_nodes(
            [node.key], DocumentKind.PROSE, DocumentKind.SUMMARY, DocumentKind.CONSISTENCY
        )}  # fmt: skip
        told = kept.get(DocumentKind.PROSE) or kept.get(DocumentKind.SUMMARY)
        report = kept.get(DocumentKind.CONSISTENCY)
        data = stores.documents.data_of(report) if report else ""
        if told is not None:
            above = stores.nodes.get(node.parent) if node.parent else root
            yield ChapterSeen(
                number, label, node.title, node.written, node.length or 0, told.id,
                part="" if above.key == root.key else above.title,
                was_read=bool(data) and bool(ConsistencyReport.model_validate_json(data).results),
            )  # fmt: skip


def _people(ground: BookGround, stores: Stores) -> dict[str, tuple[int, ...]]:
    """Who stands in which chapter: the people of the codex, and those who have a page and are none of them."""
    pages = {page.title: (page.title,) for page in ground.pages if page.is_entry and not ground.knows(page.title)}
    wanted = {**ground.aliases, **pages}
    found: dict[str, list[int]] = {name: [] for name in wanted}
    for chapter in ground.chapters:
        text = fold("\n".join(text for _, text in prose_below(stores.nodes.by_label(chapter.label), stores)))
        for name, names in wanted.items():
            if any(True for own in names for _ in find_keyword(text, own)):
                found[name].append(chapter.number)
    return {name: tuple(numbers) for name, numbers in found.items()}
