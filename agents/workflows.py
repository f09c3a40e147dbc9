"""Which steps a family takes at a level, under a profile. All of it is data.

Source: DESIGN section 8, the table of families; S3-046 to S3-118.
"""

from dataclasses import replace

from bookwright.agents.agent import CLASSIFICATION, CREATIVE, REASONING, SUMMARY, SYNTHESIS, Agent
from bookwright.models.codex.extraction import DesignExtraction, Extraction
from bookwright.models.codex.leak import LeakJudgement
from bookwright.models.profile import ProfileName
from bookwright.models.story.quality import QualityJudgement
from bookwright.models.story.state import GlobalState
from bookwright.models.text.changes import Changes
from bookwright.models.tree.decision import AtomVerdicts, Expert, FlowDecision, Questions, Routing, TitleAndBlurb
from bookwright.models.tree.depth import Depth
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanOutput, TaskType

Workflow = tuple[Agent, ...]

LOOKUPS = ("web_search", "fetch_page", "search_designs", "search_story", "search_references")
"""What those may use who look things up, as far as there is a web and the book's index holds anything.

Source: S3-080, S3-101, S3-108, S3-137.
"""

_BOOK_LOOKUPS = ("guideline", "draft", "critic")
"""Which steps of a book-level design look things up, but in economy, which spends no calls on it. Source: C-30."""

_THREE_STEPS = ("proposer", "critic", "refiner")
_TWO_STEPS = ("planner", "refiner")
_ONE_STEP = ("planner",)

PLAN_STEPS: dict[Level, tuple[str, ...]] = {
    Level.BOOK: _THREE_STEPS,
    Level.VOLUME: _THREE_STEPS,
    Level.ACT: _THREE_STEPS,
    Level.CHAPTER: _TWO_STEPS,
    Level.SCENE: _TWO_STEPS,
    Level.BEAT: _ONE_STEP,
    Level.PARAGRAPH: _ONE_STEP,
}
HIERARCHY_STEPS: dict[Level, tuple[str, ...]] = {
    Level.BOOK: _THREE_STEPS,
    Level.VOLUME: _THREE_STEPS,
    Level.ACT: _TWO_STEPS,
    Level.CHAPTER: _TWO_STEPS,
    Level.SCENE: _ONE_STEP,
    Level.BEAT: _ONE_STEP,
}
DESIGN_STEPS: dict[Level, tuple[str, ...]] = {
    Level.BOOK: ("guideline", "draft", "critic", "refine"),
    Level.VOLUME: ("guideline", "draft", "refine"),
    Level.ACT: ("guideline", "draft", "refine"),
    Level.CHAPTER: ("plan", "draft"),
    Level.SCENE: ("plan", "draft"),
    Level.BEAT: ("design",),
    Level.PARAGRAPH: ("design",),
}

_ARTEFACTS = {
    "proposer": "proposal", "planner": "proposal", "critic": "criticism", "second_critic": "criticism",
    "guideline": "guideline", "plan": "plan", "draft": "draft", "refine": "draft", "design": "draft",
}  # fmt: skip
_TEMPERATURES = {
    "proposer": CREATIVE, "planner": CREATIVE, "critic": REASONING, "second_critic": REASONING, "refiner": SYNTHESIS,
    "guideline": CREATIVE, "plan": CREATIVE, "draft": CREATIVE, "refine": SYNTHESIS, "design": CREATIVE,
}  # fmt: skip


def plan_workflow(level: Level, length_class: str, profile: ProfileName, depth: Depth = Depth.FULL) -> Workflow:
    """The steps that end in a round's tasks; the book's expert goes by its length class."""
    if profile is ProfileName.SMALL:
        return (_last("planner", "story/small/plan", "planner"),)
    names = _thinned(PLAN_STEPS[level], profile, is_seconded=level in (Level.BOOK, Level.VOLUME))
    if depth is not Depth.FULL and profile is not ProfileName.FINE:
        names = tuple(name for name in names if name != "critic")
    return _debate(f"story/{level}/plan", names, "planner", length_class if level is Level.BOOK else "")


def hierarchy_workflow(level: Level, profile: ProfileName) -> Workflow:
    """The steps that end in the next child, or in all children."""
    if profile is ProfileName.SMALL:
        return (_last("planner", "story/small/divide", "divider"),)
    names = _thinned(HIERARCHY_STEPS[level], profile, is_seconded=False)
    return _debate(f"story/{level}/hierarchy", names, "divider")


def decomposition_workflow(level: Level, task_type: TaskType, profile: ProfileName) -> Workflow:
    """The steps that cut a complex task into parts."""
    is_search = task_type is TaskType.SEARCH
    names = _thinned(_TWO_STEPS if is_search else _THREE_STEPS, profile, is_seconded=False)
    steps = _debate(f"story/{level}/decomposition/{task_type}", names, "planner")
    return tuple(replace(step, tools=LOOKUPS) for step in steps) if is_search else steps


def design_workflow(level: Level, expert: Expert, profile: ProfileName, depth: Depth = Depth.FULL) -> Workflow:
    """The steps that make one design document; the last one's text is the document."""
    if profile is ProfileName.SMALL:
        return (_design_step("design", "story/small/design"),)
    names = _design_steps(level, profile, depth)
    looking = _BOOK_LOOKUPS if level is Level.BOOK and profile is not ProfileName.ECONOMY else ()
    own = "guideline" if level is Level.BOOK else ""  # the one step whose template is the expert's own
    return tuple(
        replace(
            _design_step(name, f"story/{level}/design/{name}" + (f"_{expert}" if name == own else "")),
            tools=LOOKUPS if name in looking else (),
        )
        for name in names
    )


def plans_in_brief(profile: ProfileName, depth: Depth) -> bool:
    """Whether one step is both the writer's brief and the write plan."""
    return profile is ProfileName.ECONOMY or depth is Depth.SLIGHT


def briefing(level: Level, profile: ProfileName, depth: Depth = Depth.FULL) -> Agent:
    """Who tells the writer of a unit what they are to know; where one step does both, that is the write plan itself."""
    prompt = f"story/{level}/write/plan" if plans_in_brief(profile, depth) else "story/write/brief"
    return Agent("brief", prompt, "planner", SYNTHESIS, "planner")


def write_workflow(level: Level, profile: ProfileName, depth: Depth = Depth.FULL) -> Workflow:
    """The steps from the write plan to the prose; the last one's text is the prose.

    Where the brief is the plan, a first reader stands between the draft and its reviser.
    """
    if plans_in_brief(profile, depth):
        return (_draft(level), REVISE)
    critics = (_critic(level), SECOND_CRITIC) if profile is ProfileName.FINE else (_critic(level),)
    folder = f"story/{level}/write"
    plan = Agent("plan", f"{folder}/plan", "writer", CREATIVE, "write_plan", artefact="plan")
    refine = Agent("refine", f"{folder}/refine", "writer", SYNTHESIS, "refiner", is_prose=True)
    return (plan, _draft(level), *critics, refine)


def evaluates(profile: ProfileName) -> bool:
    """Whether models judge what was written; where not, code alone does."""
    return profile in (ProfileName.STANDARD, ProfileName.FINE)


def atom_judge(level: Level, task_type: TaskType) -> Agent:
    """Who judges the tasks of one type in a round."""
    return Agent(
        task_type.value, f"story/{level}/atom/{task_type}", "judge", CLASSIFICATION, "judge", output=AtomVerdicts
    )


def flow_decision(level: Level) -> Agent:
    """Who decides whether a unit goes on planning, divides or is written."""
    prompt = f"story/{level}/flow_decision/flow_decision"
    return Agent("flow_decision", prompt, "judge", REASONING, "planner", output=FlowDecision)


def aggregator(task_type: TaskType) -> Agent:
    """Who merges what the parts of a decomposed task produced."""
    return Agent("aggregate", f"story/aggregate/{task_type}", "summariser", SYNTHESIS, "designer")


def search_executor(level: Level, profile: ProfileName) -> Agent:
    """Who answers a search task. A weak model is not given tools."""
    tools = () if profile is ProfileName.SMALL else LOOKUPS
    return Agent("search", f"story/{level}/search", "researcher", REASONING, "researcher", tools=tools)


def summariser(level: Level, profile: ProfileName) -> Agent:
    """Who sums up a finished unit."""
    prompt = "story/small/summary" if profile is ProfileName.SMALL else f"story/{level}/summary"
    return Agent("summary", prompt, "summariser", SUMMARY, "evaluator", artefact="summary")


def book_design_maintainer(profile: ProfileName) -> Agent:
    """Who keeps the design of the whole book."""
    prompt = "story/small/maintain" if profile is ProfileName.SMALL else "story/book/design/maintain"
    return Agent("book_design", prompt, "maintainer", SYNTHESIS, "maintainer")


def global_state_maintainer(profile: ProfileName) -> Agent:
    """Who keeps the state of the story so far."""
    prompt = "story/small/state" if profile is ProfileName.SMALL else "story/summary/global_state"
    output = None if profile is ProfileName.SMALL else GlobalState
    return Agent("global_state", prompt, "maintainer", SYNTHESIS, "maintainer", output=output)


def blurb_writer(profile: ProfileName) -> Agent:
    """Who writes what stands on the cover."""
    prompt = "story/small/blurb" if profile is ProfileName.SMALL else "story/book/publish/title_and_blurb"
    return Agent("title_and_blurb", prompt, "summariser", SYNTHESIS, "questions", output=TitleAndBlurb)


ROUTER = Agent("router", "story/book/design/router", "judge", CLASSIFICATION, "judge", output=Routing)
QUESTIONS = Agent("questions", "story/retrieval/questions", "judge", REASONING, "questions", output=Questions)
CONDENSE = Agent("condense", "story/context/condense", "summariser", SUMMARY, "questions")
REVISE = Agent("revise", "story/write/revise", "writer", SYNTHESIS, "refiner", is_prose=True)
LENGTHEN = Agent("lengthen", "story/write/lengthen", "writer", CREATIVE, "refiner")
SHORTEN = Agent("shorten", "story/write/shorten", "critic", REASONING, "refiner", output=Changes)
SECOND_CRITIC = Agent("second_critic", "story/write/second_critic", "critic", REASONING, "critic", "criticism")

INFER = Agent("book_design", "story/book/design/infer", "maintainer", SYNTHESIS, "maintainer")
"""Who finds out how a book is designed of which only the text is there."""

AMEND = Agent("amend", "story/revision/text", "designer", SYNTHESIS, "refiner")
AMEND_PROSE = Agent("amend", "story/revision/prose", "writer", SYNTHESIS, "refiner", is_prose=True)

SMALL_PLAN = Agent("plan", "story/small/write_plan", "writer", SYNTHESIS, "write_plan", artefact="plan")
SMALL_DRAFT = Agent("draft", "story/small/draft", "writer", 0.5, "writer", is_piece=True, is_prose=True)
SMALL_CRITIC = Agent("critic", "story/small/critic", "critic", SUMMARY, "critic", artefact="criticism")
SMALL_REFINE = Agent("refine", "story/small/refine", "writer", 0.5, "refiner", is_prose=True)

LEAK_REVIEW = Agent("leak_review", "story/relay/leak_review", "critic", REASONING, "evaluator", output=LeakJudgement)
REVISE_LEAK = Agent("revise_leak", "story/relay/revise_leak", "writer", SYNTHESIS, "refiner")
IMPROVE = Agent("improve", "story/relay/improve", "writer", SYNTHESIS, "refiner", is_prose=True)
SMALL_REVIEW = Agent("review", "story/small/review", "critic", REASONING, "evaluator")
"""Who looks back on a book that a weak model wrote; in the other profiles a reader does."""

QUALITY = Agent("quality", "story/relay/quality", "critic", REASONING, "evaluator", output=QualityJudgement)
EXTRACT = Agent("extract", "story/relay/extract", "maintainer", REASONING, "evaluator", output=Extraction)
EXTRACT_DESIGN = Agent(
    "extract_design", "story/relay/extract_design", "maintainer", REASONING, "designer", output=DesignExtraction
)

TOLD = (
    Agent("draft", "story/chapter/write/told", "writer", CREATIVE, "writer", "draft", is_prose=True),
    Agent("critic", "story/write/letter", "critic", REASONING, "critic", artefact="criticism"),
    Agent("refine", "story/write/told_again", "writer", SYNTHESIS, "refiner", is_prose=True),
)
"""How a short book is written that is told instead of planned: told, read by its editor, told again.

A story of one sitting is drafted from what `STORY` told instead, as `FREE_DRAFT` says.
"""

REVISION_MARK = "<<<TEXT>>>"
"""Stands alone on the line between findings and new text in the answer of `REVISE`."""


def _design_steps(level: Level, profile: ProfileName, depth: Depth) -> tuple[str, ...]:
    names = DESIGN_STEPS[level]
    if level is Level.BOOK and profile is ProfileName.FINE:
        return ("guideline", "draft", "critic", "second_critic", "refine")
    if level is Level.VOLUME and profile is ProfileName.FINE:
        return ("guideline", "draft", "critic", "refine")
    if profile is ProfileName.ECONOMY:
        left_out: tuple[str, ...] = ("critic", "refine", "guideline" if level is Level.BOOK else "")
        return tuple(name for name in names if name not in left_out)
    if level is Level.BOOK and depth is not Depth.FULL:
        return tuple(name for name in names if name != "guideline")
    return names


def _draft(level: Level) -> Agent:
    return Agent("draft", f"story/{level}/write/draft", "writer", CREATIVE, "writer", "draft", is_prose=True)


def _critic(level: Level) -> Agent:
    return Agent("critic", f"story/{level}/write/critic", "critic", REASONING, "critic", artefact="criticism")


def _design_step(name: str, prompt: str) -> Agent:
    role = "critic" if "critic" in name else "designer"
    return Agent(name, prompt, role, _TEMPERATURES[name], "designer", artefact=_ARTEFACTS[name])


def _thinned(names: tuple[str, ...], profile: ProfileName, *, is_seconded: bool) -> tuple[str, ...]:
    """The steps a profile keeps: economy has no critics, fine has a second one where asked for."""
    if profile is ProfileName.ECONOMY:
        return tuple(name for name in names if name != "critic")
    if profile is ProfileName.FINE and is_seconded:
        return (*names[:-1], "second_critic", names[-1])
    return names


def _debate(folder: str, names: tuple[str, ...], role: str, length_class: str = "") -> Workflow:
    steps = []
    for name in names[:-1]:
        full = f"{name}_{length_class}" if length_class and name in ("proposer", "critic") else name
        asked = "critic" if "critic" in name else role
        steps.append(Agent(full, f"{folder}/{full}", asked, _TEMPERATURES[name], role, _ARTEFACTS[name]))
    return (*steps, _last(names[-1], f"{folder}/{names[-1]}", role))


def _last(name: str, prompt: str, role: str) -> Agent:
    return Agent(name, prompt, role, SYNTHESIS, role, output=PlanOutput)
