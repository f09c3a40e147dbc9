"""What a review of a blueprint's book finds, what became of it, and the verdict."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from bookwright.models.frozen import FrozenModel

_Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=600)]
_Said = Annotated[_Line, StringConstraints(min_length=1)]


class FaultSeverity(StrEnum):
    """How much the book loses by a fault, the most first."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


class Fault(FrozenModel):
    """Something that is wrong with one document."""

    label: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    """The node whose document has to change; empty where no single one can mend it."""
    severity: FaultSeverity = FaultSeverity.WARNING
    evidence: _Line = ""
    fault: _Said
    order: _Line = ""
    """What that document has to say instead."""


class FoundFaults(FrozenModel):
    """A reviewer's answer."""

    findings: Annotated[tuple[Fault, ...], Field(max_length=40)] = ()


class Point(FrozenModel):
    """What a verification says of one fault."""

    number: int = Field(ge=1)
    evidence: _Line = ""
    left: _Line = ""
    """What is still to be done; empty if nothing is."""
    is_mended: bool


class Verification(FrozenModel):
    """A verifier's answer."""

    points: Annotated[tuple[Point, ...], Field(max_length=60)] = ()
    assessment: _Line = ""


class CheckState(StrEnum):
    """What a check of code came to."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not_checked"
    """Code cannot tell."""
    NOTHING = "nothing"
    """There was nothing to look at."""


class CheckResult(FrozenModel):
    """One check of code."""

    check: str
    state: CheckState
    faults: tuple[Fault, ...] = ()
    note: str = ""
    """Why it was not checked, or in part not."""


class VerdictKind(StrEnum):
    """How a verification ends."""

    PASSED = "passed"
    OPEN_POINTS = "open_points"
    FAILED = "failed"


class BlueprintReport(FrozenModel):
    """What a review or a verification came to, as it is kept beside its text."""

    checks: tuple[CheckResult, ...] = ()
    faults: tuple[Fault, ...] = ()
    """All that were found, worst first."""
    given: tuple[str, ...] = ()
    """Review: labels of the documents that were given to be mended."""
    was_read: bool = False
    """A model has read it, too."""
    open: tuple[Fault, ...] = ()
    """Verification: what is left."""
    verdict: VerdictKind | None = None
    assessment: str = ""


_GRAVITY = tuple(FaultSeverity)


def worst_first(faults: tuple[Fault, ...]) -> tuple[Fault, ...]:
    """Return faults with the gravest first, otherwise as they stand."""
    return tuple(sorted(faults, key=lambda fault: _GRAVITY.index(fault.severity)))


def verdict_of(left: tuple[Fault, ...], checks: tuple[CheckResult, ...]) -> VerdictKind:
    """Return the verdict on what is left: failed with anything critical, passed with nothing left unmended."""
    if any(fault.severity is FaultSeverity.CRITICAL for fault in left):
        return VerdictKind.FAILED
    unseen = any(check.state is CheckState.NOT_CHECKED for check in checks)
    return VerdictKind.OPEN_POINTS if left or unseen else VerdictKind.PASSED
