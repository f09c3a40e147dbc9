"""The checks of code that a blueprint may name, and those of form: length, references, links, names."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from bookwright.agents.blueprints import fair_play
from bookwright.agents.blueprints.fair_play import Limits
from bookwright.agents.blueprints.snapshot import BookSnapshot, ChapterSeen, PageSeen
from bookwright.agents.blueprints.wording import HEADING, is_heading, said
from bookwright.models.blueprint import CHARACTERS_A_WORD, CheckUse
from bookwright.models.codex.entries import folded
from bookwright.models.faults import CheckResult, CheckState, Fault, FaultSeverity
from bookwright.models.text.length import TOLERANCE

_LINK = re.compile(r"\[\[([^\[\]\n]{1,120})\]\]")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)、])\s+\S", re.MULTILINE)
_PAGE_LEEWAY = 0.5
"""By what share a page may miss its length before anybody is bothered with it: pages are asked for about a length."""


def links_of(text: str) -> list[str]:
    """Return the titles that a page names in double brackets, in order."""
    return [found.strip() for found in _LINK.findall(text)]


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
        links = links_of(page.text)
        known = {folded(link) for link in links if folded(link) in titles} | set(_named(page, pages[:place]))
        if len(known - {folded(page.title)}) < min(least, place):
            faults.append(_fault(page, "few_links", snapshot, FaultSeverity.INFO, count=len(known), least=least))
        stray = next((link for link in links if folded(link) not in titles), None)
        if stray:
            faults.append(_fault(page, "stray_link", snapshot, FaultSeverity.WARNING, title=stray))
    return _result("cross_references", len(pages) > 1, faults)


def names_known(snapshot: BookSnapshot, limits: Limits) -> CheckResult:
    """Everybody whom the register names stands on a page, and no two entries have one name."""
    pages, seen, faults = _written(snapshot), dict[str, PageSeen](), []
    faults += [
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


def _named(page: PageSeen, before: list[PageSeen]) -> Iterator[str]:
    """Titles of earlier pages that a page names without brackets."""
    text = folded(page.text)
    yield from (name for other in before if len(name := folded(other.title)) > 1 and name in text)


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


CHECKS: dict[str, tuple[Callable[[BookSnapshot, Limits], CheckResult], frozenset[str]]] = {
    "clues_before_reveal": (fair_play.clues_before_reveal, frozenset()),
    "red_herrings_answered": (fair_play.red_herrings_answered, frozenset()),
    "clues_per_chapter": (fair_play.clues_per_chapter, frozenset({"most"})),
    "hooks_paid": (fair_play.hooks_paid, frozenset({"within"})),
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
