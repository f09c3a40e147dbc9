"""Taking a candidate: its words become the unit's text; what stood stays a version, and what rests on it goes stale."""

from dataclasses import dataclass, replace

from bookwright.agents.relay.secrets.guard import public_at
from bookwright.agents.relay.secrets.kept import kept_at
from bookwright.agents.relay.secrets.reviewing import review_by_code
from bookwright.app.access import OpenBook, at_rest
from bookwright.app.candidates.unit_candidates import UnitCandidates, candidates_at
from bookwright.flows.revision.revise import store_version
from bookwright.models.document import Document, DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.errors import InvalidInput
from bookwright.models.story.candidates import Decided
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.embedding import make_embedder
from bookwright.storage.stores import Stores


@dataclass(frozen=True)
class Taken:
    """What came of taking a candidate."""

    made: Document
    """The new version of the unit's text."""
    told: tuple[str, ...]
    """What the checks of code find that it gives away too early, in its own words: no reviser had it before."""


def take(opened: OpenBook, label: str, number: int) -> Taken:
    """Make a candidate's words the next version of a unit's text, in one transaction.

    Raises:
        BookHeld: A worker writes the book.
        InvalidInput: There is no such candidate, its words stand there already, or the unit has no text yet.
    """
    with at_rest(opened.storage) as stores:
        unit = stores.nodes.by_label(label)
        sight = candidates_at(unit, stores)
        candidate = sight.candidate(number)
        prose = _standing(sight, number, stores)
        if prose.text.strip() == candidate.text.strip():
            raise InvalidInput(f"the text of {unit.name} reads as candidate {number} already")
        new = NewDocument(
            node=unit.key, kind=DocumentKind.PROSE, text=candidate.text, base=prose.version,
            inputs=tuple(stores.documents.inputs_of(sight.document.id)), origin=DocumentOrigin.CANDIDATE,
            codex=stores.codex_uses.of(sight.document.id), note=f"candidate {number}",
        )  # fmt: skip
        made = store_version(stores, unit, prose, new, None)
        choice = sight.choice.model_copy(update={"chosen": number, "by": Decided.AUTHOR})
        stores.documents.add(
            NewDocument(
                node=unit.key, kind=DocumentKind.CANDIDATES, text=choice.as_text, data=choice.model_dump_json(),
                inputs=new.inputs, codex=new.codex,
            ),
            None,
        )  # fmt: skip
        return Taken(made, _leaks(opened, unit, candidate.text, stores))


def _standing(sight: UnitCandidates, number: int, stores: Stores) -> Document:
    """Return the text that stands; there is none while the author's choice is waited for."""
    unit = sight.unit
    if sight.gate is not None:
        raise InvalidInput(
            f"the book waits for your choice between them; "
            f"`bookwright approve {unit.book} {sight.gate.id} --candidate {number}` makes it"
        )
    prose = stores.documents.current(unit.key, DocumentKind.PROSE)
    if prose is None:
        raise InvalidInput(f"{unit.name} is being written; a candidate is taken once it has a text")
    return prose


def _leaks(opened: OpenBook, unit: TaskNode, text: str, stores: Stores) -> tuple[str, ...]:
    brief = opened.book.brief
    kept = kept_at(stores.codex, unit.label, brief.forbidden_keywords)
    if not (kept.is_hiding or kept.words):
        return ()
    kept = replace(kept, public=public_at(stores, brief, unit))
    found = review_by_code(text, kept, brief.language, make_embedder(opened.settings))
    return tuple(dict.fromkeys(issue.excerpt for issue in found))
