"""Whether another version of one record could have changed what a text was made from.

Exact as far as the prompts are kept: what a prompt shows of the codex, and what it holds back, is made by code, so
both can be made again with either version and compared.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from bookwright.agents.relay.codex_then import CodexThen, RecordSlot
from bookwright.agents.relay.continuity import ContinuityDirector, hint_lines
from bookwright.agents.relay.guarding import guard_of
from bookwright.agents.relay.pieces import is_unknown, other_pieces, pieces_of, secrets_in_force
from bookwright.agents.relay.reviewing import Kept, is_rejected, kept_at, review_by_code
from bookwright.models.brief import Brief
from bookwright.models.codex import Visibility
from bookwright.models.codex_touch import Touch
from bookwright.models.document import DocumentKind
from bookwright.prompts.render import render_secrets
from bookwright.storage.embedding import Hashing

_END_OF_HINTS = "</hints>"
_CODE_ALONE = Hashing()
"""What it finds is never weighty enough to refuse a draft."""


@dataclass(frozen=True)
class Making:
    """A design, a brief or a chapter's text, and how it was made."""

    at: str
    """The label of its unit."""
    text: str
    kind: DocumentKind
    told: str
    """What was to happen, by which the entries of the codex were chosen."""
    cut_by: frozenset[int]
    """Rows of the codex for which something was taken out."""
    prompts: tuple[str, ...]
    """The blocks that stood in its prompts, as far as they are kept."""
    has_hints: bool
    """False in the profile for weak models, whose templates hold all there is to know."""
    was_reviewed: bool
    """A model read the text beside what is kept."""
    read: Callable[[], list[str]] = field(repr=False)
    """What readers had read by then."""
    designed: Callable[[], list[str]] = field(default=list, repr=False)
    """How the book is designed."""


class Toucher:
    """Compares two codices for the texts of one book."""

    def __init__(self, brief: Brief, locale: str) -> None:
        self._brief = brief
        self._locale = locale
        self._director = ContinuityDirector()

    def touch(self, made: Making, slot: RecordSlot, rows: set[int], old: CodexThen, new: CodexThen) -> Touch | None:
        """Return how the version of a record in `new` could have touched what was made under `old`; None if not.

        `rows` are the record's own; the two codices differ in nothing else.
        """
        if self._shown(made, old) != self._shown(made, new) and self._had_room(made, old.only(slot)):
            return Touch.SHOWN
        if made.kind is DocumentKind.DESIGN:
            return None  # whoever designs may read everything, and nobody checks it
        if made.was_reviewed and self._kept(made, old) != self._kept(made, new):
            return Touch.CHECKED
        if self._holds_back(made, slot, rows, old, new):
            return Touch.HELD_BACK
        if (
            made.kind is DocumentKind.PROSE
            and self.gives_away(made, new.only(slot))
            and not self.gives_away(made, old.only(slot))
        ):
            return Touch.TOLD
        return None

    def news(self, made: Making, old: CodexThen, new: CodexThen) -> tuple[str, ...]:
        """Return what is shown under `new` and was not under `old`; all of it where it only lost something."""
        before, after = self._shown(made, old), self._shown(made, new)
        return tuple(line for line in after if line not in before) or tuple(after)

    def gives_away(self, made: Making, codex: CodexThen) -> bool:
        """Whether the checks of a draft refuse a text for what a codex keeps at its place."""
        return is_rejected(review_by_code(made.text, self._kept(made, codex), self._brief.language, _CODE_ALONE))

    def _kept(self, made: Making, codex: CodexThen) -> Kept:
        return kept_at(codex.seen_at(made.at), codex.secrets(), codex.threads(), (), made.at, codex.reading_order())

    def _shown(self, made: Making, codex: CodexThen) -> list[str]:
        """What of a codex stood in the prompts, or would have."""
        if made.kind is not DocumentKind.PROSE:
            kept = secrets_in_force(codex.secrets(), made.at, codex.reading_order())
            return render_secrets(kept, self._locale).splitlines() if kept else []
        if not made.has_hints:
            return []
        lines = hint_lines(self._director.sight(made.at, codex, self._brief, told=made.told), self._locale)
        return lines[: _lines_shown(made)]

    def _had_room(self, made: Making, alone: CodexThen) -> bool:
        """Whether a secret that whoever plans was to be told of stood in the prompt; True if nobody can tell."""
        if made.kind is DocumentKind.PROSE or not made.prompts:
            return True
        lines = [line for line in self._shown(made, alone) if line.startswith("- ")]
        return all(any(line in block for block in made.prompts) for line in lines)

    def _holds_back(self, made: Making, slot: RecordSlot, rows: set[int], old: CodexThen, new: CodexThen) -> bool:
        """Whether something was taken out for the old version, or something that stood there goes for the new one."""
        before, after = _sides(made, old.only(slot)), _sides(made, new.only(slot))
        if before == after:
            return False
        is_public_changed = before.public != after.public
        if made.cut_by & rows or (made.cut_by and is_public_changed):
            return True
        return self._finds(made, new if is_public_changed else new.only(slot), new)

    def _finds(self, made: Making, quick: CodexThen, new: CodexThen) -> bool:
        """Whether the guard of a codex finds something in what it is held against; `quick` is what may have begun to.

        Whoever makes a brief may read everything, and only the brief is held against it.
        """
        nothing_read = guard_of(quick, made.at, self._brief, list)
        guarded = (made.text,) if made.kind is DocumentKind.WRITERS_BRIEF else made.prompts
        suspects = [text for text in guarded if nothing_read.violations(text)]
        if not suspects:
            return False
        guard = guard_of(new, made.at, self._brief, made.read, designed=made.designed)
        return any(guard.violations(text) for text in suspects)


def _lines_shown(made: Making) -> int | None:
    """How many lines of the hints had room; None where all had, or nobody can tell."""
    block = next((block for block in made.prompts if block.endswith(_END_OF_HINTS)), None)
    if block is None or made.cut_by:
        return None
    return sum(line.startswith("- ") for line in block.splitlines())


@dataclass(frozen=True)
class _Sides:
    """What a codex keeps from the writer of a unit, and what it lets everybody say."""

    withheld: list[tuple[object, ...]]
    public: list[tuple[object, ...]]


def _sides(made: Making, codex: CodexThen) -> _Sides:
    sections = [(seen, pieces_of(seen)) for seen in codex.seen_at(made.at)]
    others = other_pieces(codex.secrets(), codex.threads(), made.at, codex.reading_order())
    pieces = [*others, *(piece for _, own in sections for piece in own)]
    unknown = [seen.entry.names for seen, own in sections if is_unknown(seen, own)]
    known = [seen.entry.names for seen, own in sections if not is_unknown(seen, own)]
    kept = [(piece.text, piece.forbidden) for piece in pieces if piece.level < Visibility.KNOW]
    told = [(piece.allowed, piece.about, piece.text if piece.level >= Visibility.KNOW else "") for piece in pieces]
    return _Sides([*kept, *unknown], [*told, *known])
