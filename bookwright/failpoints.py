"""Named places where a test makes this process die, stop or fail; nothing happens unless it asks.

`BOOKWRIGHT_FAILPOINT=after:record_step:3=kill` kills the process group when a step was recorded for
the third time. Every transaction that writes has a name here, because `Database.write` asks for it,
so a crash suite can go through all of them. Source: DESIGN section 5.
"""

import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

SPEC_VARIABLE = "BOOKWRIGHT_FAILPOINT"
"""`when:point[:count]=action`: `before` or `after`, a name below, which time (1 by default), an action."""
LOG_VARIABLE = "BOOKWRIGHT_FAILPOINT_LOG"
"""A file that gets a line `when:point` each time one is passed."""


class Failpoint(StrEnum):
    """What is durable, or paid."""

    MIGRATE = "migrate"
    CREATE_BOOK = "create_book"
    EDIT_BOOK = "edit_book"
    """What a person does to a book that rests."""
    TAKE_LEASE = "take_lease"
    RENEW_LEASE = "renew_lease"
    TAKE_ALLOWANCE = "take_allowance"
    """A slice of the studio's cap, where there is one; it comes back with `LEAVE_BOOK`."""
    LEAVE_BOOK = "leave_book"
    CALL_MODEL = "call_model"
    """One try at one model; after it, the reply is paid for and not yet recorded."""
    RECORD_STEP = "record_step"
    RECORD_TOOL_USE = "record_tool_use"
    """What a tool brought, kept before the next call."""
    MOVE = "move"
    """A change of the book that no model call stands behind."""
    FILL_INDEX = "fill_index"
    """Vectors handed to Chroma, then the stamp that says so."""
    SEAL_INDEX = "seal_index"
    REPLACE_FILE = "replace_file"
    """An export moved to its place once it is whole."""
    BACKUP = "backup"
    """A backup moved to its place once it is whole."""
    KEEP_REPLACED = "keep_replaced"
    """The copy of what a restore is about to replace, moved to its place."""
    PREPARE_RESTORE = "prepare_restore"
    """What was backed up made fit to take over, beside what is there."""
    RESTORE = "restore"
    """What was backed up takes the place of what is there."""
    OPEN_GATE = "open_gate"
    """A gate that no step opens with its own record: the book is about to rest there."""
    DECIDE_GATE = "decide_gate"
    """A person's decision, or that of a brief."""
    SETTLE_GATE = "settle_gate"
    """What was rejected is set back for doing it again."""
    TELL_GATE = "tell_gate"
    """That a webhook was told of a gate, or could not be."""
    PRUNE = "prune"
    """Some prompts let go."""
    FORK = "fork"
    """A branch made of a book."""
    MERGE = "merge"
    """What was taken of a branch, or that taken back."""


class FailpointReached(RuntimeError):
    """What `raise` raises: a fault that no code of ours expects."""


@dataclass
class _Plan:
    place: str = ""
    count: int = 0
    action: str = ""
    """`kill`: SIGKILL to the whole process group, so that no handler runs and no buffer is flushed. `stop`: SIGSTOP, so
    that the process sleeps until somebody sends SIGCONT. `raise`: a fault that no code of ours expects."""
    log: Path | None = None
    passed: Counter[str] = field(default_factory=Counter)


_SPEC = re.compile(r"(before|after):([a-z_]+)(?::([1-9][0-9]*))?=(kill|stop|raise)")


def arm(spec: str = "", log: str = "") -> None:
    """Set what shall happen in this process from now on; without arguments nothing shall.

    Raises:
        ValueError: `spec` names no failpoint or action.
    """
    global _plan
    _plan = _Plan(log=Path(log) if log else None) if spec or log else None
    if _plan is None or not spec:
        return
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise ValueError(f"{SPEC_VARIABLE}={spec!r} is not when:point[:count]=action")
    _plan.place, _plan.count, _plan.action = f"{match[1]}:{Failpoint(match[2])}", int(match[3] or 1), match[4]


@contextmanager
def around(point: Failpoint) -> Iterator[None]:
    """Pass `before:point`, do what is inside, and pass `after:point` if it went well."""
    reach("before", point)
    yield
    reach("after", point)


def reach(when: str, point: Failpoint) -> None:
    """Pass a failpoint: `when` is `"before"` or `"after"`."""
    if _plan is not None:
        _pass(_plan, f"{when}:{point}")


def _pass(plan: _Plan, place: str) -> None:
    plan.passed[place] += 1
    if plan.log:
        file = os.open(plan.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(file, f"{place}\n".encode())
        os.close(file)
    if place != plan.place or plan.passed[place] != plan.count:
        return
    match plan.action:
        case "kill":
            os.killpg(os.getpgrp(), signal.SIGKILL)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case _:
            raise FailpointReached(place)


_plan: _Plan | None = None
arm(os.environ.get(SPEC_VARIABLE, ""), os.environ.get(LOG_VARIABLE, ""))
