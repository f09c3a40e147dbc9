"""Whether readers can solve it: clues before what rests on them, false trails answered, hooks paid, nothing crowded.

What a chapter shows is told by the events of the codex. Where no model has read a chapter, only words that stand
there letter for letter are known to be shown, so that what is missing counts as not seen and not as a fault.
"""

from collections.abc import Iterable, Mapping

from bookwright.agents.blueprints.ground import BookGround
from bookwright.agents.blueprints.wording import said
from bookwright.models.faults import CheckResult, CheckState, Fault, FaultSeverity
from bookwright.models.story.register import CRITICAL_A_CHAPTER, RegisteredThread, ThreadRole, Weight, crowded

Limits = Mapping[str, float]


def clues_before_reveal(ground: BookGround, limits: Limits) -> CheckResult:
    """Every clue is on the page before the chapter that reveals what it leads to."""
    faults, unseen = [], []
    clues = ground.laid(ThreadRole.CLUE)
    for clue in clues:
        reveal = _reveal(ground, clue)
        if any(chapter < reveal for chapter in ground.shown_in(clue.id)):
            continue
        if ground.were_read(reveal - 1):
            faults.append(_unseen_clue(ground, clue, reveal))
        else:
            unseen.append(clue.title)
    return _result("clues_before_reveal", ground, clues, faults, unseen)


def red_herrings_answered(ground: BookGround, limits: Limits) -> CheckResult:
    """Every false trail that was laid is answered before the book ends."""
    trails = ground.laid(ThreadRole.RED_HERRING)
    still_open = [own for own in trails if not ground.is_answered(own.id)]
    if not ground.were_read():
        return _result("red_herrings_answered", ground, trails, [], [own.title for own in still_open])
    faults = [_open_trail(ground, own) for own in still_open if ground.shown_in(own.id)]
    return _result("red_herrings_answered", ground, trails, faults, [])


def clues_per_chapter(ground: BookGround, limits: Limits) -> CheckResult:
    """No chapter shows more critical clues for the first time than readers can take in."""
    most = int(limits.get("most", CRITICAL_A_CHAPTER))
    clues = [clue for clue in ground.laid(ThreadRole.CLUE) if clue.is_critical_clue]
    first = {clue.id: shown[0] for clue in clues if (shown := ground.shown_in(clue.id))}
    faults = [_crowd(ground, chapter, clues, first, most) for chapter in crowded(first.values(), most)]
    unseen = [clue.title for clue in clues if clue.id not in first and not ground.were_read()]
    return _result("clues_per_chapter", ground, clues, faults, unseen)


def hooks_paid(ground: BookGround, limits: Limits) -> CheckResult:
    """Every hook that was set is paid, or brought back knowingly, within so many chapters."""
    within = int(limits.get("within", 30))
    hooks = ground.laid(ThreadRole.HOOK)
    last = ground.chapters[-1].number if ground.chapters else 0
    faults, unseen = [], []
    for hook in hooks:
        touched = sorted({*ground.shown_in(hook.id), *ground.answered_in(hook.id)})
        if not touched:
            unseen += [] if ground.were_read() else [hook.title]
            continue
        waits = [after - before for before, after in zip(touched, [*touched[1:], last], strict=True)]
        if max(waits[:-1] if ground.is_answered(hook.id) else waits, default=0) > within:
            faults.append(_open_hook(ground, hook, touched, within))
    return _result("hooks_paid", ground, hooks, faults, unseen)


def _reveal(ground: BookGround, clue: RegisteredThread) -> int:
    """The chapter that reveals what a clue leads to: where it did, else where it was to; the book may be shorter."""
    assert ground.register is not None  # the clue is one of it
    planned = ground.register.revealed_in(clue)
    last = ground.chapters[-1].number if ground.chapters else planned
    return min([*ground.answered_in(clue.id), planned, last])


def _unseen_clue(ground: BookGround, clue: RegisteredThread, reveal: int) -> Fault:
    place = min(clue.planted_in, reveal - 1) or 1
    is_critical = clue.weight is Weight.CRITICAL
    return Fault(
        label=ground.label_of(place), severity=FaultSeverity.CRITICAL if is_critical else FaultSeverity.WARNING,
        fault=said("clue_unseen", ground.locale, title=clue.title, chapter=reveal),
        order=said("show", ground.locale, seed=clue.seed, words=_words(clue)),
    )  # fmt: skip


def _open_trail(ground: BookGround, trail: RegisteredThread) -> Fault:
    return Fault(
        label=ground.label_of(trail.answered_in), severity=FaultSeverity.CRITICAL,
        fault=said("trail_open", ground.locale, title=trail.title),
        order=said("answer", ground.locale, title=trail.title, meaning=trail.meaning or trail.seed),
    )  # fmt: skip


def _crowd(
    ground: BookGround, chapter: int, clues: Iterable[RegisteredThread], first: Mapping[str, int], most: int
) -> Fault:
    here = [clue for clue in clues if first.get(clue.id) == chapter]
    return Fault(
        label=ground.label_of(chapter), severity=FaultSeverity.WARNING,
        fault=said("crowded", ground.locale, chapter=chapter, count=len(here), most=most),
        order=said("thin_out", ground.locale, titles=", ".join(clue.title for clue in here[most:])),
    )  # fmt: skip


def _open_hook(ground: BookGround, hook: RegisteredThread, touched: list[int], within: int) -> Fault:
    return Fault(
        label=ground.label_of(min(touched[-1] + within, hook.answered_in)), severity=FaultSeverity.WARNING,
        fault=said("hook_open", ground.locale, title=hook.title, chapter=touched[-1], within=within),
        order=said("answer", ground.locale, title=hook.title, meaning=hook.meaning or hook.seed),
    )  # fmt: skip


def _words(thread: RegisteredThread) -> str:
    return " / ".join(f"“{words}”" for words in thread.expressions[:2]) or "–"


def _result(
    check: str, ground: BookGround, looked_for: list[RegisteredThread], faults: list[Fault], unseen: list[str]
) -> CheckResult:
    if ground.register is None or not looked_for or not ground.chapters:
        return CheckResult(check=check, state=CheckState.NOT_CHECKED, note=said("nothing_laid", ground.locale))
    note = said("unseen", ground.locale, titles=", ".join(unseen)) if unseen else ""
    if faults:
        return CheckResult(check=check, state=CheckState.FAILED, faults=tuple(faults), note=note)
    return CheckResult(check=check, state=CheckState.NOT_CHECKED if unseen else CheckState.PASSED, note=note)
