"""Reads a reply in the ReAct form while it streams in, and yields what can be shown already. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

_BLANKS = " \t>*_#`-"
_THOUGHTS, _ACTIONS = ("thought", "思考", "想法"), ("action", "行动", "动作")
_FINISH = "finish"
_MARK = re.compile(
    rf"[{_BLANKS}]*(?:(?P<word>{'|'.join((*_THOUGHTS, *_ACTIONS))})[*_`]*[ \t]*[:：][ \t*_`]*|(?={_FINISH}[ \t]*\[))",
    re.IGNORECASE,
)
_CALL = re.compile(r"[\s*_`]*([A-Za-z][\w-]{0,63})[ \t`*]*\[")
_LONGEST_MARK = 24
"""Characters after which a line that may begin with a mark does not."""
_LONGEST_NAME = 70
_CLOSING = re.compile(r"[\]\s`]*\Z")


class ReplyPart(Enum):
    """What a piece of a reply is."""

    THOUGHT = auto()
    ANSWER = auto()


@dataclass(frozen=True)
class ShownPiece:
    """Something to show."""

    part: ReplyPart
    text: str


class _State(Enum):
    LINE = auto()
    """At the beginning of a line, which may be a mark."""
    WITHIN = auto()
    """Within a line that is none."""
    NAME = auto()
    """After the mark of an action: a tool, or the end."""
    FINISH = auto()
    """Within the brackets of the answer."""
    ACTION = auto()
    """A tool is asked for; nothing more is shown."""


class Unwrapping:
    """One reply as it comes. `agents.react.action.read` says in the end what it was; this guesses ahead of it."""

    def __init__(self) -> None:
        self._state = _State.LINE
        self._part = ReplyPart.ANSWER
        self._held = ""
        self._is_fresh = False
        """Nothing has come yet after the mark of a thought, but perhaps the rest of its decoration."""

    def feed(self, text: str) -> Iterator[ShownPiece]:
        """Take in an increment and yield what can be shown by now."""
        self._held += text
        while (piece := self._step()) is not None:
            if piece.text:
                yield piece

    def close(self) -> Iterator[ShownPiece]:
        """The reply is over: yield what was held back and is no mark of the form."""
        held, self._held = self._held, ""
        if self._state is _State.FINISH:
            held = _without_bracket(held)
        if held and self._state in (_State.LINE, _State.WITHIN, _State.FINISH):
            yield ShownPiece(self._part, held)

    def _step(self) -> ShownPiece | None:
        """Show or pass over a part of what is held; None where more has to come first."""
        if not self._held:
            return None
        match self._state:
            case _State.LINE:
                return self._line()
            case _State.WITHIN:
                return self._within()
            case _State.NAME:
                return self._name()
            case _State.FINISH:
                end = _CLOSING.search(self._held)
                return self._show(end.start() if end else len(self._held))
            case _State.ACTION:
                self._held = ""
                return None

    def _line(self) -> ShownPiece | None:
        mark = _MARK.match(self._held)
        if mark is None:
            if _may_become_mark(self._held):
                return None
            self._state = _State.WITHIN
            return ShownPiece(self._part, "")
        self._held = self._held[mark.end() :]
        is_thought = (mark["word"] or "").casefold() in _THOUGHTS
        self._state = _State.WITHIN if is_thought else _State.NAME
        self._part, self._is_fresh = (ReplyPart.THOUGHT, True) if is_thought else (self._part, False)
        return ShownPiece(self._part, "")

    def _within(self) -> ShownPiece | None:
        if self._is_fresh:
            self._held = self._held.lstrip(" \t*_`")
            self._is_fresh = not self._held
        end = self._held.find("\n")
        if end < 0:
            return self._show(len(self._held))
        self._state = _State.LINE
        return self._show(end + 1) or ShownPiece(self._part, "")

    def _name(self) -> ShownPiece | None:
        call = _CALL.match(self._held)
        if call is None:
            if len(self._held) < _LONGEST_NAME and "\n" not in self._held.strip():
                return None
            self._state = _State.ACTION
        elif call[1].casefold() == _FINISH:
            self._state, self._part, self._held = _State.FINISH, ReplyPart.ANSWER, self._held[call.end() :].lstrip()
        else:
            self._state = _State.ACTION
        return ShownPiece(self._part, "")

    def _show(self, end: int) -> ShownPiece | None:
        shown, self._held = self._held[:end], self._held[end:]
        return ShownPiece(self._part, shown) if shown else None


def _may_become_mark(held: str) -> bool:
    """True while a line is the beginning of what could be a mark."""
    if "\n" in held or len(held) >= _LONGEST_MARK:
        return False
    word = held.lstrip(_BLANKS).casefold()
    return any(known.startswith(word[: len(known)]) for known in (*_THOUGHTS, *_ACTIONS, _FINISH))


def _without_bracket(held: str) -> str:
    """Take off the bracket that closes the form and what stands after it."""
    return held.rstrip(" \t\r\n`").removesuffix("]")
