"""Looking through a book: by code, and by a model that may change nothing. Each fault becomes a task.

Source: C-23.
"""

from collections.abc import Iterable, Set
from dataclasses import dataclass, replace
from functools import partial

from bookwright.agents.blueprints.checks import checked
from bookwright.agents.blueprints.pages import report_text
from bookwright.agents.blueprints.steps import REVIEWER, for_member
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.steps.answers import Artefact
from bookwright.agents.workflows import evaluates
from bookwright.exports.vault.names import brief_locale
from bookwright.flows.activities.outcomes import keep_document
from bookwright.flows.activities.prompt_sizes import batches_of, cut_to_tokens
from bookwright.flows.activities.unit_facts import begin_activity, unit_card, unit_of
from bookwright.flows.blueprints.members import (
    PartOf,
    add_parts,
    documents_of_pages,
    folder_of,
    gather,
    is_of_this_end,
    member_of,
)
from bookwright.flows.deps import Deps
from bookwright.models.blueprint import PROSE, Member, MemberKind
from bookwright.models.document import Document, DocumentKind
from bookwright.models.faults import BlueprintReport, CheckResult, Fault, FoundFaults, worst_first
from bookwright.models.step import Activity
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

MOST_FIXES = 12
"""Documents that one review may have mended; the rest is told and left."""

MOST_FINDINGS = 8
"""Faults that one batch of documents may be given."""

_BATCH_SHARE, _REGISTER_SHARE = 0.7, 0.15
"""Of what an evaluator may read: the documents of one batch, and before them what was laid down."""

_GOAL = 1_000


@dataclass(frozen=True)
class ReviewedDocument:
    """A document as a reviewer sees it."""

    node: TaskNode
    document: Document

    @property
    def shown(self) -> str:
        """Its text under the label by which a finding names it."""
        return f"[{self.node.label}] {self.node.title}\n\n{self.document.text}"


def review(node: TaskNode, deps: Deps) -> None:
    """Look through what a review is about, keep what was found, and make a task of each document to be mended."""
    with deps.stores() as stores:
        kept = stores.documents.current(node.key, DocumentKind.REPORT, with_text=False)
        if kept is not None and is_of_this_end(kept, stores):
            return  # it was kept in the move that made the tasks; nothing was to be mended
    member = member_of(node, deps)
    results = checked(folder_of(deps).plan.checks, gather(deps))
    by_code = tuple(fault for result in results for fault in result.faults)
    batches = reading_batches(documents_about(member, deps), deps) if evaluates(deps.profile.name) else []
    if not batches:
        deps.desk.journal.move(partial(_keep, node, results, by_code, False, deps))
        return
    run = begin_reading(node, deps)
    agent = for_member(REVIEWER, member.prompt, folder_of(deps).prompts)
    laid_down, found = tuple(run.artefacts), by_code
    for number, batch in enumerate(batches, 1):
        shown = (cut_to_tokens(read.shown, _room(deps), deps) for read in batch)
        run.artefacts = [*laid_down, *(Artefact("document", text) for text in shown)]
        labels, is_last = {read.node.label for read in batch}, number == len(batches)
        keep = partial(_kept, node, results, found, labels, deps) if is_last else None
        step, next_step = f"{agent.name}.{number}", "" if is_last else agent.name
        answer = run.run(agent, keep, step=step, next_step=next_step).value
        found = (*found, *_meant(answer, labels))


def _kept(
    node: TaskNode, results: tuple[CheckResult, ...], before: tuple[Fault, ...], labels: Set[str], deps: Deps,
    last: FoundFaults,
) -> Move:  # fmt: skip
    """The move that keeps all that was found, after the last batch."""
    return partial(_keep, node, results, (*before, *_meant(last, labels)), True, deps)


def begin_reading(node: TaskNode, deps: Deps) -> ActivityRun:
    """Sit down to read documents: nothing but them, and what was laid down, stands before the step."""
    unit = unit_of(node, deps)
    card = replace(unit_card(unit, deps, node), max_findings=MOST_FINDINGS)
    run = begin_activity(Activity.REVIEW, node, deps, "evaluator", card, next_activity="execute")
    with deps.stores() as stores:
        tasks = stores.nodes.design_tasks(unit.key)
        kept = stores.documents.of_nodes([task.key for task in tasks], DocumentKind.REGISTER)
    for register in kept:
        room = deps.profile.context_budget["evaluator"] * _REGISTER_SHARE / len(kept)
        run.add("register", cut_to_tokens(register.text, room, deps))
    return run


def documents_about(member: Member, deps: Deps) -> list[ReviewedDocument]:
    """Return the documents that a review is about, in reading order: pages that were written, and prose."""
    with deps.stores() as stores:
        root = stores.nodes.root()
        pages = [ReviewedDocument(node, document) for node, document in documents_of_pages(root, stores)]
        written = [read for read in pages if _is_about(read.node, member, deps)]
        if member.of and PROSE not in member.of:
            return written
        leaves = list(stores.nodes.leaves())
        prose = {own.node: own for own in stores.documents.of_nodes([leaf.key for leaf in leaves], DocumentKind.PROSE)}
    return [*written, *(ReviewedDocument(leaf, prose[leaf.key]) for leaf in leaves if leaf.key in prose)]


def reading_batches(reads: Iterable[ReviewedDocument], deps: Deps) -> list[list[ReviewedDocument]]:
    """Cut documents into batches that an evaluator has room for, in order."""
    room = _room(deps)
    return batches_of(reads, lambda read: min(deps.desk.count_tokens(read.shown), room), room)


def _room(deps: Deps) -> float:
    return deps.profile.context_budget["evaluator"] * _BATCH_SHARE


def _is_about(node: TaskNode, member: Member, deps: Deps) -> bool:
    own = member_of(node, deps)
    return own.kind in (MemberKind.SEARCH, MemberKind.DESIGN) and (not member.of or own.name in member.of)


def _meant(answer: FoundFaults, labels: Set[str]) -> tuple[Fault, ...]:
    """Keep what names a document that was shown; a label may come in the brackets in which it was shown."""
    named = (fault.model_copy(update={"label": fault.label.strip("[] ")}) for fault in answer.findings)
    return tuple(fault for fault in named if fault.label in labels)[:MOST_FINDINGS]


def _keep(
    node: TaskNode, results: tuple[CheckResult, ...], faults: tuple[Fault, ...], was_read: bool, deps: Deps,
    stores: Stores, step: int,
) -> None:  # fmt: skip
    ordered = worst_first(faults)
    orders = {} if deps.profile.is_small else _orders(ordered, stores)
    report = BlueprintReport(checks=results, faults=ordered, given=tuple(orders), was_read=was_read)
    report_move(node, report, deps)(stores, step)
    for label, (title, wanted) in orders.items():
        fix = PlanNode(
            task_type=TaskType.DESIGN, title=title[:120], goal=" ".join(fault.fault for fault in wanted)[:_GOAL],
            instructions=tuple(fault.order for fault in wanted),
        )  # fmt: skip
        add_parts(node, [fix], f"{PartOf.FIX}/{label}", stores)


def report_move(node: TaskNode, report: BlueprintReport, deps: Deps) -> Move:
    """The move that keeps a report as it is read, with its structure."""
    text = report_text(report, brief_locale(deps.brief))
    return keep_document(node, DocumentKind.REPORT, text, data=report.model_dump_json())


def _orders(faults: Iterable[Fault], stores: Stores) -> dict[str, tuple[str, list[Fault]]]:
    """Sort faults by the document that is to be mended, worst first; no more than a review may have mended."""
    wanted: dict[str, tuple[str, list[Fault]]] = {}
    for fault in faults:
        if fault.label and fault.order and (fault.label in wanted or len(wanted) < MOST_FIXES):
            title = stores.nodes.by_label(fault.label).title
            wanted.setdefault(fault.label, (title, []))[1].append(fault)
    return wanted
