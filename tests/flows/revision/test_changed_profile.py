"""A profile or a limit that is changed while a book rests neither strands nor repeats what was begun."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.flows.deps import Deps
from bookwright.flows.stopping import Limits
from bookwright.flows.walk import write_unit
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookPaused
from bookwright.models.tree.decision import Decision, FlowDecision
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, PlanOutput
from bookwright.models.tree.task import NodeStatus
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

ONE_TASK = PlanOutput(sub_tasks=(PlanNode(goal="settle who opens the door", complexity_score=1),))
PROSE = "Rain fell on the tower and nobody counted the ships. " * 90


def backend(**lines: list[Any]) -> ScriptedBackend:
    usual: dict[str, list[Any]] = {
        "refiner": [ONE_TASK],
        "router": ['{"expert": "system"}'],
        "questions": ['{"questions": []}'],
        "flow_decision": [FlowDecision(decision=Decision.PROCEED_TO_WRITE)],
        "refine": [lambda request: PROSE if "/write/" in request.facts["template"] else "It is settled."],
        "revise": [f"It sags.\n<<<TEXT>>>\n{PROSE}"],
        "*": ["So be it, and nothing else."],
    }
    return ScriptedBackend(lines=usual | lines)


def stopping(deps_of: list[Deps], template: str, text: str) -> Callable[[Request], str]:
    """A line that asks the book to rest once a certain template is answered."""

    def speak(request: Request) -> str:
        if template in request.facts["template"]:
            deps_of[0].desk.journal.stop_requested = True
        return text

    return speak


def let_go(deps: Deps) -> None:
    with deps.storage.write() as stores:
        stores.books.change(deps.storage.book, lease_owner=None)
    deps.storage.database.dispose()


@pytest.mark.parametrize(
    ("first", "second", "step", "template"),
    [
        ("standard", "economy", "draft", "/design/draft"),
        ("economy", "small", "draft", "/write/draft"),
        ("small", "economy", "summary", "/summary"),
        ("standard", "small", "planner", "/plan/"),
        ("economy", "standard", "revise", "/write/revise"),
    ],
)
def test_a_book_whose_profile_changes_midway_is_finished(
    first: str, second: str, step: str, template: str, tmp_path: Path
) -> None:
    holder: list[Deps] = []
    text = f"It sags.\n<<<TEXT>>>\n{PROSE}" if step == "revise" else "It is settled, and that is all."
    stop = backend(**{step: [stopping(holder, template, text)], "proposer_short": [stopping(holder, template, text)]})
    if first == "small":  # whose one planner answers with tasks
        stop.lines["planner"] = [ONE_TASK]
    root, deps = begin(tmp_path, stop, profile=first)
    holder.append(deps)
    with pytest.raises(BookPaused, match="asked to rest"):
        write_unit(root, deps)
    let_go(deps)

    going_on = backend(planner=[ONE_TASK])
    root, deps = begin(tmp_path, going_on, profile=second)
    write_unit(root, deps)

    with deps.stores() as stores:
        book = stores.nodes.root()
        leaves = list(stores.nodes.leaves())
        prose = [stores.documents.current(leaf.key, DocumentKind.PROSE) for leaf in leaves]
    assert book.status is NodeStatus.DONE
    assert book.written > 0
    assert all(prose)
    assert len(going_on.requests) < 100
    let_go(deps)


def test_a_limit_that_is_reached_already_lets_nothing_be_paid(tmp_path: Path) -> None:
    limits = Limits(until_level=Level.BOOK, until_count=1)
    root, deps = begin(tmp_path, backend(), profile="economy", limits=limits)
    with pytest.raises(BookPaused, match="reached book 1"):
        write_unit(root, deps)

    with deps.stores() as stores, pytest.raises(BookPaused, match="reached book 1"):
        deps.limits.check(stores.nodes.root(), stores, deps.desk.journal.way_on)

    let_go(deps)
