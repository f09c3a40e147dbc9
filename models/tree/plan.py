"""What a planner, a divider or a decomposer answers, and the plot of a book that one writer holds whole."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from bookwright.models.frozen import FrozenModel
from bookwright.models.text.language import lazy_pattern

_NUMBER = lazy_pattern(r"(\d[\d,]*(?:\.\d+)?)\s*(万|萬|만|千|천|[kK](?![A-Za-z]))?")
_PLACEHOLDER = lazy_pattern(r"(?<![A-Za-z])[XNxn×]{1,4}(?![A-Za-z])")
"""What stands for a number in the sources' own example, `"约XX字"`."""
_ELLIPSIS = lazy_pattern(r"[\s.…·]*")
_FACTORS = {"万": 10_000, "萬": 10_000, "만": 10_000, "千": 1_000, "천": 1_000, "k": 1_000, "K": 1_000}


def parse_length(value: Any) -> Any:
    """Read a length given as a number or as text, such as `"约3000字"` or `"15万字"`.

    Nothing, 0 and a placeholder such as `"约XX字"` are no length. What else holds no number is returned as it is, for
    the validator to refuse. Source: I-06, S3-088.
    """
    if isinstance(value, str):
        if not value.strip():
            return None
        found = _NUMBER.search(value)
        if found is None:
            return None if _PLACEHOLDER.search(value) else value
        number, factor = found.groups()
        value = float(number.replace(",", "")) * _FACTORS.get(factor or "", 1)
    if isinstance(value, float):
        value = round(value)
    return None if value == 0 else value


Length = Annotated[Annotated[int, Field(gt=0)] | None, BeforeValidator(parse_length)]
"""A target length, in words, or characters for zh, ja and ko; None where there is none."""


def _without_ellipses(value: Any) -> Any:
    """Leave out what stands for more of the same in a list of tasks, as in the sources' own example."""
    if not isinstance(value, (list, tuple)):
        return value
    return [item for item in value if not (isinstance(item, str) and _ELLIPSIS.fullmatch(item))]


class TaskType(StrEnum):
    """What a node is for."""

    DESIGN = "design"
    SEARCH = "search"
    WRITE = "write"


class PlanNode(FrozenModel):
    """One task as a model proposes it; the engine gives it its id and its place.

    Source: S3-083. `title` is ours: every unit has one.
    """

    id: str = ""
    """Parent's id, a dot, an ordinal; assigned by the engine, whatever the model writes."""
    task_type: TaskType = TaskType.DESIGN
    hierarchical_position: str = ""
    """Where the task stands, such as `"第1卷第1幕"`; the engine goes by its own, `hierarchical_position`."""
    title: str = Field(default="", max_length=120)
    goal: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1200)]
    """One sentence that a stranger could check."""
    instructions: tuple[str, ...] = ()
    input_brief: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    complexity_score: int | None = Field(default=None, ge=1, le=10)
    length: Length = None
    """Write tasks only."""
    story_time: Annotated[str, StringConstraints(strip_whitespace=True)] = ""
    """When it happens in the story, in words; empty where that is not settled. Write tasks only."""
    sub_tasks: Annotated[tuple["PlanNode", ...], BeforeValidator(_without_ellipses)] = ()

    @property
    def folded(self) -> "PlanNode":
        """The task with the goals of the tasks inside it as its last instructions; the judge says what is cut."""
        if not self.sub_tasks:
            return self
        inside = tuple(part.goal for part in self.sub_tasks)
        return self.model_copy(update={"instructions": (*self.instructions, *inside), "sub_tasks": ()})


class PlanOutput(PlanNode):
    """The last word of a plan, division or decomposition: the thinking, then the tasks."""

    goal: str = Field(default="", max_length=1200)
    reasoning: str = ""


Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=600)]


class PlotChapter(FrozenModel):
    """One chapter as it is planned; of a long book, one act or volume."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
    about: Line
    """What it is about, in a sentence."""
    events: Annotated[tuple[Line, ...], Field(min_length=1, max_length=5)]
    """What happens, in order: scenes or stretches of telling."""
    understood: Annotated[tuple[Line, ...], Field(min_length=1, max_length=4)]
    """What a reader has understood by its end."""
    ending: Line


class Plot(FrozenModel):
    """The plan that a told book is written from, or one of its acts or volumes."""

    reasoning: str = ""
    """Why it is so, and what was left out to keep it simple."""
    question: Line
    """What a reader wants to know from the first pages to the last."""
    secret: str = ""
    """What lies behind everything, in one plain sentence; empty where nothing does."""
    story: Annotated[tuple[Line, ...], Field(min_length=3, max_length=24)]
    """The story in a few sentences, each joined to the one before by what it leads to."""
    people: Annotated[tuple[Line, ...], Field(min_length=1, max_length=16)]
    """Who has a name: what each wants, how each talks, what each would never say."""
    chapters: Annotated[tuple[PlotChapter, ...], Field(min_length=1, max_length=24)]
    """Its parts, in order."""

    @property
    def lines_of_things(self) -> tuple[str, ...]:
        """What stands on early pages and counts later; a short plan has no list of it."""
        return ()

    @property
    def opening(self) -> "Plot":
        """What somebody knows who has read its first third, of two parts the first, and was told nothing else."""
        third = self.chapters[: -(-len(self.chapters) // 3)]
        return Plot.model_construct(question=self.question, secret="", story=(), people=(), chapters=third)


class _ChosenStory(FrozenModel):
    reasoning: str = ""
    chosen: Literal["A", "B"]


class ChosenPlot(Plot, _ChosenStory):
    """The better of two stories that were told for the same order, made into a plan; the choice is asked first."""


class DoubtedPlot(Plot):
    """A plan that was made once more, after somebody had doubted it."""

    seen: Annotated[tuple[Line, ...], Field(min_length=1, max_length=8)]
    """What stands on early pages for a reason of its own and means something else in the end, with its chapters."""

    @property
    def lines_of_things(self) -> tuple[str, ...]:
        """What stands on early pages and counts later, a line each."""
        return self.seen
