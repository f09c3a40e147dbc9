"""What an author is told of threads that were laid and are not looked after.

Source: DETAILS "Foreshadowing life cycle", alerts and pacing profiles.
"""

import re
from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from bookwright.agents.relay.secrets.coming_out import MOST_ORDERS, told_in
from bookwright.models.codex.entries import Secret, folded
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadStatus
from bookwright.models.frozen import FrozenModel
from bookwright.models.text.language import lazy_pattern
from bookwright.models.tree.place import Place, ReadingOrder


class AlertType(StrEnum):
    """What an alert is about."""

    PAYOFF_REMINDER = "payoff_reminder"
    LONG_SILENCE = "long_silence"
    UNCLOSED_FORESHADOWING = "unclosed_foreshadowing"
    UNINTENTIONAL_FORESHADOWING = "unintentional_foreshadowing"
    PAYOFF_TIMING_SUGGESTION = "payoff_timing_suggestion"
    MISSED_PLANTING = "missed_planting"
    MISSED_REVEAL = "missed_reveal"
    """A secret was to come out and did not."""


class Alert(FrozenModel):
    """One thing that wants looking after."""

    type: AlertType
    foreshadowing_id: str = ""
    """A secret's id where it is about one; empty for a sentence that no thread is registered for."""
    chapters: int = 0
    """How many chapters are left, or have passed; below 0 they are overdue."""
    excerpt: str = ""
    detail: str


class Pacing(FrozenModel):
    """How soon a book's threads want looking after, in chapters."""

    name: str = "custom"
    reminder: int = Field(ge=0, le=10_000)
    """From so many chapters before its payoff on a thread is named."""
    silence: int = Field(ge=1, le=10_000)
    """After so many chapters without a word a thread is named."""


PACINGS = {
    pacing.name: pacing
    for pacing in (
        Pacing(name="slow", reminder=10, silence=20),
        Pacing(name="medium", reminder=5, silence=10),
        Pacing(name="fast", reminder=3, silence=5),
    )
}

STILL_OPEN = "is open at the end of the book"
"""Ends the alert of a thread that the book leaves open."""

_SENTENCE = lazy_pattern(r"[^.!?。！？…\n]+(?:[.!?。！？…]+[\"”’」』）)]*)?")
_HINT = lazy_pattern(
    r"little did (?:\w+ ){1,3}know|(?:would|was to) (?:soon |later |one day )?(?:regret|remember|come to)\b"
    r"|for (?:reasons|some reason)[^.]{0,30}(?:not|n't|never)|as (?:if|though)[^.]{0,40}(?:hiding|a secret)"
    r"|for the last time|had (?:no|not the faintest) idea (?:that|what|how)"
    r"|殊不知|(?:日后|后来|多年以?后)[^。]{0,20}才(?:明白|知道|懂得)|不知(?:道)?为(?:什么|何)|似乎(?:在)?(?:隐瞒|隐藏)|最后一次"
    r"|(?:この|その)とき[はも]?(?:まだ)?[^。]{0,30}知(?:らなかった|る由もなかった)|なぜか|後に[^。]{0,20}(?:知る|悔やむ)|隠し(?:て|ている)(?:かの)?よう"
    r"|(?:이때|그때)[^.]{0,20}(?:몰랐|알지 못했)|왠지|훗날[^.]{0,30}(?:깨닫|알게|후회)|숨기(?:고 있는|는) (?:듯|것 같)",
    re.IGNORECASE,
)
"""Phrases by which narrators of four languages promise more than they tell."""
_LONGEST_EXCERPT = 200


def generate_alerts(
    threads: Iterable[Foreshadowing], at: str, reading: ReadingOrder, pacing: Pacing, *,
    is_finished: bool = False, climax: Place | None = None, secrets: Iterable[Secret] = (),
) -> list[Alert]:  # fmt: skip
    """Return what wants looking after once the unit `at` is written, thread by thread, then secret by secret.

    `climax` is where the book comes to its height: a thread without a planned payoff could be paid off there.
    """
    here = reading.chapter_of(at)
    found: list[Alert] = []
    for thread in threads:
        if thread.is_open:
            found += _of_open(thread, here, reading, pacing, climax, is_finished=is_finished)
        elif _is_missed(thread, here, reading, is_finished=is_finished):
            detail = f"{thread.title!r} was to be planted by now and is not"
            found.append(Alert(type=AlertType.MISSED_PLANTING, foreshadowing_id=thread.id, detail=detail))
    return found + _of_secrets(secrets, reading, is_finished=is_finished)


def _of_secrets(secrets: Iterable[Secret], reading: ReadingOrder, *, is_finished: bool) -> list[Alert]:
    """Name the secrets that were to come out and did not, as far as anybody looked."""
    found = []
    for secret in secrets:
        if secret.revealed_at is None or told_in(secret) is not None:
            continue
        is_beyond = is_finished and reading.number(secret.revealed_at) > max(len(reading.chapters), 1)
        if secret.events or is_beyond:
            goes_on = "" if is_finished or len(secret.events) >= MOST_ORDERS else "; the next chapter is told to"
            detail = f"{secret.id!r} was to come out ({secret.revealed_at}) and has not{goes_on}"
            found.append(Alert(type=AlertType.MISSED_REVEAL, foreshadowing_id=secret.id, detail=detail))
    return found


def unintended(text: str, threads: Iterable[Foreshadowing]) -> list[Alert]:
    """Return the sentences of a text that promise something no thread is registered for."""
    known = [folded(words) for thread in threads for words in _own_words(thread) if words]
    found = (sentence.group().strip() for sentence in _SENTENCE.finditer(text))
    strays = (sentence for sentence in found if _HINT.search(sentence) and not _is_known(folded(sentence), known))
    return [
        Alert(
            type=AlertType.UNINTENTIONAL_FORESHADOWING,
            excerpt=sentence[:_LONGEST_EXCERPT],
            detail="this reads like a promise, and no thread is registered for it",
        )
        for sentence in strays
    ]


def silence_of(thread: Foreshadowing, here: int, reading: ReadingOrder) -> int | None:
    """Return how many chapters ago a text last did something for a thread; None if none ever did."""
    last = max((reading.number(event.place) for event in thread.timeline.events), default=None)
    return None if last is None else max(0, here - last)


def _of_open(
    thread: Foreshadowing, here: int, reading: ReadingOrder, pacing: Pacing, climax: Place | None, *, is_finished: bool
) -> list[Alert]:
    if is_finished:
        return [_alert(thread, AlertType.UNCLOSED_FORESHADOWING, 0, STILL_OPEN)]
    found = []
    planned = thread.payoff.planned_at
    if planned is not None and (left := reading.number(planned) - here) <= pacing.reminder:
        ahead = f"is due in {left} chapter{'' if left == 1 else 's'}" if left else f"is due here ({planned})"
        due = ahead if left >= 0 else "is overdue"
        found.append(_alert(thread, AlertType.PAYOFF_REMINDER, left, due))
    silence = silence_of(thread, here, reading)
    if silence is not None and silence >= pacing.silence:
        found.append(_alert(thread, AlertType.LONG_SILENCE, silence, f"was last touched {silence} chapters ago"))
    if planned is None and climax is not None and 0 <= (left := reading.number(climax) - here) <= pacing.reminder:
        where = f"{left} chapter{'' if left == 1 else 's'} away" if left else "here"
        detail = f"has no planned payoff; the climax is {where}"
        found.append(_alert(thread, AlertType.PAYOFF_TIMING_SUGGESTION, left, detail))
    return found


def _alert(thread: Foreshadowing, type_: AlertType, chapters: int, detail: str) -> Alert:
    return Alert(type=type_, foreshadowing_id=thread.id, chapters=chapters, detail=f"{thread.title!r} {detail}")


def _is_missed(thread: Foreshadowing, here: int, reading: ReadingOrder, *, is_finished: bool) -> bool:
    planned = thread.seed.planned_at
    if thread.status is not ThreadStatus.REGISTERED or planned is None:
        return False
    return is_finished or reading.number(planned) < here


def _own_words(thread: Foreshadowing) -> Iterable[str]:
    events = (event.expression for event in thread.timeline.events)
    return (thread.seed.content, *thread.ai_visibility.allowed_expressions, *events)


def _is_known(sentence: str, known: list[str]) -> bool:
    return any(words in sentence or sentence in words for words in known)
