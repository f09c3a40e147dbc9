"""The checks of code that a blueprint may name: of form, and whether readers can solve what a book asks of them.

Of form are length, references, links and names. Readers can solve it where clues come before what rests on them, false
trails are answered, hooks paid, and nothing crowded. What a chapter shows is told by the events of the codex. Where no
model has read a chapter, only words that stand there letter for letter are known to be shown, so that what is missing
counts as not seen and not as a fault.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from bookwright.agents.blueprints.snapshot import BookSnapshot, ChapterSeen, PageSeen
from bookwright.agents.blueprints.wording import HEADING, is_heading, said
from bookwright.models.blueprint import CHARACTERS_A_WORD, CheckUse
from bookwright.models.codex.entries import folded
from bookwright.models.faults import CheckResult, CheckState, Fault, FaultSeverity
from bookwright.models.story.register import CRITICAL_A_CHAPTER, RegisteredThread, ThreadRole, Weight, crowded
from bookwright.models.text.length import TOLERANCE

Limits = Mapping[str, float]

_LINK = re.compile(r"\[\[([^\[\]\n]{1,120})\]\]")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)、])\s+\S", re.MULTILINE)
_PAGE_LEEWAY = 0.5
"""By what share a page may miss its length before anybody is bothered with it: pages are asked for about a length."""


def references_of(text: str) -> int | None:
    """Count the entries of a page's list of references at its end; None where it has no such heading."""
    headings = list(HEADING.finditer(text))
    if not headings or not is_heading(headings[-1].group(1), "references"):
        return None
    return len(_ITEM.findall(text[headings[-1].end() :]))


def chapter_lengths(snapshot: BookSnapshot, limits: Limits) -> CheckResult:
    """Every chapter is as long as it was to be; within `least` and `most` words, where the book has room for that."""
    return _lengths("chapter_lengths", snapshot, limits, snapshot.chapters, TOLERANCE)


def entry_lengths(snapshot: BookSnapshot, limits: Limits) -> CheckResult:
    """Every entry is about as long as it was asked for; within `least` and `most` words, where the book has room."""
    entries = [page for page in snapshot.pages if page.is_entry and page.asked]
    return _lengths("entry_lengths", snapshot, limits, entries, _PAGE_LEEWAY)


def references(snapshot: BookSnapshot, limits: Limits) -> CheckResult:
    """A page that rests on something outside the book lists it at its end, three to eight entries."""
    least, most = int(limits.get("least", 3)), int(limits.get("most", 8))
    faults, were_seen = [], False
    for page in _written(snapshot):
        count = references_of(page.text)
        were_seen = were_seen or count is not None or bool(page.sources)
        if count is None and page.sources:
            faults.append(_fault(page, "no_references", snapshot, FaultSeverity.WARNING, least=least, most=most))
        elif count is not None and not min(least, page.sources or least) <= count <= most:
            faults.append(_fault(page, "references", snapshot, FaultSeverity.INFO, count=count, least=least, most=most))
    return _result("references", were_seen, faults)


def cross_references(snapshot: BookSnapshot, limits: Limits) -> CheckResult:
    """Every page but the first leans on others by name, and every page that it names is there."""
    least = int(limits.get("least", 1))
    pages = _written(snapshot)
    titles = {folded(page.title) for page in snapshot.pages}
    faults = []
    for place, page in enumerate(pages):
        links = [found.strip() for found in _LINK.findall(page.text)]
        text, before = folded(page.text), (folded(other.title) for other in pages[:place])
        named = {title for title in before if len(title) > 1 and title in text}  # without brackets
        known = named | {folded(link) for link in links if folded(link) in titles}
        if len(known - {folded(page.title)}) < min(least, place):
            faults.append(_fault(page, "few_links", snapshot, FaultSeverity.INFO, count=len(known), least=least))
        stray = next((link for link in links if folded(link) not in titles), None)
        if stray:
            faults.append(_fault(page, "stray_link", snapshot, FaultSeverity.WARNING, title=stray))
    return _result("cross_references", len(pages) > 1, faults)


def names_known(snapshot: BookSnapshot, limits: Limits) -> CheckResult:
    """Everybody whom the register names stands on a page, and no two entries have one name."""
    pages, seen = _written(snapshot), dict[str, PageSeen]()
    faults = [
        _fault(page, "same_name", snapshot, FaultSeverity.WARNING, title=page.title, other=first.label)
        for page in pages
        if page.is_entry and (first := seen.setdefault(folded(page.title), page)) is not page
    ]
    told = folded("\n".join(page.text + page.title for page in pages))
    named = dict.fromkeys(name for own in snapshot.laid() for name in own.characters)
    strangers = [name for name in named if name and folded(name) not in told]
    faults += [Fault(fault=said("stranger", snapshot.locale, title=name)) for name in strangers]
    return _result("names_known", bool(seen or named), faults)


def _written(snapshot: BookSnapshot) -> list[PageSeen]:
    return [page for page in snapshot.pages if not (page.is_findings or page.is_made)]


def _lengths(
    check: str, snapshot: BookSnapshot, limits: Limits, texts: Sequence[PageSeen | ChapterSeen], leeway: float
) -> CheckResult:
    """Whether each misses what was asked for by a share of at most `leeway`, or lies within the limits of its kind."""
    unit = snapshot.language.length_unit
    least, most = (limits.get(name, 0) * (1 if unit == "words" else CHARACTERS_A_WORD) for name in ("least", "most"))
    faults = []
    for own in texts:
        low, high = own.asked * (1 - leeway), own.asked * (1 + leeway)
        if least <= own.asked <= (most or own.asked):
            low = min(least or low, own.asked * (1 - TOLERANCE))
            high = max(most or high, own.asked * (1 + TOLERANCE))
        if not low <= own.length <= high:
            told = said("length", snapshot.locale, length=own.length, low=round(low), high=round(high), unit=unit)
            faults.append(Fault(label=own.label, severity=FaultSeverity.INFO, fault=told))
    return _result(check, bool(texts), faults)


def _fault(page: PageSeen, name: str, snapshot: BookSnapshot, severity: FaultSeverity, **values: object) -> Fault:
    return Fault(
        label=page.label, severity=severity, fault=said(name, snapshot.locale, **values),
        order=said(f"{name}_order", snapshot.locale, **values),
    )  # fmt: skip


def _result(check: str, was_there: bool, faults: list[Fault]) -> CheckResult:
    if not was_there and not faults:
        return CheckResult(check=check, state=CheckState.NOTHING)
    return CheckResult(check=check, state=CheckState.FAILED if faults else CheckState.PASSED, faults=tuple(faults))


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
    return _thread_result("clues_before_reveal", snapshot, clues, faults, unseen)


def red_herrings_answered(snapshot: BookSnapshot, limits: Limits) -> CheckResult:
    """Every false trail that was laid is answered before the book ends."""
    trails = snapshot.laid(ThreadRole.RED_HERRING)
    still_open = [own for own in trails if not snapshot.is_answered(own.id)]
    if not snapshot.were_read():
        return _thread_result("red_herrings_answered", snapshot, trails, [], [own.title for own in still_open])
    faults = [
        Fault(
            label=snapshot.label_of(own.answered_in), severity=FaultSeverity.CRITICAL,
            fault=said("trail_open", snapshot.locale, title=own.title),
            order=said("answer", snapshot.locale, title=own.title, meaning=own.meaning or own.seed),
        )
        for own in still_open
        if snapshot.shown_in(own.id)
    ]  # fmt: skip
    return _thread_result("red_herrings_answered", snapshot, trails, faults, [])


def clues_per_chapter(snapshot: BookSnapshot, limits: Limits) -> CheckResult:
    """No chapter shows more critical clues for the first time than readers can take in."""
    most = int(limits.get("most", CRITICAL_A_CHAPTER))
    clues = [clue for clue in snapshot.laid(ThreadRole.CLUE) if clue.is_critical_clue]
    first = {clue.id: shown[0] for clue in clues if (shown := snapshot.shown_in(clue.id))}
    faults = [_crowd(snapshot, chapter, clues, first, most) for chapter in crowded(first.values(), most)]
    unseen = [clue.title for clue in clues if clue.id not in first and not snapshot.were_read()]
    return _thread_result("clues_per_chapter", snapshot, clues, faults, unseen)


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
            faults.append(Fault(
                label=snapshot.label_of(min(touched[-1] + within, hook.answered_in)), severity=FaultSeverity.WARNING,
                fault=said("hook_open", snapshot.locale, title=hook.title, chapter=touched[-1], within=within),
                order=said("answer", snapshot.locale, title=hook.title, meaning=hook.meaning or hook.seed),
            ))  # fmt: skip
    return _thread_result("hooks_paid", snapshot, hooks, faults, unseen)


def _reveal(snapshot: BookSnapshot, clue: RegisteredThread) -> int:
    """The chapter that reveals what a clue leads to: where it did, else where it was to; the book may be shorter."""
    assert snapshot.register is not None  # the clue is one of it
    planned = snapshot.register.revealed_in(clue)
    last = snapshot.chapters[-1].number if snapshot.chapters else planned
    return min([*snapshot.answered_in(clue.id), planned, last])


def _unseen_clue(snapshot: BookSnapshot, clue: RegisteredThread, reveal: int) -> Fault:
    place = min(clue.planted_in, reveal - 1) or 1
    is_critical, shown = clue.weight is Weight.CRITICAL, clue.expressions[:2]
    return Fault(
        label=snapshot.label_of(place), severity=FaultSeverity.CRITICAL if is_critical else FaultSeverity.WARNING,
        fault=said("clue_unseen", snapshot.locale, title=clue.title, chapter=reveal),
        order=said("show", snapshot.locale, seed=clue.seed, words=" / ".join(f"“{words}”" for words in shown) or "–"),
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


def _thread_result(
    check: str, snapshot: BookSnapshot, looked_for: list[RegisteredThread], faults: list[Fault], unseen: list[str]
) -> CheckResult:
    if snapshot.register is None or not looked_for or not snapshot.chapters:
        return CheckResult(check=check, state=CheckState.NOT_CHECKED, note=said("nothing_laid", snapshot.locale))
    note = said("unseen", snapshot.locale, titles=", ".join(unseen)) if unseen else ""
    if faults:
        return CheckResult(check=check, state=CheckState.FAILED, faults=tuple(faults), note=note)
    return CheckResult(check=check, state=CheckState.NOT_CHECKED if unseen else CheckState.PASSED, note=note)


CHECKS: dict[str, tuple[Callable[[BookSnapshot, Limits], CheckResult], frozenset[str]]] = {
    "clues_before_reveal": (clues_before_reveal, frozenset()),
    "red_herrings_answered": (red_herrings_answered, frozenset()),
    "clues_per_chapter": (clues_per_chapter, frozenset({"most"})),
    "hooks_paid": (hooks_paid, frozenset({"within"})),
    "chapter_lengths": (chapter_lengths, frozenset({"least", "most"})),
    "entry_lengths": (entry_lengths, frozenset({"least", "most"})),
    "references": (references, frozenset({"least", "most"})),
    "cross_references": (cross_references, frozenset({"least"})),
    "names_known": (names_known, frozenset()),
}
"""Each with the limits that it knows."""


def checked(uses: Iterable[CheckUse], snapshot: BookSnapshot) -> tuple[CheckResult, ...]:
    """Return what each check comes to, in the order in which the blueprint names them."""
    return tuple(CHECKS[use.check][0](snapshot, use.limits) for use in uses)
