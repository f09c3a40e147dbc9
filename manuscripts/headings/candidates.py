"""The lines of a manuscript that look like headings, with what stands between them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bookwright.manuscripts.headings.lines import Heading, Rank, heading_in, is_title
from bookwright.manuscripts.manuscript import Block

THIN = 60
"""Characters below which what stands between two headings is no chapter."""

_LEAST_RUN = 3
"""So many headings with nothing between them are a table of contents."""


@dataclass(frozen=True)
class Candidate:
    """A block that looks like a heading."""

    begins: int
    """Its first block: before `index` where the heading stands twice."""
    index: int
    heading: Heading
    text: str
    is_apart: bool = False
    offset: int = 0
    """Characters of the manuscript before it."""
    body: int = 0
    """Characters up to the next candidate."""

    @property
    def key(self) -> tuple[str, str, int | None]:
        """What it says it is: two of one key are one heading, told twice."""
        return self.heading.rank, self.heading.family, self.heading.number

    @property
    def is_thin(self) -> bool:
        """Whether nothing worth a heading stands below it."""
        return self.body < THIN


def candidates_in(blocks: Sequence[Block]) -> list[Candidate]:
    """Return the blocks that look like headings of chapters and parts, in order."""
    found, offset = [], 0
    for index, block in enumerate(blocks):
        heading = heading_in(block.text)
        if heading is not None:
            found.append(Candidate(index, index, heading, block.text, block.is_apart, offset))
        offset += len(block.text)
    return measured(found, offset)


def measured(candidates: Sequence[Candidate], total: int) -> list[Candidate]:
    """Return the candidates with the length of what stands below each, in a manuscript of so many characters."""
    ends = [*(candidate.offset for candidate in candidates), total][1:]
    return [
        replace(candidate, body=end - candidate.offset - len(candidate.text))
        for candidate, end in zip(candidates, ends, strict=True)
    ]


def undoubled(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Make one of headings that stand twice in a row; those with two titles are two."""
    kept: list[Candidate] = []
    for candidate in candidates:
        is_next = kept and kept[-1].index + 1 == candidate.index and kept[-1].key == candidate.key
        if is_next and len({one.heading.title.casefold() for one in (kept[-1], candidate)} - {""}) < 2:
            candidate = replace(candidate, begins=kept.pop().begins)
        kept.append(candidate)
    return kept


def without_contents(candidates: Sequence[Candidate], blocks: Sequence[Block]) -> list[Candidate]:
    """Return measured candidates but those of a table of contents: nothing between them, told again elsewhere."""
    kept: list[Candidate] = []
    every = Counter(candidate.key for candidate in candidates)
    for run in _thin_runs(candidates, blocks):
        is_marked = any(candidate.heading.rank is Rank.MATTER for candidate in run)
        inside = Counter(candidate.key for candidate in run)
        numbered = [candidate for candidate in run if candidate.heading.rank is not Rank.MATTER]
        repeats = [candidate for candidate in numbered if every[candidate.key] > inside[candidate.key]]
        is_contents = (len(run) >= _LEAST_RUN or is_marked) and len(repeats) >= 0.8 * len(numbered) and bool(repeats)
        dropped = repeats if is_contents else [candidate for candidate in numbered if candidate.heading.is_entry]
        kept += [candidate for candidate in run if candidate not in dropped]
    return kept


def _thin_runs(candidates: Sequence[Candidate], blocks: Sequence[Block]) -> list[list[Candidate]]:
    """Cut the candidates into runs with nothing but titles between their members."""
    runs: list[list[Candidate]] = []
    for candidate in candidates:
        if runs and runs[-1][-1].is_thin and _holds_titles(runs[-1][-1], candidate, blocks):
            runs[-1].append(candidate)
        else:
            runs.append([candidate])
    return [part for run in runs for part in _last_apart(run)]


def _holds_titles(before: Candidate, after: Candidate, blocks: Sequence[Block]) -> bool:
    between = blocks[before.index + 1 : after.index]
    return len(between) <= 2 and all(is_title(block.text) or len(block.text) < THIN // 2 for block in between)


def _last_apart(run: list[Candidate]) -> list[list[Candidate]]:
    """The last of a run has a text below it: where it is told in the run already, it begins the book itself."""
    if len(run) < 2 or run[-1].is_thin:
        return [run]
    cut = len(run) - 1
    keys = [candidate.key for candidate in run]
    while cut > 1 and run[cut - 1].key in keys[: cut - 1] and run[cut - 1].heading.rank is not Rank.MATTER:
        cut -= 1
    return [run[:cut], run[cut:]]
