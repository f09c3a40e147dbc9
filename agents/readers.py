"""Agents that read (cold readers, editors, judges between drafts), and those who tell short books or find a voice."""

from dataclasses import replace

from bookwright.agents.agent import CREATIVE, REASONING, SYNTHESIS, Agent
from bookwright.models.story.retelling import RepairOrders, Retelling
from bookwright.models.text.changes import Changes
from bookwright.models.tree.decision import Choice
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import ChosenPlot, DoubtedPlot, Plot

VOICE = Agent("voice", "story/book/voice", "writer", CREATIVE, "designer")
"""Who finds the voice of a book before its first page is written."""
CHOOSE = Agent("choose", "story/reading/choose", "critic", REASONING, "evaluator", output=Choice)
"""Who chooses between two drafts of the same pages, without knowing how either came about."""
FREE_DRAFT = Agent("draft.free", "story/book/write/free", "writer", CREATIVE, "writer", "draft", is_prose=True)
"""Who writes a book of one piece from the story that was told for it, as if nobody had planned it."""
STORY = Agent("story", "story/book/plan/story", "planner", CREATIVE, "planner")
"""Who tells the story of a book in plain words, before any of it is planned or written."""
CHOOSE_STORY = replace(CHOOSE, name="story.choose", prompt="story/book/plan/choose")
"""Who chooses between two such stories for a book of one piece."""
PLOT = Agent("plot", "story/book/plan/plot", "planner", SYNTHESIS, "planner", output=ChosenPlot)
"""Who chooses between two such stories, and makes the plan that the book is written from."""
PART_PLOT = replace(PLOT, prompt="story/book/plan/part", output=Plot)
"""Who makes the plan of one act or volume of such a book, with the book's own plan in view."""
DOUBTS = Agent("doubts", "story/book/plan/doubts", "critic", REASONING, "critic", artefact="doubts")
"""Who believes nothing of a plan for a book of many chapters."""
FORECAST = Agent("forecast", "story/book/plan/forecast", "critic", REASONING, "critic", artefact="forecast")
"""Who knows the first third of such a plan, and says what the rest will be."""
PLOT_AGAIN = replace(PLOT, name="plot.again", prompt="story/book/plan/plot_again", output=DoubtedPlot)
"""Who makes that plan once more."""
COLD_READER = Agent("cold_read", "story/reading/cold_read", "critic", REASONING, "evaluator", output=Retelling)
"""Who has nothing but the printed pages, and tells them again."""
FIRST_READER = replace(COLD_READER, name="first_read")
"""The same, of a draft that is revised right after."""
REPAIR = Agent("repair", "story/reading/repair", "writer", SYNTHESIS, "refiner", output=Changes)
"""Who puts it right, passage by passage."""


def editor(level: Level) -> Agent:
    """Who holds a retelling against what readers should have understood, and says what is to be put right.

    A finer unit that stands in a chapter's place is edited as a chapter.
    """
    at = level if level.is_at_least(Level.CHAPTER) else Level.CHAPTER
    return Agent("review", f"story/{at}/write/review", "critic", REASONING, "evaluator", output=RepairOrders)


def draft_again(draft: Agent) -> Agent:
    """Who writes a draft a second time, knowing that there is a first one and nothing of it."""
    return replace(draft, name=f"{draft.name}.again")


def draft_numbered(draft: Agent, number: int) -> Agent:
    """Who writes one of several candidates: the first is the usual draft, so that it is paid once."""
    if number <= 2:
        return draft if number == 1 else draft_again(draft)
    return replace(draft, name=f"{draft.name}.again.{number}")
