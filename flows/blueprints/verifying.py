"""Verification after the reviews: code checks again, a model looks at the findings, a verdict is kept."""

from bookwright.agents.blueprints.checks import checked
from bookwright.agents.blueprints.steps import verifier
from bookwright.agents.workflows import evaluates
from bookwright.flows.activities.portions import cut_to_tokens
from bookwright.flows.blueprints.gathering import gather
from bookwright.flows.blueprints.members import folder_of, member_of
from bookwright.flows.blueprints.reviewing import ReviewedDocument, begin_reading, keep_report
from bookwright.flows.deps import Deps
from bookwright.flows.revision.revise import chosen
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidInput, NodeNotFound
from bookwright.models.faults import (
    BlueprintReport,
    CheckResult,
    Fault,
    Verification,
    verdict_of,
    worst_first,
)
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

_DOCUMENTS_SHARE = 0.7
"""Of what an evaluator may read, for the documents that were to change."""

_MOST_SHOWN = 30
"""Faults that one call can be asked about; the rest stays open."""


def verify(node: TaskNode, deps: Deps) -> None:
    """Look again at all that the reviews before it have found, and keep the verdict."""
    before = _found_before(node, deps)
    results = checked(folder_of(deps).plan.checks, gather(deps))
    by_model = _said_by_models(before)
    asked = by_model[:_MOST_SHOWN]
    if not asked or not evaluates(deps.profile.name):
        deps.desk.journal.move(_move(node, before, results, by_model, None, deps))
        return
    run = begin_reading(node, deps)
    for number, fault in enumerate(asked, 1):
        run.add("finding", f"{number}. [{fault.label}] {fault.fault}\n{fault.order}")
    reads = _documents(asked, deps)
    room = deps.profile.context_budget["evaluator"] * _DOCUMENTS_SHARE / max(len(reads), 1)
    for read in reads:
        run.add("document", cut_to_tokens(read.shown, room, deps))

    def concluded(answer: Verification) -> Move:
        mended = {point.number for point in answer.points if point.is_mended}
        left = {point.number: point.left for point in answer.points}
        still = [_open(fault, left.get(number, "")) for number, fault in enumerate(asked, 1) if number not in mended]
        return _move(node, before, results, (*still, *by_model[_MOST_SHOWN:]), answer.assessment, deps)

    run.run(verifier(member_of(node, deps).prompt, folder_of(deps).prompts), concluded)


def _move(
    node: TaskNode, before: tuple[BlueprintReport, ...], results: tuple[CheckResult, ...], left: tuple[Fault, ...],
    assessment: str | None, deps: Deps,
) -> Move:  # fmt: skip
    """The move that keeps the verdict; with no assessment nobody but code has looked."""
    still = worst_first((*(fault for result in results for fault in result.faults), *left))
    report = BlueprintReport(
        checks=results, faults=worst_first(tuple(fault for own in before for fault in own.faults)), open=still,
        verdict=verdict_of(still, results), assessment=assessment or "",
        was_read=any(own.was_read for own in before),
    )  # fmt: skip

    def move(stores: Stores, step: int) -> None:
        keep_report(node, report, deps, stores, step)
        stores.nodes.change(node.key, status=NodeStatus.DONE.value)

    return move


def _found_before(node: TaskNode, deps: Deps) -> tuple[BlueprintReport, ...]:
    names = {member.name for member in folder_of(deps).plan.reviews_of(member_of(node, deps))}
    with deps.stores() as stores:
        tasks = stores.nodes.children(node.unit or node.key, TaskType.DESIGN)
        kept = stores.documents.of_nodes([task.key for task in tasks if task.member in names], DocumentKind.REPORT)
        return tuple(BlueprintReport.model_validate_json(stores.documents.data_of(own)) for own in kept)


def _said_by_models(before: tuple[BlueprintReport, ...]) -> tuple[Fault, ...]:
    """What code has not found itself: of that it only has to look again."""
    by_code = {fault for report in before for result in report.checks for fault in result.faults}
    return tuple(fault for report in before for fault in report.faults if fault not in by_code)


def _documents(faults: tuple[Fault, ...], deps: Deps) -> list[ReviewedDocument]:
    reads = []
    with deps.stores() as stores:
        for label in dict.fromkeys(fault.label for fault in faults):
            try:
                node = stores.nodes.by_label(label)
                reads.append(ReviewedDocument(node, chosen(stores, node, None)))
            except (NodeNotFound, InvalidInput):
                continue
    return reads


def _open(fault: Fault, left: str) -> Fault:
    return fault.model_copy(update={"order": left}) if left else fault
