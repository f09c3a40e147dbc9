"""Carrying out atomic tasks, and merging the parts of a task that was decomposed."""

from dataclasses import replace

from bookwright.agents.react.observation import documents, findings
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import ROUTER, Workflow, aggregator, design_workflow, search_executor
from bookwright.flows.activities.outcomes import document_kind, finish_task
from bookwright.flows.activities.plan import parts
from bookwright.flows.activities.prompt_sizes import within_length
from bookwright.flows.activities.recall import drawn_facts
from bookwright.flows.activities.unit_facts import begin_activity, depth_at, unit_card, unit_of
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, Findings, NewDocument
from bookwright.models.step import Activity
from bookwright.models.tree.decision import Expert
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_unverified
from bookwright.storage.steps.journal import Move


def execute(node: TaskNode, deps: Deps) -> None:
    """Make the document that an atomic task asks for."""
    unit = unit_of(node, deps)
    card = replace(unit_card(unit, deps, node), draw=drawn_facts(unit, deps, node))
    role = "designer" if node.task_type is TaskType.DESIGN else "researcher"
    run = begin_activity(Activity.EXECUTE, node, deps, role, card, next_activity="execute")
    workflow = _workflow(node, unit, run, deps)

    def finished(text: str) -> Move:
        return finish_task(found_document(text, workflow, run, deps), run, deps)

    run.run_all(workflow, finished, within_length(run, workflow[-1].name, deps))


def aggregate(node: TaskNode, deps: Deps) -> None:
    """Merge the documents of a task's parts into one of its own."""
    agent = aggregator(node.task_type)
    run = begin_activity(Activity.AGGREGATE, node, deps, agent.context, next_activity="execute")
    with deps.stores() as stores:
        kinds = (DocumentKind.DESIGN, DocumentKind.FINDINGS)  # a design task may have a search among its parts
        below = stores.documents.of_nodes([part.key for part in parts(node, deps)], *kinds)
        told = [data for part in below if (data := stores.documents.data_of(part))]
    for part in below:
        run.add("part", part.text)
        run.rests_on(part.id)
    merged = Findings.merged(map(Findings.model_validate_json, told)).model_dump_json() if told else ""

    def finished(text: str) -> Move:
        made = NewDocument(node=node.key, kind=document_kind(node), text=text, data=merged)
        return finish_task(made, run, deps)

    run.run(agent, finished, check=within_length(run, agent.name, deps))


def _workflow(node: TaskNode, unit: TaskNode, run: ActivityRun, deps: Deps) -> Workflow:
    if node.task_type is TaskType.SEARCH:
        return (search_executor(unit.level, deps.profile.name),)
    depth = depth_at(unit, deps)
    workflow = design_workflow(unit.level, Expert.GENERALIST, deps.profile.name, depth)
    if unit.level is not Level.BOOK or workflow[0].name != "guideline":  # which is the expert's own
        return workflow
    return design_workflow(unit.level, run.run(ROUTER).value.expert, deps.profile.name, depth)


def found_document(text: str, workflow: Workflow, run: ActivityRun, deps: Deps) -> NewDocument:
    """Return the document of a task, with what was looked up for it; findings that nobody looked up say so first."""
    node = run.node
    looking = [agent for agent in workflow if agent.tools]
    uses = run.uses(*looking)
    found = findings(uses, text)
    is_unverified = bool(looking) and node.task_type is TaskType.SEARCH and not found.is_verified
    text = f"{render_unverified(deps.brief.language.english_name)}\n\n{text}" if is_unverified else text
    data = found.model_dump_json() if is_unverified or found.sources else ""
    return NewDocument(node=node.key, kind=document_kind(node), text=text, data=data, inputs=documents(uses))
