"""A talk with an agent: its turns, how a broken history is mended, and what goes when it grows too long."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from bookwright.models.frozen import FrozenModel, StrictModel

MOST_CHARACTERS = 400_000
"""What a session keeps, about 100 000 tokens of English."""

INTERRUPTED = "Observation: (interrupted: this tool was asked for and its answer was never recorded)"


class TurnKind(StrEnum):
    """What a turn is."""

    SAY = "say"
    """The person speaks."""
    ANSWER = "answer"
    """The agent answers, or says something without asking for a tool."""
    USE = "use"
    """The agent asks for a tool."""
    RESULT = "result"
    """What the tool answered, told to the agent."""


class Turn(StrictModel):
    """One turn, in the text form that the agents' loop reads and writes."""

    kind: TurnKind
    text: str

    @property
    def is_agents(self) -> bool:
        """True for what the model said, False for what it was told."""
        return self.kind in (TurnKind.ANSWER, TurnKind.USE)


class SessionState(FrozenModel):
    """Which session an execution goes on with. Source: REQUIREMENTS S4-005."""

    id: str
    initialized: bool = False
    """True once it holds a turn: it is resumed; False: it is new."""

    @classmethod
    def new(cls) -> "SessionState":
        """A session that is to be begun, under a fresh UUID."""
        return SessionState(id=str(uuid.uuid4()))


class Session(SessionState):
    """A session as it stands in the database."""

    book: str | None = None
    tab: str
    agent: str
    model: str = ""
    title: str = ""
    """The beginning of what was said first."""
    parent: str | None = None
    """The session that this one was forked from."""
    dropped_turns: int = 0
    created_at: float = 0.0
    updated_at: float = 0.0


class History(FrozenModel):
    """The turns of a session, fit to be sent: the person first, then by turns."""

    turns: tuple[Turn, ...] = ()
    repairs: tuple[str, ...] = ()
    """What was wrong with what was stored, and what was done about it; empty if nothing was."""
    dropped_turns: int = 0


def mended(turns: Iterable[Turn]) -> tuple[list[Turn], list[str]]:
    """Return turns that follow one another as a model expects them, and what had to be mended."""
    kept: list[Turn] = []
    repairs: list[str] = []
    for turn in turns:
        last = kept[-1] if kept else None
        if not turn.text.strip():
            repairs.append("an empty turn was left out")
        elif turn.kind is TurnKind.RESULT and (last is None or last.kind is not TurnKind.USE):
            repairs.append("an answer of a tool that nobody had asked was left out")
        elif last is None and turn.is_agents:
            repairs.append("a turn of the agent before anything was said to it was left out")
        else:
            _add(turn, kept, repairs)
    if kept and kept[-1].kind is TurnKind.USE:
        _answer_for_tool(kept, repairs)
    return kept, repairs


def _add(turn: Turn, kept: list[Turn], repairs: list[str]) -> None:
    if kept and kept[-1].kind is TurnKind.USE and turn.kind is not TurnKind.RESULT:
        _answer_for_tool(kept, repairs)
    if kept and kept[-1].is_agents == turn.is_agents:
        who = "agent" if turn.is_agents else "person"
        repairs.append(f"two turns of the {who} in a row were put together")
        former = kept.pop()
        turn = Turn(kind=turn.kind, text=f"{former.text}\n\n{turn.text}")
    kept.append(turn)


def _answer_for_tool(kept: list[Turn], repairs: list[str]) -> None:
    repairs.append("a use of a tool without its answer was given one that says so")
    kept.append(Turn(kind=TurnKind.RESULT, text=INTERRUPTED))


def surplus(kinds: Sequence[TurnKind], sizes: Sequence[int], most: int = MOST_CHARACTERS) -> set[int]:
    """Return the places of the turns to let go so that the rest has at most so many characters.

    The oldest exchanges go first, each whole (what was said up to the answer); the first and the last stay.
    Where that is not enough, uses of tools with their answers go, of the last exchange and then of the first.
    What was said first and last, and the last answer, always stay.
    """
    excess = sum(sizes) - most
    gone: set[int] = set()
    for group in _expendable(kinds):
        if excess <= 0:
            break
        excess -= sum(sizes[place] for place in group)
        gone.update(group)
    return gone


def _expendable(kinds: Sequence[TurnKind]) -> Iterator[range]:
    """Yield groups of neighbouring places, what matters least first."""
    starts = [place for place, kind in enumerate(kinds) if kind is TurnKind.SAY or place == 0]
    exchanges = [range(start, end) for start, end in zip(starts, [*starts[1:], len(kinds)], strict=True)]
    yield from exchanges[1:-1]
    for exchange in ([exchanges[-1]] if exchanges else []) + exchanges[: len(exchanges) > 1]:
        for place in exchange[:-1]:
            if kinds[place] is TurnKind.USE and kinds[place + 1] is TurnKind.RESULT:
                yield range(place, place + 2)
