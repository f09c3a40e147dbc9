"""Who appears where: the people of the codex over the chapters, counted by their names in the text."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from bookwright.exports.manuscript import Manuscript
from bookwright.exports.report.charts import Chart, Presence, presences
from bookwright.models.codex.entries import CodexEntry, EntryKind
from bookwright.models.story.report import BookReport
from bookwright.models.text.language import Language

_MOST_PEOPLE = 24
_SHORTEST_FIRST_NAME = 3
_TITLES = frozenset(
    ("the", "mrs", "miss", "doctor", "captain", "father", "mother", "sister", "brother", "king", "queen")
)
"""Words that begin the names of many and are nobody's own."""


def presence_chart(report: BookReport, entries: Iterable[CodexEntry], manuscript: Manuscript) -> Chart | None:
    """Draw in which chapters the people of a book are named, who is named most first; None where nobody is."""
    people = [entry for entry in entries if entry.kind is EntryKind.CHARACTER]
    patterns = _patterns(people, manuscript.language)
    counts: dict[str, list[int]] = {entry.id: [] for entry in people}
    for chapter in report.chapters:
        scenes = [scene for own in manuscript.chapters(chapter.label) for scene in manuscript.scenes(own)]
        text = "\n".join(paragraph for scene in scenes for paragraph in scene)
        for identity, pattern in patterns.items():
            counts[identity].append(len(pattern.findall(text)))
    named = sorted((entry for entry in people if any(counts[entry.id])), key=lambda entry: -sum(counts[entry.id]))
    if not named:
        return None
    about = "In which chapters each person of the codex is named; the darker, the more often."
    rows = [Presence(entry.name, counts[entry.id]) for entry in named[:_MOST_PEOPLE]]
    return presences("Who appears where", about, rows, len(report.chapters))


def _patterns(people: Sequence[CodexEntry], language: Language) -> dict[str, re.Pattern[str]]:
    """Return what finds each person: their names, and in English a first name that nobody else has."""
    names = {entry.id: set(entry.names) for entry in people}
    if language is Language.EN:
        first = Counter(entry.name.split()[0] for entry in people)
        for entry in people:
            own = entry.name.split()[0]
            if first[own] == 1 and len(own) >= _SHORTEST_FIRST_NAME and own.lower() not in _TITLES:
                names[entry.id].add(own)
    return {identity: _pattern(some, language) for identity, some in names.items()}


def _pattern(names: Iterable[str], language: Language) -> re.Pattern[str]:
    """Longer names first, so that none is counted twice; words end where letters do, but for han and kana."""
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name)
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)" if language is Language.EN else either)
