"""A designed book of five chapters, and a model that leaks, scores and extracts as a test says."""

import json
from collections.abc import Callable
from typing import Any

from bookwright.agents.backends.protocol import Request
from bookwright.flows import walk_steps
from bookwright.flows.activities.extract import extract_design
from bookwright.flows.deps import Deps
from bookwright.models.codex.extraction import CHECKS
from bookwright.models.codex.foreshadowing import ThreadStatus
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from tests.support.fakes import ScriptedBackend

SECRET = "Ada is the daughter of the forger of Tarn."
LENGTH = 60
FILLER = "The tide went out and the clerk wrote the hour down beside the lamp"
CALM = ". ".join([FILLER] * 4) + "."
LEAKY = f"{FILLER}. Everyone on the quay knew the forger by his walk. " + ". ".join([FILLER] * 3) + "."
EVALUATORS = ("leak_review", "quality", "extract", "extract_design")
WRITERS = ("draft", "refine", "revise_leak", "improve", "ordered")


def thread(title: str, planted: int, paid: int) -> dict[str, Any]:
    """A thread about one thing, planted and paid off at so many percent of the book."""
    return {
        "title": title, "seed": f"the {title} on the sill", "payoff": f"What the {title} had been for all along.",
        "expressions": [f"the {title}"], "planted_at": planted, "reinforced_at": [40], "paid_off_at": paid,
    }  # fmt: skip


DESIGNED = {
    "entries": [{"kind": "character", "name": "Ada", "facts": [{"aspect": "trade", "fact": "Keeps the lamp."}]}],
    "secrets": [{
        "id": "birth", "content": SECRET, "importance": "critical", "about": "Ada",
        "forbidden_keywords": ["forger", "Ada", "the", "keeper"], "revealed_at": 100,
    }],
    "threads": [thread("bell", 0, 80), thread("coat", 0, 80), thread("letter", 20, 80), thread("ring", 0, 60)],
}  # fmt: skip


def told(*sentences: str) -> str:
    """A chapter of about the length asked for, with some sentences of its own."""
    missing = LENGTH - sum(len(sentence.split()) for sentence in sentences)
    return " ".join([*sentences, *[f"{FILLER}."] * round(missing / len(FILLER.split()))])


def scored(overall: float) -> str:
    """A judgement with one warning."""
    names = ("coherence", "pacing", "prose", "character_score", "style", "reader_excitement", "emotional_resonance")
    issue = {"category": "pacing", "severity": "warning", "location": FILLER, "description": "It stands still."}
    return json.dumps({"issues": [issue], "scores": dict.fromkeys(names, 0.7) | {"overall": overall}})


def extracted(*touches: tuple[str, str, str]) -> str:
    """What an extraction states: that Ada lost the lamp, and what was done to which thread, with its quotation."""
    return json.dumps({
        "entries": [{"kind": "character", "name": "Ada", "facts": [{"aspect": "trade", "fact": "Lost the lamp."}]}],
        "touches": [{"thread": who, "did": did, "quote": quote} for who, did, quote in touches],
        "checks": [{"check": check, "result": "passed"} for check in CHECKS],
    })  # fmt: skip


def by_label(texts: dict[str, str], otherwise: str) -> Callable[[Request], str]:
    """A line for each unit, and one for all others."""
    return lambda request: texts.get(request.facts["label"], otherwise)


def script(**lines: Any) -> ScriptedBackend:
    """A model that writes calm chapters, sees no leak, scores well and extracts nothing, but for what is given."""
    known: dict[str, Any] = {
        "*": CALM, "quality": scored(0.8), "extract": extracted(), "extract_design": json.dumps(DESIGNED),
        **{f"leak_review.{n}": json.dumps({"issues": [], "result": "approved"}) for n in range(1, 9)},
    }  # fmt: skip
    return ScriptedBackend(
        lines={name: line if isinstance(line, list) else [line] for name, line in (known | lines).items()}
    )


def asked(backend: ScriptedBackend, step: str, label: str = "") -> list[Request]:
    """Requests of a step, numbered or not."""
    found = [request for request in backend.requests if request.name.rpartition("/")[2].partition(".")[0] == step]
    return [request for request in found if not label or request.facts["label"] == label]


def lay_out(root: TaskNode, deps: Deps) -> None:
    """Give a new book its design and five chapters."""
    with deps.storage.write() as stores:
        design = PlanNode(task_type=TaskType.DESIGN, title="Who lies", goal="Settle who lies.")
        (task,) = stores.nodes.add(root, [design], level=Level.BOOK.value, unit=root.key)
        stores.documents.add(NewDocument(node=task.key, kind=DocumentKind.DESIGN, text=f"- {SECRET}"), None)
        plans = [PlanNode(task_type=TaskType.WRITE, title=f"Part {n}", goal="Go on.") for n in range(1, 6)]
        stores.nodes.add(root, plans, level=Level.CHAPTER.value, length=LENGTH, unit_index=lambda i: i + 1)


def chapters(deps: Deps) -> list[TaskNode]:
    """The chapters as they stand now."""
    with deps.stores() as stores:
        return stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)


def design(deps: Deps) -> None:
    """Take into the codex what the designs of the book say."""
    with deps.stores() as stores:
        root = stores.nodes.root()
    extract_design(root, deps)


def write(deps: Deps, *numbers: int) -> None:
    """Write and close some chapters, from 1."""
    for number in numbers:
        unit = chapters(deps)[number - 1]
        walk_steps.write(unit, deps)
        walk_steps.close(unit, deps)


def data(deps: Deps, number: int, kind: DocumentKind) -> str:
    """The JSON of a chapter's report; empty where there is none."""
    with deps.stores() as stores:
        found = stores.documents.current(chapters(deps)[number - 1].key, kind)
        return stores.documents.data_of(found) if found else ""


def prose(deps: Deps, number: int) -> str:
    """The prose of a chapter; empty where there is none."""
    with deps.stores() as stores:
        found = stores.documents.current(chapters(deps)[number - 1].key, DocumentKind.PROSE)
        return found.text if found else ""


def statuses(deps: Deps) -> dict[str, ThreadStatus]:
    """What has become of each thread."""
    with deps.stores() as stores:
        return {own.title: own.status for own in stores.codex.threads()}


def known(deps: Deps) -> dict[str, dict[str, str]]:
    """What the codex says of each name, by aspect."""
    with deps.stores() as stores:
        entries = stores.codex.entries()
    return {entry.name: {own.name: own.text for own in entry.sections if own.text} for entry in entries}
