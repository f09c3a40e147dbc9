"""Polishing the written book: a model goes through some of its texts once more, and changes wording, never events.

What readers have to find is kept letter for letter, nothing is given away, and no text leaves its length. How many
texts are gone through is bounded, so that a long book costs no more than one of that many.
"""

from collections.abc import Sequence

from bookwright.agents.agent import Agent
from bookwright.agents.blueprints.steps import polisher
from bookwright.agents.blueprints.wording import word
from bookwright.exports.vault.names import brief_locale
from bookwright.flows.activities.outcomes import both, close_node, keep_document, replace_prose, try_step
from bookwright.flows.activities.prose.repairing import begin_rewording, is_by_hand
from bookwright.flows.activities.unit_facts import prose_parts
from bookwright.flows.blueprints.members import folder_of, member_of
from bookwright.flows.deps import Deps
from bookwright.models.codex.entries import TellingType
from bookwright.models.document import DocumentKind
from bookwright.models.profile import ProfileName
from bookwright.models.text.changes import Changes
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

_MOST_TEXTS = {ProfileName.STANDARD: 6, ProfileName.FINE: 12}
"""Texts that are gone through, by profile; in the others nobody is asked."""


def polish(node: TaskNode, deps: Deps) -> None:
    """Go through the opening, the ending and texts between them, and leave a page that says which were changed."""
    with deps.stores() as stores:
        book, kept = stores.nodes.root(), _words_of_clues(stores)
    agent = polisher(member_of(node, deps).prompt, folder_of(deps).prompts)
    parts = _chosen(prose_parts(book, deps), _MOST_TEXTS.get(deps.profile.name, 0))
    texts = ((part, text) for part, text in parts if not is_by_hand(part, deps))
    changed = [part for part, text in texts if _is_changed(part, text, agent, kept, deps)]
    page = keep_document(node, DocumentKind.DESIGN, _page(len(parts), changed, deps))
    deps.desk.journal.move(both(page, close_node(node)))


def _chosen(parts: Sequence[tuple[TaskNode, str]], most: int) -> list[tuple[TaskNode, str]]:
    """The first text, the last, and others evenly between them."""
    if most < 2 or len(parts) <= most:
        return list(parts[:most] if most < 2 else parts)
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
