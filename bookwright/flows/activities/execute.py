"""Carrying out atoms, and merging the parts of what was not one."""

from dataclasses import replace

from bookwright.agents.desk import ActivityRun
from bookwright.agents.workflows import ROUTER, Workflow, aggregator, design_workflow, search_executor
from bookwright.flows.activities.plan import parts
from bookwright.flows.activities.surroundings import drawn_facts, unit_card, unit_of
from bookwright.flows.deps import Deps
from bookwright.models.decision import Expert
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.level import Level
from bookwright.models.plan import TaskType
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.task import NodeStatus, TaskNode
from bookwright.storage.journal import Move
from bookwright.storage.stores import Stores


def execute(node: TaskNode, deps: Deps) -> None:
    """Make the document that an atomic task asks for."""
    unit = unit_of(node, deps)
    run = deps.desk.begin(
        Activity.EXECUTE, node, unit, replace(unit_card(unit, deps, node), draw=drawn_facts(unit, deps)),
        context="designer" if node.task_type is TaskType.DESIGN else "researcher",
        round_=node.planning_round, next_activity="execute",
    )  # fmt: skip
    workflow = _workflow(node, unit, run, deps)
    for agent in workflow[:-1]:
        run.run(agent)
    run.run(workflow[-1], lambda text: _leave_document(node, unit, text, run))


def aggregate(node: TaskNode, deps: Deps) -> None:
    """Merge the documents of a task's parts into one of its own."""
    unit = unit_of(node, deps)
    agent = aggregator(node.task_type)
    run = deps.desk.begin(
        Activity.AGGREGATE, node, unit, unit_card(unit, deps, node),
        context=agent.context, round_=node.planning_round, next_activity="execute",
    )  # fmt: skip
    with deps.stores() as stores:
        kinds = (DocumentKind.DESIGN, DocumentKind.FINDINGS)  # a design task may have a search among its parts
        documents = stores.documents.of_nodes([part.key for part in parts(node, deps)], *kinds)
    for document in documents:
        run.add("part", document.text)
    sources = tuple(document.id for document in documents)
    run.run(agent, lambda text: _leave_document(node, unit, text, run, sources))


def _workflow(node: TaskNode, unit: TaskNode, run: ActivityRun, deps: Deps) -> Workflow:
    if node.task_type is TaskType.SEARCH:
        return (search_executor(unit.level),)
    expert = Expert.GENERALIST
    if unit.level is Level.BOOK and deps.profile.name in (ProfileName.STANDARD, ProfileName.FINE):
        expert = run.run(ROUTER).value.expert
    return design_workflow(unit.level, expert, deps.profile.name)


def _leave_document(node: TaskNode, unit: TaskNode, text: str, run: ActivityRun, sources: tuple[int, ...] = ()) -> Move:
    new = NewDocument(node=node.key, kind=_kind(node), text=text, inputs=(*run.sources, *sources))

    def move(stores: Stores, step: int) -> None:
        document = stores.documents.add(new, step)
        stores.nodes.change(node.key, status=NodeStatus.DONE.value)
        if unit.level is Level.BOOK and node.parent == unit.key and node.task_type is TaskType.DESIGN:
            stores.queue.add(DocumentKind.BOOK_DESIGN, document.id)

    return move


def _kind(node: TaskNode) -> DocumentKind:
    return DocumentKind.DESIGN if node.task_type is TaskType.DESIGN else DocumentKind.FINDINGS
