"""Asks the rehearsal author for a step, and all steps that there are."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from bookwright.agents import readers, workflows
from bookwright.agents.agent import Agent
from bookwright.agents.backends.protocol import Prompt, Request, Sampling
from bookwright.agents.backends.rehearsal.backend import RehearsalBackend
from bookwright.models.profile import ProfileName
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.models.text.language import Language
from bookwright.models.tree.decision import Expert
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.prompts.card import BookCard, Card, NodeCard
from tests.support.at_once import at_once

PREMISE = "A keeper counts the lamps of a harbour that has none."


@dataclass(frozen=True)
class Before:
    """A text that stands before a step."""

    tag: str
    text: str


def card(language: Language = Language.EN, length: int = 600, **changes: Any) -> Card:
    """The card of a chapter with two tasks to judge."""
    book = BookCard(
        title="", premise=PREMISE, language=language.english_name, length=100_000,
        length_unit=language.length_unit, length_class="short",
    )  # fmt: skip
    unit = NodeCard(label="1.3", level="chapter", task_type="write", title="Lamps", goal="A goal.", length=length)
    tasks = tuple(replace(unit, label=f"1.3.{number}", task_type="design") for number in (1, 2))
    made = Card(
        book=book, unit=unit, task=unit, child_level="scene", tasks=tasks, word_allowance=120, ask_length=length,
        plan_length=80, missing_length=150, usual_child_length=1_000, remaining_length=5_000, condense_to=90,
    )  # fmt: skip
    return replace(made, **changes)


def ask(
    agent: Agent, activity: str, the_card: Card, *, label: str = "1.3", attempt: int = 1, mode: str = "default",
    language: Language = Language.EN, before: tuple[Before, ...] = (),
    limit: int = 20_000,
) -> Reply:  # fmt: skip
    """Ask the rehearsal author for one step."""
    request = Request(
        model=f"rehearsal:{mode}", role=agent.role, name=f"{label} {activity}/{agent.name}",
        prompt=Prompt("You write.", ("What to do.",)), sampling=Sampling(agent.temperature, limit, 1),
        output=agent.output,
        facts={
            "activity": activity, "step": agent.name, "template": agent.prompt, "label": label, "level": "chapter",
            "attempt": attempt, "card": the_card, "artefacts": before, "language": language.value, "seed": 7,
        },
    )  # fmt: skip
    return at_once(_author().complete(request, lambda event: None))


@cache
def _author() -> RehearsalBackend:
    return RehearsalBackend(Settings())


def all_steps() -> Iterator[tuple[str, Agent]]:
    """Every agent of every workflow, with the activity that asks it."""
    for profile in ProfileName:
        for level in Level:
            for length_class in ("short", "medium", "long"):
                yield from (("plan", agent) for agent in workflows.plan_workflow(level, length_class, profile))
            if level is not Level.PARAGRAPH:
                yield from (("divide", agent) for agent in workflows.hierarchy_workflow(level, profile))
            for kind in (TaskType.DESIGN, TaskType.SEARCH):
                yield from (("decompose", agent) for agent in workflows.decomposition_workflow(level, kind, profile))
                yield "judge", workflows.atom_judge(level, kind)
                yield "aggregate", workflows.aggregator(kind)
            for expert in Expert:
                yield from (("execute", agent) for agent in workflows.design_workflow(level, expert, profile))
            yield from (("write", agent) for agent in workflows.write_workflow(level, profile))
            yield "decide", workflows.flow_decision(level)
            yield "execute", workflows.search_executor(level, profile)
            yield "close", workflows.summariser(level, profile)
            yield "review", readers.editor(level)
        yield "maintain", workflows.book_design_maintainer(profile)
        yield "maintain", workflows.global_state_maintainer(profile)
        yield "publish", workflows.blurb_writer(profile)
    for agent in (workflows.LENGTHEN, workflows.SHORTEN, workflows.SMALL_PLAN, workflows.SMALL_DRAFT):
        yield "write", agent
    yield "write", workflows.SMALL_CRITIC
    yield "write", workflows.SMALL_REFINE
    yield "execute", workflows.ROUTER
    yield "brief", readers.VOICE
    yield "write", readers.REPAIR
    yield "review", readers.COLD_READER
    yield "review", readers.CHOOSE
    yield "plan", workflows.QUESTIONS


STEPS = list(dict.fromkeys(all_steps()))
DRAFT = workflows.write_workflow(Level.CHAPTER, ProfileName.STANDARD)[1]
REFINE = workflows.write_workflow(Level.CHAPTER, ProfileName.STANDARD)[-1]
PLAN = workflows.plan_workflow(Level.CHAPTER, "short", ProfileName.STANDARD)[-1]
DIVIDE = workflows.hierarchy_workflow(Level.BOOK, ProfileName.STANDARD)[-1]
