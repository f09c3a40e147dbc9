"""What `claude` prints: the answer, gathered from its events, one JSON object a line, and its errors.

An error that it reports, and an end without a report, become errors of ours.
"""

import json
import math
import re
import time
from typing import Any

from bookwright.agents.backends.endpoints import on_one_line
from bookwright.agents.backends.protocol import EventKind, Listener, StreamEvent
from bookwright.models.amount import MICROS
from bookwright.models.errors import BackendError, BackendUnavailable, MissingProgram, RequestRejected
from bookwright.models.step import Usage

_SYNTHETIC = "<synthetic>"
"""The model of messages that the program makes up itself, to tell of an error."""

_COUNTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")

Event = dict[str, Any]

MAX_TURNS = 50
"""Source: REQUIREMENTS S0-029."""

_CUT = re.compile(r"output token maximum", re.IGNORECASE)
_DECLINED = re.compile(r"usage policy", re.IGNORECASE)
_OPTION = re.compile(r"unknown option|unknown argument", re.IGNORECASE)
_STATUS = re.compile(r"API Error:?\s*\(?(\d{3})\b")
_RESET = re.compile(r"\|\s*(\d{10})\b")
_REJECTIONS = (
    (
        re.compile(r"/login|not logged in|invalid api key|oauth token|authenticat|API Error: 40[13]", re.IGNORECASE),
        "is not logged in: run `claude` once and log in, or set ANTHROPIC_API_KEY",
    ),
    (re.compile(r"credit balance|billing", re.IGNORECASE), "has no credit left: top it up, then resume"),
    (
        re.compile(r"prompt is too long|context (window|length|limit)", re.IGNORECASE),
        "does not take so long a prompt; choose a model with a larger context window",
    ),
    (
        re.compile(r"selected model|model.{0,80}(not exist|not found|no access)|API Error: 404", re.IGNORECASE),
        "does not know the model, or may not use it; name another one",
    ),
)
_LIMIT = re.compile(r"limit reached|(hit|reached|exceeded) your .{0,40}limit|rate.?limit", re.IGNORECASE)
_NETWORK = re.compile(r"connection|network|fetch failed|timed out|E(CONN|NOTFOUND|TIMEDOUT|AI_AGAIN)", re.IGNORECASE)
_RETRIED = {408: "timeout", 409: "server", 425: "server", 429: "rate_limit", 529: "overloaded"}


def read_event(line: str) -> Event | None:
    """Read a line of output; None for one that is no event, such as a warning that got in between."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("type"), str) else None


class Hearing:
    """One answer, gathered from the events so far. No event raises, whatever it holds or lacks."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._is_live = False
        self._message: object = None
        self._counts: list[dict[str, int]] = []
        self._is_counted = True
        self.size = 0
        """Characters of text and reasoning so far."""
        self.last_message = ""
        """The text of the last message of the model."""
        self.complaint = ""
        """What the program said in the model's place."""
        self.stop = ""
        """Why the model stopped, in the words of Anthropic's API."""
        self.result: Event | None = None

    @property
    def text(self) -> str:
        """All text so far, over all messages."""
        return "".join(self._text)

    @property
    def reasoning(self) -> str:
        """What the model let be seen of its thoughts."""
        return "".join(self._reasoning)

    @property
    def answer(self) -> str:
        """The result, or the last message where there is none; empty where nothing whole has come."""
        result = (self.result or {}).get("result")
        return result if isinstance(result, str) and result.strip() else self.last_message

    @property
    def error(self) -> str:
        """What the result says of an error; empty where it tells of none."""
        result = self.result or {}
        subtype = str(result.get("subtype") or "")
        if result.get("is_error") is not True and not subtype.startswith("error"):
            return ""
        errors = result.get("errors")
        listed = "; ".join(map(str, errors)) if isinstance(errors, list) else ""
        return str(result.get("result") or "") or listed or subtype or "an error without a word on it"

    @property
    def usage(self) -> Usage:
        """What was counted: by the result, else by messages that are all at their end; nothing where neither was."""
        told = (self.result or {}).get("usage")
        counts = [_counts(told)] if isinstance(told, dict) else self._counts if self._is_counted else []
        read, cached, written, output = (sum(count[name] for count in counts) for name in _COUNTS)
        return Usage(
            input_tokens=read + cached + written, cached_tokens=cached, cache_write_tokens=written, output_tokens=output
        )

    @property
    def cost(self) -> int | None:
        """Millionths of a US dollar, as the result tells; None where it does not."""
        dollars = (self.result or {}).get("total_cost_usd")
        if isinstance(dollars, bool) or not isinstance(dollars, int | float) or not 0 <= dollars < 1_000_000:
            return None
        return math.ceil(round(dollars * MICROS, 3))

    @property
    def num_turns(self) -> int:
        """How often the model spoke for this answer."""
        told = (self.result or {}).get("num_turns")
        return told if isinstance(told, int) and told > 0 else 1

    @property
    def session_id(self) -> str:
        """The program's own name for the conversation."""
        return str((self.result or {}).get("session_id") or "")[:100]

    def add(self, event: Event) -> None:
        """Take in one event. What agents below the answering one say is not part of the answer."""
        if event.get("parent_tool_use_id"):
            return
        match event:
            case {"type": "stream_event", "event": dict(inner)}:
                self._add_piece(inner)
            case {"type": "assistant", "message": {"content": list(parts)} as message}:
                texts = [part["text"] for part in parts if _is_text(part)]
                if message.get("model") == _SYNTHETIC or event.get("error"):
                    self.complaint = "".join(texts) or self.complaint
                elif texts:
                    self._add_message("".join(texts), message.get("id"))
            case {"type": "result"}:
                self.result = event
                self._note_stop(event.get("stop_reason"))

    def _add_piece(self, inner: Event) -> None:
        match inner:
            case {"type": "content_block_delta", "delta": {"type": "text_delta", "text": str(piece)}}:
                self._is_live = True
                self._tell(piece)
            case {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": str(piece)}}:
                self._reasoning.append(piece)
                self._tell(piece, EventKind.REASONING)
            case {"type": "message_start", "message": {"usage": dict(usage)}}:
                self._counts.append(_counts(usage))
                self._is_counted = False
            case {"type": "message_delta"}:
                self._add_message_end(inner)

    def _add_message_end(self, inner: Event) -> None:
        delta, usage = inner.get("delta"), inner.get("usage")
        self._note_stop(delta.get("stop_reason") if isinstance(delta, dict) else None)
        if isinstance(usage, dict) and self._counts:
            told = {name: count for name, count in _counts(usage).items() if count}
            self._counts[-1] = {**self._counts[-1], **told}
            self._is_counted = True

    def _add_message(self, text: str, identity: object) -> None:
        """Take in a message, or one more part of it."""
        is_same = identity is not None and identity == self._message
        self.last_message = self.last_message + text if is_same else text
        self._message = identity
        if not self._is_live:
            self._tell(text)

    def _note_stop(self, reason: object) -> None:
        if isinstance(reason, str) and reason:
            self.stop = reason

    def _tell(self, piece: str, kind: EventKind = EventKind.TEXT) -> None:
        if not piece:
            return
        if kind is EventKind.TEXT:
            self._text.append(piece)
        self.size += len(piece)
        self._listener(StreamEvent(kind, piece))


def _is_text(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _counts(usage: Event) -> dict[str, int]:
    """Read the four counts; what is missing or no count is 0."""
    return {name: value if type(value := usage.get(name)) is int and value > 0 else 0 for name in _COUNTS}


def finish_of(words: str) -> str:
    """Return how the answer ended, where that is the error: declined, or grown too long; empty for any other."""
    if _DECLINED.search(words):
        return "refusal"
    return "length" if _CUT.search(words) else ""


def fault_of(
    name: str, hearing: Hearing, exit_code: int | None, complaint: str
) -> BackendError | MissingProgram | None:
    """Say what is wrong with what was heard of a run; None where nothing is."""
    if hearing.result is None:
        if hearing.last_message.strip() and not exit_code:
            return None
        return _of_silence(name, exit_code, hearing.complaint or complaint, has_begun=bool(hearing.text))
    if hearing.error and hearing.result.get("subtype") == "error_max_turns":
        return RequestRejected(f"{name} came to no answer within {MAX_TURNS} turns")
    if hearing.error:
        return _of_words(name, hearing.error)
    return None if hearing.answer.strip() else BackendUnavailable(f"{name} answered nothing", kind="empty")


def _of_words(name: str, words: str) -> BackendUnavailable | RequestRejected:
    """Say what the program's own words on an error mean for us."""
    found = _STATUS.search(words)
    shown, status = on_one_line(words), int(found[1]) if found else 0
    if _LIMIT.search(words) or status == 429:
        return BackendUnavailable(
            f"{name} asks for fewer requests: {shown}", kind="rate_limit", retry_after=_seconds_to_reset(words)
        )
    for pattern, advice in _REJECTIONS:
        if pattern.search(words):
            return RequestRejected(f"{name} {advice}. {shown}")
    if 400 <= status < 500 and status not in _RETRIED:
        return RequestRejected(f"{name} refuses the request ({status}). {shown}")
    kind = _RETRIED.get(status) or ("connection" if not status and _NETWORK.search(words) else "server")
    return BackendUnavailable(f"{name} had an error: {shown}", kind=kind)


def _of_silence(name: str, exit_code: int | None, complaint: str, *, has_begun: bool) -> BackendError | MissingProgram:
    """Say what it means that the program ended and gave no whole answer."""
    if _OPTION.search(complaint):
        return MissingProgram(
            f"the installed claude is too old for {name}: {on_one_line(complaint)}; bring it up to date (claude update)"
        )
    if complaint.strip() and not has_begun:
        known = _of_words(name, complaint)
        if isinstance(known, RequestRejected) or known.kind != "server":
            return known
    said = f": {on_one_line(complaint[-300:])}" if complaint.strip() else ", without a word on why"
    return BackendUnavailable(f"{name} {_ending(exit_code)} before its answer was whole{said}", kind="broken_stream")


def _ending(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"was killed by signal {-exit_code}"
    return f"ended with code {exit_code}" if exit_code else "ended"


def _seconds_to_reset(words: str) -> float | None:
    """Seconds until a limit of a subscription is lifted, where its time is told."""
    found = _RESET.search(words)
    return max(1.0, int(found[1]) - time.time()) if found else None
