"""What a review found that a draft gives away, and what became of the draft."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bookwright.models.frozen import FrozenModel

Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=600)]
Result = Literal["approved", "warning", "rejected"]


class Suspicion(FrozenModel):
    """What a reader who has only the pages comes to suspect, as a reviewing model says it."""

    location: Line
    """The words of the text that raise it."""
    suspicion: Line
    type: Literal["over_hinting", "guessable", "statement", "other"] = "other"
    severity: Literal["critical", "warning", "info"] = "warning"
    secret: Line = ""
    """The id of the secret that it comes near to."""
    suggestion: Line = ""
    """What to do on the surface of the text; it goes to the writer, so it names nothing that is secret."""


class LeakJudgement(FrozenModel):
    """The answer of the leak reviewer: what was suspected, and then the verdict."""

    issues: Annotated[tuple[Suspicion, ...], Field(max_length=20)] = ()
    result: Result


class Leak(FrozenModel):
    """One place of a draft that gives something away, whoever found it."""

    found_by: Literal["code", "model"]
    kind: str
    severity: str
    excerpt: str
    detail: str
    suggestion: str = ""
    secret: str = ""

    @property
    def told(self) -> str:
        """The leak in one line, for a person."""
        about = f" [{self.secret}]" if self.secret else ""
        return f"{self.kind} ({self.severity}){about}: {self.detail}: “{' '.join(self.excerpt.split())}”"


class LeakRound(FrozenModel):
    """One review of one draft."""

    result: Result
    leaks: tuple[Leak, ...] = ()


class LeakReport(FrozenModel):
    """All reviews of a unit's text, oldest first; kept with the text that was accepted."""

    unit: str
    rounds: tuple[LeakRound, ...] = ()
    cut: tuple[str, ...] = ()
    """Sentences that code took out in the end, because no revision had put them right."""
    decided_by: str = ""
    """Who let the text pass where the last review rejected it: the way in which a gate was decided."""

    @property
    def as_text(self) -> str:
        """The reviews, a line for each leak."""
        lines = []
        for number, found in enumerate(self.rounds, 1):
            lines += [f"{number}. {found.result}", *(f"   - {leak.told}" for leak in found.leaks)]
        lines += [f"taken out by code: “{' '.join(sentence.split())}”" for sentence in self.cut]
        return "\n".join([*lines, *([f"let pass by: {self.decided_by}"] if self.decided_by else [])])
