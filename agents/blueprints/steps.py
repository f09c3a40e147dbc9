"""Who is asked for a member of a blueprint, by kind and profile. All of it is data."""

from dataclasses import replace
from pathlib import Path

from bookwright.agents.agent import CREATIVE, REASONING, SYNTHESIS, Agent
from bookwright.agents.workflows import LOOKUPS, Workflow, evaluates
from bookwright.models.faults import FoundFaults, Verification
from bookwright.models.profile import ProfileName
from bookwright.models.story.register import FewThreads, Register
from bookwright.models.text.changes import Changes
from bookwright.models.tree.plan import PlanOutput
from bookwright.prompts.templates import BLUEPRINT

_SMALL_PAGE = Agent("design", "story/small/design", "designer", CREATIVE, "designer", artefact="draft")
_CRITIC = Agent("critic", "story/blueprint/critic", "critic", REASONING, "designer", artefact="criticism")
_REFINE = Agent("refine", "story/blueprint/refine", "designer", SYNTHESIS, "designer", artefact="draft")


def own_template(prompt: str) -> str:
    """Return the path of a template that stands in the blueprint's folder."""
    return f"{BLUEPRINT}/{prompt}"


def page_workflow(prompt: str, folder: Path, profile: ProfileName) -> Workflow:
    """The steps that make one page; the last one's text is the page."""
    if profile is ProfileName.SMALL:
        return (_SMALL_PAGE,)
    draft = Agent("draft", own_template(prompt), "designer", CREATIVE, "designer", artefact="draft", folder=folder)
    if not evaluates(profile):
        return (draft,)
    return (replace(draft, tools=LOOKUPS), *(replace(step, folder=folder) for step in (_CRITIC, _REFINE)))


def search_workflow(prompt: str, folder: Path, profile: ProfileName) -> Workflow:
    """Who finds something out. A weak model is asked plainly, from what it has."""
    if profile is ProfileName.SMALL:
        return (replace(_SMALL_PAGE, name="search", artefact=""),)
    return (Agent("search", own_template(prompt), "researcher", REASONING, "researcher", tools=LOOKUPS, folder=folder),)


def namer(prompt: str, folder: Path) -> Agent:
    """Who names the entries of a member."""
    return Agent("entries", own_template(prompt), "planner", SYNTHESIS, "planner", output=PlanOutput, folder=folder)


def registrar(prompt: str, folder: Path, profile: ProfileName) -> Agent:
    """Who lays down what is secret and what is shown early."""
    if profile is ProfileName.SMALL:
        return Agent("register", "story/blueprint/small_register", "planner", SYNTHESIS, "designer", output=FewThreads)
    return Agent("register", own_template(prompt), "planner", SYNTHESIS, "designer", output=Register, folder=folder)


REVIEWER = Agent("review", "story/blueprint/review", "critic", REASONING, "evaluator", output=FoundFaults)
"""Who looks through what is there; without a tool, and without a text of its own."""
POLISHER = Agent("polish", "story/blueprint/polish", "writer", SYNTHESIS, "refiner", output=Changes)
"""Who goes through a written text for its wording alone."""
VERIFIER = Agent("verify", "story/blueprint/verify", "critic", REASONING, "evaluator", output=Verification)
"""Who looks at the faults again."""


def for_member(agent: Agent, prompt: str, folder: Path) -> Agent:
    """One of these for a member, with the member's own template if it has one."""
    return replace(agent, prompt=own_template(prompt) if prompt else agent.prompt, folder=folder)
