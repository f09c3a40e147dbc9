"""Gates: places where a human decides, and the book rests until they do."""

from enum import StrEnum

from bookwright.models.frozen import FrozenModel


class GateKind(StrEnum):
    """What a gate is about."""

    OUTLINE = "outline"
    """The book's first plan, before anything of it is worked out."""
    BOOK_DESIGN = "book_design"
    """The design of the whole book, before it is divided or written."""
    VOLUME_DESIGN = "volume_design"
    """The design of one volume, before it is divided."""
    CHAPTER = "chapter"
    """A chapter, or what stands in a chapter's place, once it is closed."""
    UNIT = "unit"
    """Another unit that the author named, by itself or by a rule, once it is closed."""
    CANDIDATES = "candidates"
    """The drafts of a unit that has several, before one goes on."""
    HUMAN_FALLBACK = "human_fallback"
    """A draft that was refused as often as a revision may be made by itself. Source: REQUIREMENTS S2-049."""


PHASES = tuple(kind for kind in GateKind if kind not in (GateKind.HUMAN_FALLBACK, GateKind.UNIT))
"""Gates that a brief asks for by their kinds; units it names by rules, and a human fallback opens by itself."""


class GateState(StrEnum):
    """Where a gate stands. Nothing but a decision takes it out of waiting."""

    WAITING = "waiting"
    APPROVED = "approved"
    REJECTED = "rejected"


class Unattended(StrEnum):
    """What a book does about a draft that only a human could let pass, by its brief."""

    REST = "rest"
    """It waits for one."""
    ACCEPT = "accept"
    """It takes the draft, and the gate stays on record as a mark."""


class Decider(StrEnum):
    """By which way a decision came."""

    COMMAND = "command"
    """`bookwright approve` or `reject`."""
    PROMPT = "prompt"
    """The question that `write` asks in a terminal."""
    STUDIO = "studio"
    """The page of `bookwright studio`."""
    PREFECT = "prefect"
    """A flow run that was resumed with an answer."""
    BRIEF = "brief"
    """`unattended = "accept"`: nobody was asked."""


class Refusal(FrozenModel):
    """Why one draft was refused."""

    reasons: tuple[str, ...]


class FallbackHistory(FrozenModel):
    """What a human has to know to decide about a draft that was refused too often."""

    draft: str
    """The newest one, which approving takes."""
    refusals: tuple[Refusal, ...] = ()
    """Oldest first."""


class Ruling(FrozenModel):
    """What was decided about a gate, by whom, and what goes with it."""

    state: GateState
    note: str = ""
    """On a rejection the order under which the work is done again."""
    text: str = ""
    """Human fallback, approved: what is accepted, the author's own text or the stored draft."""
    by: Decider

    @property
    def is_approved(self) -> bool:
        """True if the book goes on with what there is."""
        return self.state is GateState.APPROVED


class Gate(FrozenModel):
    """One gate with what was decided."""

    id: int
    """Grows over all books of a database; what a person calls it by."""
    book: str
    node: int
    label: str = ""
    title: str = ""
    """The node's."""
    place: str = ""
    """The node as every verb takes it, with its title: `chapter 9 "The Debt" (1.16)`."""
    revision: int
    """The node's when the gate was opened."""
    kind: GateKind
    number: int = 1
    """Which gate of its kind at this revision of its node, from 1."""
    state: GateState
    note: str = ""
    draft: str = ""
    """Human fallback: the draft. Another gate that was rejected: what its work had come to."""
    text: str = ""
    """The author's own text, where they gave one."""
    refusals: tuple[Refusal, ...] = ()
    by: Decider | None = None
    """None while it waits."""
    created_at: float
    decided_at: float | None = None
    is_settled: bool = False
    """Nothing is left to be done about it: approved, or the work was set back for doing it again."""
    told_at: float | None = None
    """When the webhook took the news."""
    notice: str = ""
    """Why it did not."""

    @property
    def is_waiting(self) -> bool:
        """True until somebody decides."""
        return self.state is GateState.WAITING

    @property
    def last_issues(self) -> tuple[str, ...]:
        """Human fallback: what is wrong with the draft. Source: REQUIREMENTS S2-049."""
        return self.refusals[-1].reasons if self.refusals else ()

    @property
    def name(self) -> str:
        """The gate in a few words: `gate 3, outline of the book "The Log"`."""
        return f"gate {self.id}, {self.kind} of {self.place}"

    @property
    def how_to_decide(self) -> str:
        """The commands that do."""
        return (
            f"`bookwright approve {self.book} {self.id}` or "
            f'`bookwright reject {self.book} {self.id} --note "..."` decides'
        )

    @property
    def ruling(self) -> Ruling:
        """What was decided about it; only of a gate that waits no more."""
        assert self.by is not None
        return Ruling(state=self.state, note=self.note, text=self.text or self.draft, by=self.by)
