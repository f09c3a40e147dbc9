"""A unit's candidates, and which of them is its text."""

from dataclasses import dataclass
from typing import Any

from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.errors import InvalidInput
from bookwright.models.gate import Gate, GateKind
from bookwright.models.story.candidates import CandidateChoice, CandidateDraft
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores


@dataclass(frozen=True)
class UnitCandidates:
    """A unit with its candidates."""

    unit: TaskNode
    document: Document
    """In which they are kept."""
    choice: CandidateChoice
    taken: int
    """Which of them stands word for word as the unit's text, since its author took it; 0 for none."""
    gate: Gate | None
    """Where their author's choice is waited for."""

    def candidate(self, number: int) -> CandidateDraft:
        """Return one of them.

        Raises:
            InvalidInput: There is none of that number.
        """
        found = next((one for one in self.choice.candidates if one.number == number), None)
        if found is None:
            there = len(self.choice.candidates)
            raise InvalidInput(f"{self.unit.name} has no candidate {number}; it has 1 to {there}")
        return found

    def facts(self) -> dict[str, Any]:
        """Return it for `--json`; the texts of the drafts are asked for one by one."""
        rows = [
            one.model_dump(mode="json", exclude={"text"}) | {"order": one.angle.told} for one in self.choice.candidates
        ]
        told = self.choice.model_dump(mode="json", include={"preferred", "chosen", "by", "revision", "comparisons"})
        facts = {"node": self.unit.label, "candidates": rows, "summary": self.choice.summary, "taken": self.taken}
        return facts | told | {"gate": self.gate.id if self.gate else None}


def candidates_of(unit: TaskNode, stores: Stores) -> UnitCandidates | None:
    """Return the candidates of a unit; None where it has none."""
    document = stores.documents.current(unit.key, DocumentKind.CANDIDATES)
    if document is None:
        return None
    choice = CandidateChoice.model_validate_json(stores.documents.data_of(document))
    prose = stores.documents.current(unit.key, DocumentKind.PROSE)
    taken = 0
    if prose is not None and prose.origin is DocumentOrigin.CANDIDATE:
        taken = next((one.number for one in choice.candidates if one.text.strip() == prose.text.strip()), 0)
    waiting = (gate for gate in stores.gates.waiting() if gate.kind is GateKind.CANDIDATES and gate.node == unit.key)
    return UnitCandidates(unit, document, choice, taken, next(waiting, None))


def units_with_candidates(stores: Stores) -> list[UnitCandidates]:
    """Return all units of a book that have candidates, in reading order."""
    found = (candidates_of(unit, stores) for unit in stores.nodes.walk(TaskType.WRITE))
    return [sight for sight in found if sight is not None]


def candidates_at(unit: TaskNode, stores: Stores) -> UnitCandidates:
    """Return the candidates of a unit.

    Raises:
        InvalidInput: It has none; the message says how it comes to some.
    """
    found = candidates_of(unit, stores)
    if found is None:
        raise InvalidInput(
            f"{unit.name} has no candidates; `bookwright candidates {unit.book} {unit.label} --count 2` has them "
            "written once it has a text, and `--candidates 2` of `write` before"
        )
    return found


def draft_at(gate: Gate, number: int, stores: Stores) -> str:
    """Return the text of a candidate between which a gate waits for a choice.

    Raises:
        InvalidInput: The gate is about something else, or there is none of that number.
    """
    if gate.kind is not GateKind.CANDIDATES:
        raise InvalidInput(f"{gate.name}, is not about candidates")
    return candidates_at(stores.nodes.get(gate.node), stores).candidate(number).text
