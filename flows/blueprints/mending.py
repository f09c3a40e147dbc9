"""After a review: mending what it found, then looking at all of it again and keeping a verdict. At the end, polishing.

Who polishes goes through some texts of the written book once more, and changes wording, never events. What readers
have to find is kept letter for letter, nothing is given away, and no text leaves its length. How many texts are gone
through is bounded, so that a long book costs no more than one of that many.
"""

from collections.abc import Sequence

from bookwright.agents.agent import Agent
from bookwright.agents.blueprints.checks import checked
from bookwright.agents.blueprints.steps import POLISHER, VERIFIER, for_member
from bookwright.agents.blueprints.wording import word
from bookwright.agents.workflows import evaluates
from bookwright.exports.vault.names import brief_locale
from bookwright.flows.activities.extract import extract_again
from bookwright.flows.activities.outcomes import both, close_node, keep_document, replace_prose, try_step
from bookwright.flows.activities.prompt_sizes import cut_to_tokens
from bookwright.flows.activities.prose.repairing import begin_rewording, is_by_hand
from bookwright.flows.activities.unit_facts import prose_parts, stands_for_chapter
from bookwright.flows.blueprints.members import folder_of, gather, member_of, target_of
from bookwright.flows.blueprints.reviewing import ReviewedDocument, begin_reading, report_move
from bookwright.flows.deps import Deps
from bookwright.flows.revision.amend import Amendment, amend
from bookwright.flows.revision.revise import chosen
from bookwright.models.codex.entries import TellingType
from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.errors import InvalidInput, NodeNotFound, NoResult, RequestRejected
from bookwright.models.faults import BlueprintReport, CheckResult, Fault, Verification, verdict_of, worst_first
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.text.changes import Changes
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

_DOCUMENTS_SHARE = 0.7
"""Of what an evaluator may read, for the documents that were to change."""

_MOST_SHOWN = 30
"""Faults that one call can be asked about; the rest stays open."""

_MOST_TEXTS = {ProfileName.STANDARD: 6, ProfileName.FINE: 12}
"""Texts that are gone through, by profile; in the others nobody is asked."""


def mend(fix: TaskNode, deps: Deps) -> None:
    """Have a document changed as a review ordered; where no answer will do it stays, and the verification tells.

    The new version carries the order, so that a walk that was interrupted behind it does not change it again.
    """
    order = "\n".join(fix.instructions)
    try:
        target, old = _target(fix, deps)
        if old.note != order or not _is_newer_than_report(old, fix, deps):
            amend(target, old, Amendment(order, DocumentOrigin.NOTE), deps)
        if old.kind is DocumentKind.PROSE:
            chapter = _chapter_of(target, deps)
            deps.observer.run(Activity.REVIEW, chapter, lambda: extract_again(chapter, deps))
    except (NodeNotFound, InvalidInput, NoResult, RequestRejected):
        pass  # gone meanwhile, nothing that its writer may hear of, or no answer: what is open the verification tells
    deps.desk.journal.move(close_node(fix))


def _target(fix: TaskNode, deps: Deps) -> tuple[TaskNode, Document]:
    """Return what is to be mended; of a unit that is in parts, its last one."""
    with deps.stores() as stores:
        target = stores.nodes.by_label(target_of(fix))
        while parts := stores.nodes.child_units(target.key):
            target = parts[-1]
        return target, chosen(stores, target, None)


def _is_newer_than_report(document: Document, fix: TaskNode, deps: Deps) -> bool:
    """True for a version that came after the report that orders it; an older one was ordered the same once before."""
    assert fix.parent is not None  # a review made it
    report = deps.document(deps.storage.node(fix.parent), DocumentKind.REPORT, with_text=False)
    return report is None or document.id > report.id


def _chapter_of(leaf: TaskNode, deps: Deps) -> TaskNode:
    """Return the chapter that a unit lies in, or what stands in a chapter's place."""
    return next((unit for unit in (leaf, *deps.storage.above(leaf)) if stands_for_chapter(unit, deps)), leaf)


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
        left = {point.number: {"order": point.left} for point in answer.points if point.left}
        open_ = [(number, fault) for number, fault in enumerate(asked, 1) if number not in mended]
        still = [fault.model_copy(update=left.get(number)) for number, fault in open_]
        return _move(node, before, results, (*still, *by_model[_MOST_SHOWN:]), answer.assessment, deps)

    run.run(for_member(VERIFIER, member_of(node, deps).prompt, folder_of(deps).prompts), concluded)


def _move(
    node: TaskNode, before: tuple[BlueprintReport, ...], results: tuple[CheckResult, ...], left: tuple[Fault, ...],
    assessment: str | None, deps: Deps,
) -> Move:  # fmt: skip
    """The move that keeps the verdict; with no assessment nobody but code has looked."""
    still = worst_first((*(fault for result in results for fault in result.faults), *left))
    report = BlueprintReport(
        checks=results, faults=worst_first(tuple(fault for own in before for fault in own.faults)), open=still,
        verdict=verdict_of(still, results), assessment=assessment or "", was_read=any(own.was_read for own in before),
    )  # fmt: skip

    return both(report_move(node, report, deps), close_node(node))


def _found_before(node: TaskNode, deps: Deps) -> tuple[BlueprintReport, ...]:
    names = {member.name for member in folder_of(deps).plan.reviews_of(member_of(node, deps))}
    with deps.stores() as stores:
        tasks = stores.nodes.design_tasks(node.unit or node.key)
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


def polish(node: TaskNode, deps: Deps) -> None:
    """Go through the opening, the ending and texts between them, and leave a page that says which were changed."""
    with deps.stores() as stores:
        book, kept = stores.nodes.root(), _words_of_clues(stores)
    agent = for_member(POLISHER, member_of(node, deps).prompt, folder_of(deps).prompts)
    parts = _chosen(prose_parts(book, deps), _MOST_TEXTS.get(deps.profile.name, 0))
    texts = ((part, text) for part, text in parts if not is_by_hand(part, deps))
    changed = [part for part, text in texts if _is_changed(part, text, agent, kept, deps)]
    page = keep_document(node, DocumentKind.DESIGN, _page(len(parts), changed, deps))
    deps.desk.journal.move(both(page, close_node(node)))


def _chosen(parts: Sequence[tuple[TaskNode, str]], most: int) -> list[tuple[TaskNode, str]]:
    """The first text, the last, and others evenly between them."""
    if most < 2 or len(parts) <= most:
        return list(parts[:most])
    places = sorted({round(place * (len(parts) - 1) / (most - 1)) for place in range(most)})
    return [parts[place] for place in places]


def _is_changed(part: TaskNode, text: str, agent: Agent, kept: Sequence[str], deps: Deps) -> bool:
    """Have a text gone through, and tell whether it reads otherwise now; `kept` words stay letter for letter."""
    rewording = begin_rewording(part, text, "execute", deps)

    def polished(answer: Changes) -> Move | None:
        wanted = list(answer.changes)
        new = rewording.applied(wanted)
        while wanted and (rewording.gives_away(new) or any(words in text and words not in new for words in kept)):
            wanted.pop()
            new = rewording.applied(wanted)
        return None if new == text else replace_prose(new, part, deps)

    made = try_step(rewording.run, agent, polished)
    prose = deps.document(part, DocumentKind.PROSE, with_text=False)
    return made is not None and prose is not None and prose.step == made.step


def _words_of_clues(stores: Stores) -> tuple[str, ...]:
    """The words in which threads and secrets are shown, planned ones and those that are on record."""
    threads, secrets = stores.codex.threads(), stores.codex.secrets()
    planned = (words for own in threads for words in own.ai_visibility.allowed_expressions)
    shown = (event.expression for own in threads for event in own.timeline.events)
    told = (event.expression for own in secrets for event in own.events if event.type is TellingType.TOLD)
    return tuple(dict.fromkeys(words for words in (*planned, *shown, *told) if words))


def _page(read: int, changed: Sequence[TaskNode], deps: Deps) -> str:
    locale = brief_locale(deps.brief)
    if not read:
        return word("not_polished", locale)
    lines = [f"- {part.label} {part.title}".rstrip() for part in changed]
    return "\n".join([word("polished", locale, read=read, changed=len(changed)), *([""] if lines else []), *lines])
