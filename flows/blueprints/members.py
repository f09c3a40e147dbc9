"""The members of a blueprint: which a task belongs to, how long its pages are to be, and what stands on them by now."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum

from bookwright.agents.blueprints.snapshot import BookSnapshot, ChapterSeen, PageSeen
from bookwright.agents.relay.leaks.folding import fold
from bookwright.agents.relay.leaks.keywords import find_keyword
from bookwright.exports.vault.names import brief_locale
from bookwright.flows.activities.unit_facts import design_allowance
from bookwright.flows.blueprints.unit_plans import in_units
from bookwright.flows.deps import Deps
from bookwright.models.blueprint import Member, MemberKind
from bookwright.models.codex.entries import EntryKind
from bookwright.models.codex.extraction import ConsistencyReport
from bookwright.models.document import Document, DocumentKind, Findings
from bookwright.models.errors import InvalidBlueprint
from bookwright.models.story.register import Register
from bookwright.models.tree.decision import Verdict
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_unverified
from bookwright.storage.files.blueprints import BlueprintFolder
from bookwright.storage.stores import Stores

_OVERVIEW_SHARE = 0.1
"""Of a member's length, for the page that introduces its entries."""

_SHORTEST, _LONGEST = 0.6, 1.6
"""How far a member's length may be from its own share, however much those before it have missed."""

_LEAST_PAGE = 40
"""Words below which a page says nothing, however short its book is."""

_BY_CODE = (MemberKind.PAGE, MemberKind.POLISH)
_PAGES = (DocumentKind.DESIGN, DocumentKind.FINDINGS)


class PartOf(StrEnum):
    """What a task is of its member."""

    WHOLE = ""
    ENTRY = "entry"
    FIX = "fix"


def folder_of(deps: Deps) -> BlueprintFolder:
    """Return the book's blueprint; raise `InvalidBlueprint` if its brief names none any more."""
    if deps.blueprint is None:
        raise InvalidBlueprint(
            "the book was begun with a blueprint and its brief names none now; "
            "`bookwright brief BOOK --set blueprint=...` names it again"
        )
    return deps.blueprint


def member_of(node: TaskNode, deps: Deps) -> Member:
    """Return the member that a task belongs to; raise `InvalidBlueprint` if the blueprint has it no longer."""
    found = folder_of(deps).plan.member(node.member)
    if found is None:
        raise InvalidBlueprint(
            f"the book was begun with a member {node.member!r} (node {node.label}), which the blueprint "
            f"{folder_of(deps).plan.name!r} no longer has; put it back, or name the blueprint that has it"
        )
    return found


def part_of(node: TaskNode) -> PartOf:
    """Return what a task is of its member."""
    return PartOf("/".join(node.stage.split("/")[2:3]))


def add_parts(node: TaskNode, parts: list[PlanNode], part: str, stores: Stores) -> None:
    """Make parts of a member's task tasks of their own; `part` says what they are, as `stage` has it."""
    stores.nodes.add(
        node, parts, unit=node.unit, level=Level.BOOK.value, length=None, planning_round=node.planning_round,
        verdict=Verdict.ATOM.value, stage=f"{node.stage}/{part}", stage_title=node.stage_title, folder=node.folder,
    )  # fmt: skip


def target_of(fix: TaskNode) -> str:
    """Return the label of the node whose document a task is to mend."""
    return fix.stage.split("/")[3]


def page_length(node: TaskNode, deps: Deps) -> int:
    """Return how long a task's page is to be, in the book's unit of length."""
    member = member_of(node, deps)
    if not deps.makes_designs:
        return design_allowance(deps.storage.node(node.unit or node.key), deps)
    room = member_length(member, deps)
    if part_of(node) is PartOf.ENTRY:
        assert node.parent is not None  # an entry hangs below its member
        with deps.stores() as stores:
            count = len(stores.nodes.children(node.parent))
        room = round(room * (1 - _OVERVIEW_SHARE) / max(count, 1))
    elif member.entries is not None and not deps.profile.is_small:
        room = round(room * _OVERVIEW_SHARE)
    return max(room, in_units(_LEAST_PAGE, deps))


def member_length(member: Member, deps: Deps) -> int:
    """Return how long a member is to be, with its entries: its share of what the members before it have left."""
    members = folder_of(deps).plan.members
    before = members[: members.index(member)]
    usual = deps.brief.length * member.share / _shares(members)
    left = deps.brief.length - _length_of(before, deps)
    fair = left * member.share / max(_shares(members) - _shares(before), member.share)
    return round(min(max(fair, usual * _SHORTEST), usual * _LONGEST))


def _length_of(members: Sequence[Member], deps: Deps) -> int:
    """Return how long the pages of some members are that stand by now."""
    names = {member.name for member in members if member.is_written}
    with deps.stores() as stores:
        tasks = [task.key for task in stores.nodes.children(stores.nodes.root().key) if task.member in names]
        entries = [entry.key for task in tasks for entry in stores.nodes.children(task)]
        return sum(page.length for page in stores.documents.of_nodes([*tasks, *entries], *_PAGES))


def entries_wanted(member: Member, deps: Deps) -> tuple[int, int]:
    """Return how few and how many entries a member may name: no more than its length has room for."""
    assert member.entries is not None  # asked of no other
    least, most = member.entries.least, member.entries.most
    if deps.makes_designs:
        shortest = in_units(member.entries.words[0], deps)
        most = min(most, max(member_length(member, deps) // shortest, 1))
    return min(least, most), max(most, 1)


def entry_length(member: Member, deps: Deps) -> int:
    """Return about how long an entry is going to be, before anybody has said how many there are."""
    if not deps.makes_designs:
        with deps.stores() as stores:
            return design_allowance(stores.nodes.root(), deps)
    least, most = entries_wanted(member, deps)
    room = member_length(member, deps) * (1 - _OVERVIEW_SHARE)
    return max(round(room / ((least + most) / 2)), in_units(_LEAST_PAGE, deps))


def _shares(members: Sequence[Member]) -> float:
    return sum(member.share for member in members if member.is_written)


def gather(deps: Deps, *, with_people: bool = False) -> BookSnapshot:
    """Return the book as code can see it; who stands in which chapter is looked for only where it is asked."""
    with deps.stores() as stores:
        root = stores.nodes.root()
        chapters = tuple(_chapters(stores))
        people = {own.name: own.names for own in stores.codex.entries() if own.kind is EntryKind.CHARACTER}
        snapshot = BookSnapshot(
            title=stores.books.get(root.book).title or deps.brief.title,
            language=deps.brief.language, premise=deps.brief.premise,
            pages=tuple(_pages(root, stores, deps)),
            chapters=chapters,
            register=register_of(stores),
            threads={thread.id: thread for thread in stores.codex.threads()},
            reading=stores.codex.reading_order(),
            people=dict.fromkeys(people, ()), aliases=people, own_locale=brief_locale(deps.brief),
        )  # fmt: skip
        return replace(snapshot, people=_people(snapshot, stores) if with_people else {})


def register_of(stores: Stores) -> Register | None:
    """Return what the book's registers lay down together; None where it has none."""
    found = []
    for task in stores.nodes.design_tasks(stores.nodes.root().key):
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
    found = list(documents_of_pages(root, stores))
    alike = {(node.parent, node.stage): node for node, _ in found if deps.makes_designs}
    asked = {key: page_length(node, deps) for key, node in alike.items()}
    for node, document in found:
        member = member_of(node, deps)
        data = stores.documents.data_of(document)
        yield PageSeen(
            label=node.label, title=node.title, text=document.text.removeprefix(unverified).lstrip(),
            length=document.length, member=member.name, stage=node.stage_title, document=document.id,
            is_entry=part_of(node) is PartOf.ENTRY, is_findings=document.kind is DocumentKind.FINDINGS,
            is_made=member.kind in _BY_CODE, is_spoiler=member.tells_end, asked=asked.get((node.parent, node.stage), 0),
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
        data = stores.documents.data_of(kept.get(DocumentKind.CONSISTENCY))
        if told is not None:
            above = stores.nodes.get(node.parent) if node.parent else root
            yield ChapterSeen(
                number, label, node.title, node.written, node.length or 0, told.id,
                part="" if above.key == root.key else above.title,
                was_read=bool(data) and bool(ConsistencyReport.model_validate_json(data).results),
            )  # fmt: skip


def _people(snapshot: BookSnapshot, stores: Stores) -> dict[str, tuple[int, ...]]:
    """Who stands in which chapter: the people of the codex, and those who have a page and are none of them."""
    pages = {page.title: (page.title,) for page in snapshot.pages if page.is_entry and not snapshot.knows(page.title)}
    wanted = {**snapshot.aliases, **pages}
    found: dict[str, list[int]] = {name: [] for name in wanted}
    for chapter in snapshot.chapters:
        text = fold(stores.prose_of(stores.nodes.by_label(chapter.label)))
        for name, names in wanted.items():
            if any(True for own in names for _ in find_keyword(text, own)):
                found[name].append(chapter.number)
    return {name: tuple(numbers) for name, numbers in found.items()}
