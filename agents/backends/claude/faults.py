"""Turns errors that `claude` reports, and ends without a report, into errors of ours."""

import re
import time

from bookwright.agents.backends.claude.events import Event
from bookwright.agents.backends.wording import on_one_line
from bookwright.models.errors import BackendError, BackendUnavailable, MissingProgram, RequestRejected

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


def words_of(result: Event) -> str:
    """Return what a result says of an error; empty where it tells of none."""
    subtype = str(result.get("subtype") or "")
    if result.get("is_error") is not True and not subtype.startswith("error"):
        return ""
    errors = result.get("errors")
    listed = "; ".join(map(str, errors)) if isinstance(errors, list) else ""
    return str(result.get("result") or "") or listed or subtype or "an error without a word on it"


def finish_of(words: str) -> str:
    """Return how the answer ended, where that is the error: declined, or grown too long; empty for any other."""
    if _DECLINED.search(words):
        return "refusal"
    return "length" if _CUT.search(words) else ""


def of_result(name: str, result: Event, words: str) -> BackendError:
    """Say what a result that is an error means for us."""
    if result.get("subtype") == "error_max_turns":
        return RequestRejected(f"{name} came to no answer within {MAX_TURNS} turns")
    return of_words(name, words)


def of_words(name: str, words: str) -> BackendUnavailable | RequestRejected:
    """Say what the program's own words on an error mean for us."""
    shown, status = on_one_line(words), _status(words)
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


def of_silence(name: str, exit_code: int | None, complaint: str, *, has_begun: bool) -> BackendError | MissingProgram:
    """Say what it means that the program ended and gave no whole answer."""
    if _OPTION.search(complaint):
        return MissingProgram(
            f"the installed claude is too old for {name}: {on_one_line(complaint)}; bring it up to date (claude update)"
        )
    if complaint.strip() and not has_begun:
        known = of_words(name, complaint)
        if isinstance(known, RequestRejected) or known.kind != "server":
            return known
    said = f": {on_one_line(complaint[-300:])}" if complaint.strip() else ", without a word on why"
    return BackendUnavailable(f"{name} {_ending(exit_code)} before its answer was whole{said}", kind="broken_stream")


def _ending(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"was killed by signal {-exit_code}"
    return f"ended with code {exit_code}" if exit_code else "ended"


def _status(words: str) -> int:
    found = _STATUS.search(words)
    return int(found[1]) if found else 0


def _seconds_to_reset(words: str) -> float | None:
    """Seconds until a limit of a subscription is lifted, where its time is told."""
    found = _RESET.search(words)
    return max(1.0, int(found[1]) - time.time()) if found else None
