"""Whether readers can solve it: clues before what rests on them, false trails answered, hooks paid, nothing crowded.

What a chapter shows is told by the events of the codex. Where no model has read a chapter, only words that stand
there letter for letter are known to be shown, so that what is missing counts as not seen and not as a fault.
"""

from collections.abc import Iterable, Mapping

from bookwright.agents.blueprints.snapshot import BookSnapshot
from bookwright.agents.blueprints.wording import said
from bookwright.models.faults import CheckResult, CheckState, Fault, FaultSeverity
from bookwright.models.story.register import CRITICAL_A_CHAPTER, RegisteredThread, ThreadRole, Weight, crowded

Limits = Mapping[str, float]


def clues_before_reveal(snapshot: BookSnapshot, limits: Limits) -> CheckResult:
    """Every clue is on the page before the chapter that reveals what it leads to."""
    faults, unseen = [], []
    clues = snapshot.laid(ThreadRole.CLUE)
    for clue in clues:
        reveal = _reveal(snapshot, clue)
        if any(chapter < reveal for chapter in snapshot.shown_in(clue.id)):
            continue
        if snapshot.were_read(reveal - 1):
            faults.append(_unseen_clue(snapshot, clue, reveal))
        else:
            unseen.append(clue.title)
    return _result("clues_before_reveal", snapshot, clues, faults, unseen)


def red_herrings_answered(snapshot: BookSnapshot, limits: Limits) -> CheckResult:
    """Every false trail that was laid is answered before the book ends."""
    trails = snapshot.laid(ThreadRole.RED_HERRING)
    still_open = [own for own in trails if not snapshot.is_answered(own.id)]
    if not snapshot.were_read():
        return _result("red_herrings_answered", snapshot, trails, [], [own.title for own in still_open])
    faults = [_open_trail(snapshot, own) for own in still_open if snapshot.shown_in(own.id)]
    return _result("red_herrings_answered", snapshot, trails, faults, [])


def clues_per_chapter(snapshot: BookSnapshot, limits: Limits) -> CheckResult:
    """No chapter shows more critical clues for the first time than readers can take in."""
    most = int(limits.get("most", CRITICAL_A_CHAPTER))
    clues = [clue for clue in snapshot.laid(ThreadRole.CLUE) if clue.is_critical_clue]
    first = {clue.id: shown[0] for clue in clues if (shown := snapshot.shown_in(clue.id))}
    faults = [_crowd(snapshot, chapter, clues, first, most) for chapter in crowded(first.values(), most)]
    unseen = [clue.title for clue in clues if clue.id not in first and not snapshot.were_read()]
    return _result("clues_per_chapter", snapshot, clues, faults, unseen)


def hooks_paid(snapshot: BookSnapshot, limits: Limits) -> CheckResult:
    """Every hook that was set is paid, or brought back knowingly, within so many chapters."""
    within = int(limits.get("within", 30))
    hooks = snapshot.laid(ThreadRole.HOOK)
    last = snapshot.chapters[-1].number if snapshot.chapters else 0
    faults, unseen = [], []
    for hook in hooks:
        touched = sorted({*snapshot.shown_in(hook.id), *snapshot.answered_in(hook.id)})
        if not touched:
            unseen += [] if snapshot.were_read() else [hook.title]
            continue
        waits = [after - before for before, after in zip(touched, [*touched[1:], last], strict=True)]
        if max(waits[:-1] if snapshot.is_answered(hook.id) else waits, default=0) > within:
            faults.append(_open_hook(snapshot, hook, touched, within))
    return _result("hooks_paid", snapshot, hooks, faults, unseen)


def _reveal(snapshot: BookSnapshot, clue: RegisteredThread) -> int:
    """The chapter that reveals what a clue leads to: where it did, else where it was to; the book may be shorter."""
    assert snapshot.register is not None  # the clue is one of it
    planned = snapshot.register.revealed_in(clue)
    last = snapshot.chapters[-1].number if snapshot.chapters else planned
    return min([*snapshot.answered_in(clue.id), planned, last])


def _unseen_clue(snapshot: BookSnapshot, clue: RegisteredThread, reveal: int) -> Fault:
    place = min(clue.planted_in, reveal - 1) or 1
    is_critical = clue.weight is Weight.CRITICAL
    return Fault(
        label=snapshot.label_of(place), severity=FaultSeverity.CRITICAL if is_critical else FaultSeverity.WARNING,
        fault=said("clue_unseen", snapshot.locale, title=clue.title, chapter=reveal),
        order=said("show", snapshot.locale, seed=clue.seed, words=_words(clue)),
    )  # fmt: skip


def _open_trail(snapshot: BookSnapshot, trail: RegisteredThread) -> Fault:
    return Fault(
        label=snapshot.label_of(trail.answered_in), severity=FaultSeverity.CRITICAL,
        fault=said("trail_open", snapshot.locale, title=trail.title),
        order=said("answer", snapshot.locale, title=trail.title, meaning=trail.meaning or trail.seed),
    )  # fmt: skip


def _crowd(
    snapshot: BookSnapshot, chapter: int, clues: Iterable[RegisteredThread], first: Mapping[str, int], most: int
) -> Fault:
    here = [clue for clue in clues if first.get(clue.id) == chapter]
    return Fault(
        label=snapshot.label_of(chapter), severity=FaultSeverity.WARNING,
        fault=said("crowded", snapshot.locale, chapter=chapter, count=len(here), most=most),
        order=said("thin_out", snapshot.locale, titles=", ".join(clue.title for clue in here[most:])),
    )  # fmt: skip


def _open_hook(snapshot: BookSnapshot, hook: RegisteredThread, touched: list[int], within: int) -> Fault:
    return Fault(
        label=snapshot.label_of(min(touched[-1] + within, hook.answered_in)), severity=FaultSeverity.WARNING,
        fault=said("hook_open", snapshot.locale, title=hook.title, chapter=touched[-1], within=within),
        order=said("answer", snapshot.locale, title=hook.title, meaning=hook.meaning or hook.seed),
    )  # fmt: skip


def _words(thread: RegisteredThread) -> str:
    return " / ".join(f"“{words}”" for words in thread.expressions[:2]) or "–"


def _result(
    check: str, snapshot: BookSnapshot, looked_for: list[RegisteredThread], faults: list[Fault], unseen: list[str]
) -> CheckResult:
    if snapshot.register is None or not looked_for or not snapshot.chapters:
        return CheckResult(check=check, state=CheckState.NOT_CHECKED, note=said("nothing_laid", snapshot.locale))
    note = said("unseen", snapshot.locale, titles=", ".join(unseen)) if unseen else ""
    if faults:
        return CheckResult(check=check, state=CheckState.FAILED, faults=tuple(faults), note=note)
    return CheckResult(check=check, state=CheckState.NOT_CHECKED if unseen else CheckState.PASSED, note=note)
