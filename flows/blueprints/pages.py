"""Pages of a blueprint's members: written by a model, entry by entry where there are any, or made by code."""

from dataclasses import replace
from functools import partial

from bookwright.agents.blueprints.page_reading import planned_name
from bookwright.agents.blueprints.pages import page_text
from bookwright.agents.blueprints.snapshot import BookSnapshot
from bookwright.agents.blueprints.steps import namer, page_workflow, search_workflow
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import Workflow, aggregator
from bookwright.flows.activities.execute import execute as execute_unaided
from bookwright.flows.activities.execute import found_document
from bookwright.flows.activities.outcomes import as_move, both, finish_task, name_book
from bookwright.flows.activities.plan import parts
from bookwright.flows.activities.prompt_sizes import cut_to_tokens
from bookwright.flows.activities.unit_facts import begin_activity, unit_card, unit_of
from bookwright.flows.blueprints.members import (
    PartOf,
    add_parts,
    entries_wanted,
    entry_length,
    folder_of,
    gather,
    member_of,
    page_length,
    part_of,
)
from bookwright.flows.deps import Deps
from bookwright.models.blueprint import PROSE, Member, MemberKind
from bookwright.models.codex.entries import folded
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.step import Activity
from bookwright.models.tree.plan import PlanNode, PlanOutput, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.prompts.card import Card
from bookwright.prompts.render import render_problem
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

_PARTS_SHARE = 0.8
"""Of the room of a designer's prompt, for the entries that an overview is made of."""

_NEEDS_PEOPLE = ("cast_index",)


def write_page(node: TaskNode, deps: Deps) -> None:
    """Write the page of a member or of one of its entries; a member without a prompt goes the walk's usual way."""
    member = member_of(node, deps)
    if not member.prompt:
        execute_unaided(node, deps)
        return
    run = _begin(Activity.EXECUTE, node, "designer" if node.task_type is TaskType.DESIGN else "researcher", deps)
    workflow = _workflow(node, member, deps)
    run.run_all(workflow, lambda text: _left(text, workflow, run, deps))


def name_entries(node: TaskNode, deps: Deps) -> None:
    """Have the entries of a member named, each of which becomes a task of its own."""
    member = member_of(node, deps)
    assert member.entries is not None  # only such a member is cut up
    run = _begin(Activity.DECOMPOSE, node, "planner", deps)
    least, most = entries_wanted(member, deps)
    run.card = replace(run.card, entries_least=least, entries_most=most, word_allowance=entry_length(member, deps))

    def add_entries(answer: PlanOutput, stores: Stores, step: int) -> None:
        add_parts(node, _entries(answer, most), PartOf.ENTRY.value, stores)

    def check(answer: PlanOutput) -> str:
        given = len(_entries(answer, most))
        return "" if given >= least else render_problem("too_few_entries", deps.desk.locale, given=given, least=least)

    run.run(namer(member.prompt, folder_of(deps).prompts), as_move(add_entries), check=check)


def write_overview(node: TaskNode, deps: Deps) -> None:
    """Make one short page of a member's entries, each shown as far as the room goes."""
    run = _begin(Activity.AGGREGATE, node, "designer", deps)
    with deps.stores() as stores:
        below = stores.documents.of_nodes([part.key for part in parts(node, deps)], DocumentKind.DESIGN)
    room = deps.profile.context_budget["designer"] * _PARTS_SHARE / max(len(below), 1)
    for part in below:
        run.add("part", cut_to_tokens(part.text, room, deps))
        run.rests_on(part.id)

    def concluded(text: str) -> Move:
        return finish_task(NewDocument(node=node.key, kind=DocumentKind.DESIGN, text=text), run, deps)

    run.run(aggregator(node.task_type), concluded)


def _begin(activity: Activity, node: TaskNode, context: str, deps: Deps) -> ActivityRun:
    return begin_activity(activity, node, deps, context, page_card(node, deps), next_activity="execute")


def page_card(node: TaskNode, deps: Deps) -> Card:
    """Return the card of a member's task."""
    return replace(unit_card(unit_of(node, deps), deps, node), word_allowance=page_length(node, deps))


def _workflow(node: TaskNode, member: Member, deps: Deps) -> Workflow:
    folder, profile = folder_of(deps).prompts, deps.profile.name
    if part_of(node) is PartOf.ENTRY and member.entries:
        return page_workflow(member.entries.prompt, folder, profile)
    if member.kind is MemberKind.SEARCH:
        return search_workflow(member.prompt, folder, profile)
    return page_workflow(member.prompt, folder, profile)


def _left(text: str, workflow: Workflow, run: ActivityRun, deps: Deps) -> Move:
    left = finish_task(found_document(text, workflow, run, deps), run, deps)
    title = planned_name(text).title if member_of(run.node, deps).names_book and not deps.brief.title else ""
    return both(left, partial(name_book, title)) if title else left


def _entries(answer: PlanOutput, most: int) -> list[PlanNode]:
    """The entries that were named, none twice, each with a name to look it up by."""
    named: dict[str, PlanNode] = {}
    for task in answer.sub_tasks:
        title = " ".join((task.title or task.goal[:60]).split())
        entry = task.model_copy(update={"task_type": TaskType.DESIGN, "title": title, "length": None, "sub_tasks": ()})
        named.setdefault(folded(title), entry)
    return list(named.values())[:most]


def make_page(node: TaskNode, deps: Deps) -> None:
    """Make a page of what is there, in a move of its own; one that would read as it does is left as it is."""
    member = member_of(node, deps)
    snapshot = _of(member, gather(deps, with_people=member.page in _NEEDS_PEOPLE))
    text = page_text(member.page, snapshot, is_spoiler=member.tells_end)
    written = (page.document for page in snapshot.pages if not page.is_made)  # of other made pages it has the titles
    inputs = (*written, *(chapter.document for chapter in snapshot.chapters))
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
        tasks = [task for task in stores.nodes.design_tasks(book.key) if task.stage]
    for task in tasks:
        if task.status is NodeStatus.DONE and is_made_by_code(task, deps):
            make_page(task, deps)


def is_made_by_code(node: TaskNode, deps: Deps) -> bool:
    """True for a page that no model writes."""
    return bool(node.stage) and deps.blueprint is not None and member_of(node, deps).kind is MemberKind.PAGE


def _of(member: Member, snapshot: BookSnapshot) -> BookSnapshot:
    """Keep of the book what a page is about; all of it where the blueprint does not say."""
    if not member.of:
        return snapshot
    pages = tuple(page for page in snapshot.pages if page.member in member.of)
    is_of_prose = PROSE in member.of or any(page.is_made for page in pages) or bool(snapshot.register)
    return replace(snapshot, pages=pages, chapters=snapshot.chapters if is_of_prose else ())
