"""Pages that code makes of what is there, and the report of a review or a verification.

Each is Markdown in the book's language, and pure.
"""

from collections.abc import Callable, Iterable
from itertools import groupby

from bookwright.agents.blueprints.snapshot import BookSnapshot, PageSeen
from bookwright.agents.blueprints.wording import check_name, word
from bookwright.models.blueprint import SPOILERS
from bookwright.models.faults import BlueprintReport, CheckResult, CheckState, Fault, VerdictKind
from bookwright.models.story.register import RegisteredThread, ThreadRole
from bookwright.models.text.prose import sentences

_FIRST = 240
"""Characters of a page's beginning that stand for it."""

_SECTIONS = ((ThreadRole.CLUE, "clues"), (ThreadRole.RED_HERRING, "red_herrings"), (ThreadRole.HOOK, "hooks"))


def overview(snapshot: BookSnapshot) -> str:
    """Every page by stage, with how it begins."""
    lines = [_first_of(snapshot.premise)] if snapshot.premise else []
    for stage, pages in groupby(_written(snapshot), key=lambda page: page.stage):
        lines += [f"## {stage}", *(_line(page, snapshot) for page in pages)]
    return "\n\n".join(lines)


def glossary(snapshot: BookSnapshot) -> str:
    """Every entry by name, with how its page begins."""
    entries = [page for page in snapshot.pages if page.is_entry] or _written(snapshot)
    return "\n\n".join(_line(page, snapshot) for page in sorted(entries, key=lambda page: page.title.casefold()))


def index(snapshot: BookSnapshot) -> str:
    """Every page and every chapter, with its label."""
    lines = [f"- {page.label} [[{page.title}]]" for page in snapshot.pages]
    return "\n".join([*lines, *(f"- {own.label} {own.number}. {own.title}" for own in snapshot.chapters)])


def cast_index(snapshot: BookSnapshot) -> str:
    """Who is in the book, and in which chapters."""
    entries = (page.title for page in snapshot.pages if page.is_entry)
    names = dict.fromkeys([*snapshot.people, *(title for title in entries if not snapshot.knows(title))])
    lines = [
        "- "
        + word("pair", snapshot.locale, what=f"**{name}**", told=_chapters(snapshot, snapshot.people.get(name, ())))
        for name in sorted(names, key=str.casefold)
    ]
    return "\n".join([f"## {word('people', snapshot.locale)}", "", *lines]) if lines else ""


def arc_index(snapshot: BookSnapshot) -> str:
    """The parts of the book with their chapters and how long each is."""
    blocks = []
    for (_, part), chapters in groupby(snapshot.chapters, key=lambda own: (own.label.rpartition(".")[0], own.part)):
        told = ((own, word("length", snapshot.locale, n=f"{own.length:,}")) for own in chapters)
        lines = [f"- {own.number}. {own.title}, {length}" for own, length in told]
        blocks.append("\n".join([*([f"## {part}", ""] if part else []), *lines]))
    return "\n\n".join(blocks)


def clue_index(snapshot: BookSnapshot) -> str:
    """Where each clue and each false trail is shown and answered. It tells the end."""
    parts = ((name, snapshot.laid(role)) for role, name in _SECTIONS if role is not ThreadRole.HOOK)
    return _under_headings(snapshot, ((name, _table(snapshot, some)) for name, some in parts if some))


def hook_index(snapshot: BookSnapshot) -> str:
    """Which hooks are paid, and which are open."""
    hooks = snapshot.laid(ThreadRole.HOOK)
    paid = [own for own in hooks if snapshot.is_answered(own.id)]
    parts = (("open", [own for own in hooks if own not in paid]), ("paid", paid))
    return _under_headings(snapshot, ((name, _table(snapshot, some)) for name, some in parts if some))


def readme(snapshot: BookSnapshot) -> str:
    """What stands where, and which pages give the end away."""
    told = [page for page in snapshot.pages if not page.is_spoiler]
    telling = [page for page in snapshot.pages if page.is_spoiler]
    blocks = [f"**{snapshot.title}**" if snapshot.title else "", _first_of(snapshot.premise)]
    blocks += [f"## {word('contents', snapshot.locale)}", *_by_stage(told)]
    if snapshot.chapters:
        blocks.append(arc_index(snapshot))
    if telling:
        blocks += [f"## {word('spoilers_at', snapshot.locale)}", *_by_stage(telling)]
    return "\n\n".join(block for block in blocks if block)


def register_page(snapshot: BookSnapshot) -> str:
    """A register as a person reads it. It tells the end."""
    register = snapshot.register
    if register is None:
        return ""
    secrets = [
        f"- {own.content}{_aside(snapshot, _pair(snapshot, 'revealed', own.revealed_in))}" for own in register.secrets
    ]
    parts = [("secrets", secrets)]
    parts += [(name, [_planned(snapshot, own) for own in snapshot.laid(role)]) for role, name in _SECTIONS]
    return _under_headings(snapshot, ((name, "\n".join(lines)) for name, lines in parts if lines))


PAGES: dict[str, Callable[[BookSnapshot], str]] = {
    "overview": overview, "glossary": glossary, "index": index, "cast_index": cast_index, "arc_index": arc_index,
    "clue_index": clue_index, "hook_index": hook_index, "readme": readme,
}  # fmt: skip
"""The pages that a blueprint may name."""


def page_text(name: str, snapshot: BookSnapshot, *, is_spoiler: bool) -> str:
    """Return a page by its name, under a mark if it tells the end."""
    text = PAGES[name](snapshot).strip() or word("nothing_found", snapshot.locale)
    return f"{word('spoiler', snapshot.locale)}\n\n{text}" if is_spoiler or name in SPOILERS else text


def _written(snapshot: BookSnapshot) -> list[PageSeen]:
    return [page for page in snapshot.pages if not page.is_made]


def _line(page: PageSeen, snapshot: BookSnapshot) -> str:
    return "- " + word("pair", snapshot.locale, what=f"[[{page.title}]]", told=_first_of(page.text))


def _by_stage(pages: Iterable[PageSeen]) -> list[str]:
    blocks = []
    for stage, some in groupby(pages, key=lambda page: page.stage):
        blocks.append("\n".join([f"### {stage}", "", *(f"- {page.label} [[{page.title}]]" for page in some)]))
    return blocks


def _first_of(text: str) -> str:
    """The first sentence that is no heading."""
    lines = [line.strip(" -*>|") for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    found = sentences(lines[0])[0] if lines and sentences(lines[0]) else ""
    return found if len(found) <= _FIRST else f"{found[:_FIRST].rstrip()} …"


def _under_headings(snapshot: BookSnapshot, parts: Iterable[tuple[str, str]]) -> str:
    return "\n\n".join(f"## {word(name, snapshot.locale)}\n\n{text}" for name, text in parts)


def _table(snapshot: BookSnapshot, threads: Iterable[RegisteredThread]) -> str:
    told = (word(name, snapshot.locale) for name in ("thread", "shown", "answered", "meaning"))
    names = [name[:1].upper() + name[1:] for name in told]
    rows = [_row(names), _row("---" for _ in names), *(_row(_cells(snapshot, own)) for own in threads)]
    return "\n".join(rows)


def _cells(snapshot: BookSnapshot, thread: RegisteredThread) -> Iterable[str]:
    answered = snapshot.answered_in(thread.id)
    planned = "" if answered else _aside(snapshot, word("planted", snapshot.locale))
    yield f"{thread.title}{_mark(snapshot, thread)}"
    yield _chapters(snapshot, snapshot.shown_in(thread.id))
    yield _chapters(snapshot, answered or (thread.answered_in,)) + planned
    yield thread.meaning


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(' '.join(cell.replace('|', '/').split()) for cell in cells)} |"


def _planned(snapshot: BookSnapshot, thread: RegisteredThread) -> str:
    places = ", ".join(_chapter(snapshot, place) for place in (thread.planted_in, *thread.reinforced_in))
    told = word("pair", snapshot.locale, what=f"**{thread.title}**{_mark(snapshot, thread)}", told=thread.seed)
    answered = _aside(snapshot, _pair(snapshot, "answered", thread.answered_in))
    meaning = f" {thread.meaning}" if thread.meaning else ""
    return f"- {told}{_aside(snapshot, places)}{meaning}{answered}"


def _mark(snapshot: BookSnapshot, thread: RegisteredThread) -> str:
    return _aside(snapshot, word("critical", snapshot.locale)) if thread.is_critical_clue else ""


def _aside(snapshot: BookSnapshot, told: str) -> str:
    return word("aside", snapshot.locale, n=told)


def _pair(snapshot: BookSnapshot, name: str, chapter: int) -> str:
    return word("pair", snapshot.locale, what=word(name, snapshot.locale), told=_chapter(snapshot, chapter))


def _chapters(snapshot: BookSnapshot, numbers: Iterable[int]) -> str:
    return ", ".join(_chapter(snapshot, number) for number in numbers) or word("never", snapshot.locale)


def _chapter(snapshot: BookSnapshot, number: int) -> str:
    return word("chapter", snapshot.locale, n=number)


def report_text(report: BlueprintReport, locale: str) -> str:
    """Return a report as Markdown, in the words of a `locale`; one of a verification begins with its verdict."""
    blocks = []
    if report.verdict is not None:
        told = word("pair", locale, what=word("verdict", locale), told=word(report.verdict.value, locale))
        blocks.append(f"**{told}**")
    blocks += [report.assessment] if report.assessment else []
    if report.checks:
        blocks += [f"## {word('checks', locale)}", "\n".join(_check(own, locale) for own in report.checks)]
    blocks += _faults(report, locale)
    blocks += [] if report.was_read else [word("not_read", locale)]
    return "\n\n".join(blocks)


def _faults(report: BlueprintReport, locale: str) -> Iterable[str]:
    shown = report.open if report.verdict is not None else report.faults
    yield f"## {word('open' if report.verdict is not None else 'faults', locale)}"
    if not shown:
        is_unseen = report.verdict is VerdictKind.OPEN_POINTS
        yield word("only_unseen" if is_unseen else "nothing_found", locale)
        return
    yield "\n".join(_fault(own, report, locale) for own in shown)


def _check(result: CheckResult, locale: str) -> str:
    note = word("aside", locale, n=result.note) if result.note else ""
    mark = "x" if result.state is CheckState.PASSED else " "
    told = word("pair", locale, what=check_name(result.check, locale), told=word(result.state.value, locale))
    return f"- [{mark}] {told}{note}"


def _fault(fault: Fault, report: BlueprintReport, locale: str) -> str:
    order = f" → {fault.order}" if fault.order else ""
    state = ""
    if report.verdict is None:
        state = word("aside", locale, n=word("to_mend" if fault.label in report.given else "unmended", locale))
    quoted = f" {word('quoted', locale, n=fault.evidence)}" if fault.evidence else ""
    severity = word(f"severity_{fault.severity}", locale)
    return f"- **{fault.label or word('unnamed', locale)}** [{severity}] {fault.fault}{quoted}{order}{state}"
