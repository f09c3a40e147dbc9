"""The plan of a book that one writer holds whole: its story in plain words, and its chapters."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bookwright.models.frozen import FrozenModel

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=600)]


class PlotChapter(FrozenModel):
    """One chapter as it is planned."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
    about: Line
    """What it is about, in a sentence."""
    events: Annotated[tuple[Line, ...], Field(min_length=1, max_length=5)]
    """What happens, in order: scenes or stretches of telling."""
    understood: Annotated[tuple[Line, ...], Field(min_length=1, max_length=4)]
    """What a reader has understood by its end."""
    ending: Line


class Plot(FrozenModel):
    """The better of two stories that were told for the same order, made into a plan."""

    reasoning: str = ""
    """Why this one, and what was left out of it to keep it simple."""
    chosen: Literal["A", "B"]
    question: Line
    """What a reader wants to know from the first pages to the last."""
    secret: str = ""
    """What lies behind everything, in one plain sentence; empty where nothing does."""
    story: Annotated[tuple[Line, ...], Field(min_length=3, max_length=24)]
    """The story in a few sentences, each joined to the one before by what it leads to."""
    people: Annotated[tuple[Line, ...], Field(min_length=1, max_length=16)]
    """Who has a name: what each wants, how each talks, what each would never say."""
    chapters: Annotated[tuple[PlotChapter, ...], Field(min_length=1, max_length=24)]

    @property
    def lines_of_things(self) -> tuple[str, ...]:
        """What stands on early pages and counts later; a short plan has no list of it."""
        return ()


class DoubtedPlot(Plot):
    """A plan that was made once more, after somebody had doubted it."""

    seen: Annotated[tuple[Line, ...], Field(min_length=1, max_length=8)]
    """What stands on early pages for a reason of its own and means something else in the end, with its chapters."""

    @property
    def lines_of_things(self) -> tuple[str, ...]:
        """What stands on early pages and counts later, a line each."""
        return self.seen
