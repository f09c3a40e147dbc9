"""Several drafts of the same pages: under which orders they were made, how they were judged, which one was chosen."""

from enum import StrEnum

from bookwright.models.frozen import FrozenModel

MOST_CANDIDATES = 4
"""Drafts that a unit may have: one for each order there is."""


class Angle(StrEnum):
    """What a draft's order asks for beside what all are asked for."""

    PLAIN = "plain"
    """Nothing more: the draft that is made without candidates, too."""
    ATTACK = "attack"
    CARRIER = "carrier"
    VOICE = "voice"

    @property
    def told(self) -> str:
        """It in words."""
        return {
            Angle.PLAIN: "the order as it stands", Angle.ATTACK: "another point of attack",
            Angle.CARRIER: "somebody else carries the scene", Angle.VOICE: "further into the voice",
        }[self]  # fmt: skip


ANGLES = tuple(Angle)
"""By a candidate's number, less one."""


class Decided(StrEnum):
    """By whom a candidate was chosen."""

    JUDGE = "judge"
    """Blind readers, who preferred it in both orders to each that it was held against."""
    RULE = "rule"
    """Where they did not agree: of a tie the earlier draft goes on."""
    AUTHOR = "author"
    NOBODY = "nobody"
    """The drafts were made beside a text that stands."""


class CandidateDraft(FrozenModel):
    """One draft."""

    number: int
    angle: Angle
    step: str
    """The journal's step that wrote it, by name."""
    length: int
    """In the book's unit."""
    text: str


class Opinion(FrozenModel):
    """What a reader said who saw two drafts and knew neither."""

    shown_first: int
    better: int | None = None
    """The number of the draft that was preferred; None where no answer could be used."""
    reason: str = ""


class DraftComparison(FrozenModel):
    """Two drafts, held against each other in both orders."""

    first: int
    second: int
    opinions: tuple[Opinion, ...]

    @property
    def winner(self) -> int | None:
        """The draft that was preferred in both orders; None for a tie."""
        found = {opinion.better for opinion in self.opinions}
        return found.pop() if len(found) == 1 else None

    @property
    def goes_on(self) -> int:
        """The winner; of a tie the earlier draft."""
        return self.winner or min(self.first, self.second)


class CandidateChoice(FrozenModel):
    """The candidates of a unit and the choice between them: a document of its own, beside its prose."""

    revision: int
    """Of the unit, when they were drafted."""
    candidates: tuple[CandidateDraft, ...]
    comparisons: tuple[DraftComparison, ...] = ()
    preferred: int
    """The draft that came out of the comparisons."""
    chosen: int
    """The draft that went on; 0 for a text that came of none of them."""
    by: Decided

    @property
    def is_agreed(self) -> bool:
        """True if blind readers preferred that draft in both orders to each that it was held against."""
        met = [one for one in self.comparisons if self.preferred in (one.first, one.second)]
        return all(one.winner == self.preferred for one in met)

    @property
    def summary(self) -> str:
        """The choice in a line."""
        best = f"candidate {self.preferred} of {len(self.candidates)}"
        read = (
            f"blind readers preferred {best} in both orders"
            if self.is_agreed
            else f"blind readers did not agree; of a tie the earlier draft comes out, {best}"
        )
        if self.by in (Decided.JUDGE, Decided.RULE):
            return read
        text = f"candidate {self.chosen}" if self.chosen else "a text of another origin"
        return f"{read}; {'its author chose' if self.by is Decided.AUTHOR else 'what stands is'} {text}"

    @property
    def as_text(self) -> str:
        """All of it in words: the choice, the candidates, and what readers said of each pair."""
        made = [f"{one.number}. {one.angle.told} ({one.length:,})" for one in self.candidates]
        return "\n\n".join([self.summary, "\n".join(made), *self.told])

    @property
    def told(self) -> tuple[str, ...]:
        """What readers said, a paragraph for each pair."""
        return tuple(map(_comparison_lines, self.comparisons))


def _comparison_lines(one: DraftComparison) -> str:
    came = f"{one.winner} is better" if one.winner else f"a tie, {one.goes_on} goes on"
    said = [
        f"- shown {opinion.shown_first} first: {opinion.better or 'no answer'}. {opinion.reason}".rstrip()
        for opinion in one.opinions
    ]
    return "\n".join([f"{one.first} against {one.second}: {came}", *said])
