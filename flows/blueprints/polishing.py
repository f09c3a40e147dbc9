"""Polishing the written book: a model goes through some of its texts once more, and changes wording, never events.

What readers have to find is kept letter for letter, nothing is given away, and no text leaves its length. How many
texts are gone through is bounded, so that a long book costs no more than one of that many.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bookwright.agents.blueprints.steps import polisher
from bookwright.agents.blueprints.wording import word
from bookwright.agents.relay.secrets.reviewing import is_rejected, review_by_code
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.exports.vault.names import brief_locale
from bookwright.flows.activities.prose.acceptance import exchange
from bookwright.flows.activities.prose.brief import guard_of
from bookwright.flows.activities.surroundings import allowed_lengths, kept_in, measured, prose_parts, unit_card
from bookwright.flows.blueprints.members import folder_of, member_of
from bookwright.flows.deps import Deps
from bookwright.models.codex.entries import TellingType
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.text.changes import Changes, repaired
from bookwright.models.text.prose import numbered_sentences
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

_MOST_TEXTS = {ProfileName.STANDARD: 6, ProfileName.FINE: 12}
"""Texts that are gone through, by profile; in the others nobody is asked."""
_ROUND = 1
"""Of the steps at the texts; what wrote them has the round before it."""


@dataclass
class _Polish:
    """What is held while texts are polished."""

    node: TaskNode
    deps: Deps
    kept: tuple[str, ...]
    """Words that stay letter for letter where they stand."""
    changed: list[TaskNode] = field(default_factory=list)


def polish(node: TaskNode, deps: Deps) -> None:
    """Go through the opening, the ending and texts between them, and leave a page that says which were changed."""
    with deps.stores() as stores:
        book, kept = stores.nodes.root(), _words_of_clues(stores)
    found = _Polish(node, deps, kept)
    parts = _chosen(prose_parts(book, deps), _MOST_TEXTS.get(deps.profile.name, 0))
    for part, text in parts:
        if not _is_by_hand(part, deps):
            _go_through(part, text, found)
    page = _page(len(parts), found.changed, deps)
    new = NewDocument(node=node.key, kind=DocumentKind.DESIGN, text=page)

    def move(stores: Stores, step: int) -> None:
        stores.documents.add(new, None)
        stores.nodes.change(node.key, status=NodeStatus.DONE.value)

    deps.desk.journal.move(move)


def _chosen(parts: Sequence[tuple[TaskNode, str]], most: int) -> list[tuple[TaskNode, str]]:
    """The first text, the last, and others evenly between them."""
    if most < 2 or len(parts) <= most:
        return list(parts[:most] if most < 2 else parts)
    places = sorted({round(place * (len(parts) - 1) / (most - 1)) for place in range(most)})
    return [parts[place] for place in places]


def _go_through(part: TaskNode, text: str, polishing: _Polish) -> None:
    deps, member = polishing.deps, member_of(polishing.node, polishing.deps)
    card = measured(unit_card(part, deps), text, part, deps)
    limits = allowed_lengths(part, card.is_last, deps)
    card = replace(card, low_length=limits.low, high_length=limits.high)
    run = ActivityRun(
        deps.desk, Activity.WRITE, part, part, card, context="write_plan", round_=_ROUND, next_activity="execute",
        guard=guard_of(part, deps),
    )  # fmt: skip
    run.lead_with("text", numbered_sentences(text))
    agent = polisher(member.prompt, folder_of(deps).prompts)
    secrets = kept_in(part, deps)
    if run.failures(agent.name) > deps.desk.settings.max_repairs:
        return

    def tells(words: str) -> bool:
        return is_rejected(review_by_code(words, secrets, deps.brief.language, deps.embedder))

    def polished(answer: Changes) -> Move | None:
        wanted = list(answer.changes)
        new = repaired(text, wanted, limits, deps.brief.language, tells)
        while wanted and (tells(new) or _loses(text, new, polishing.kept)):
            wanted.pop()
            new = repaired(text, wanted, limits, deps.brief.language, tells)
        return None if new == text else exchange(new, part, deps, DocumentOrigin.REPAIR)

    try:
        made = run.run(agent, polished)
    except (NoResult, RequestRejected):
        return  # the text stands as it was; the attempts are on record
    with deps.stores() as stores:
        prose = stores.documents.current(part.key, DocumentKind.PROSE, with_text=False)
    if prose is not None and prose.step == made.step:
        polishing.changed.append(part)


def _loses(old: str, new: str, kept: Sequence[str]) -> bool:
    """True if words that readers have to find stood there and stand there no more."""
    return any(words in old and words not in new for words in kept)


def _words_of_clues(stores: Stores) -> tuple[str, ...]:
    """The words in which threads and secrets are shown, planned ones and those that are on record."""
    threads, secrets = stores.codex.threads(), stores.codex.secrets()
    planned = (words for own in threads for words in own.ai_visibility.allowed_expressions)
    shown = (event.expression for own in threads for event in own.timeline.events)
    told = (event.expression for own in secrets for event in own.events if event.type is TellingType.TOLD)
    return tuple(dict.fromkeys(words for words in (*planned, *shown, *told) if words))


def _is_by_hand(part: TaskNode, deps: Deps) -> bool:
    with deps.stores() as stores:
        prose = stores.documents.current(part.key, DocumentKind.PROSE, with_text=False)
    return prose is None or prose.origin.is_by_hand


def _page(read: int, changed: Sequence[TaskNode], deps: Deps) -> str:
    locale = brief_locale(deps.brief)
    if not read:
        return word("not_polished", locale)
    lines = [f"- {part.label} {part.title}".rstrip() for part in changed]
    return "\n".join([word("polished", locale, read=read, changed=len(changed)), *([""] if lines else []), *lines])
