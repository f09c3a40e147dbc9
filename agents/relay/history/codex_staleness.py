"""Decides whether another version of one codex record would have changed what a text was made from.

Exact as far as the prompts are kept: what a prompt shows of the codex, and what it holds back, is made by code, so
both can be made again with either version and compared. Most pairs of a text and a record are told apart by the
record alone; the rest of the codex is read, and prompts are fetched, only where that leaves a doubt.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from bookwright.agents.relay.continuity import ContinuityDirector, hint_lines
from bookwright.agents.relay.history.codex_then import CodexThen, RecordSlot
from bookwright.agents.relay.history.relevance import RecordLinks, RelevanceTest
from bookwright.agents.relay.leaks.check import gives_away
from bookwright.agents.relay.leaks.folding import letters_of
from bookwright.agents.relay.registers import planned_secrets
from bookwright.agents.relay.secrets.guard import Guard, guard_of, public_at
from bookwright.agents.relay.secrets.kept import Kept, kept_at
from bookwright.agents.relay.secrets.matching import Withholding
from bookwright.agents.relay.secrets.public import NOTHING_PUBLIC, Public
from bookwright.agents.workflows import LEAK_REVIEW
from bookwright.models.brief import Brief
from bookwright.models.codex.record import RecordKind
from bookwright.models.document import DocumentKind
from bookwright.models.staleness import Touch
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_part
from bookwright.storage.repositories.staleness import MakingCall, UnderCodex
from bookwright.storage.stores import Stores

_END_OF_HINTS = "</hints>"


@dataclass
class Making:
    """How a design, a brief or a chapter's text was made; what is costly is read when it is asked for, and once."""

    made: UnderCodex
    brief: Brief
    stores: Stores

    @property
    def at(self) -> str:
        """The label of its unit."""
        return self.made.unit

    @property
    def kind(self) -> DocumentKind:
        """The kind of the document that was made."""
        return self.made.kind

    @cached_property
    def text(self) -> str:
        """Its words."""
        return self.stores.texts.get(self.made.text_hash)

    @cached_property
    def told(self) -> str:
        """What was to happen, by which entries were chosen: the brief, else its unit's goal and the designs shown."""
        if self._brief is not None:
            return self._brief
        return "\n\n".join([self._unit.title, self._unit.goal, *self._designs])

    @property
    def has_hints(self) -> bool:
        """True if its writer had a brief or designs, and hints with them; templates tell a weak model all."""
        return self._brief is not None or (self.kind is DocumentKind.PROSE and bool(self._designs))

    @cached_property
    def cut_by(self) -> frozenset[int]:
        """Rows of the codex for which something was taken out."""
        use = self.stores.codex_uses.of(self.made.id)
        return frozenset(use.cut_by if use else ())

    @cached_property
    def prompts(self) -> Mapping[str, str]:
        """The blocks that stood before whoever wrote it by their hashes, as far as they are kept."""
        own = (call for call in self._calls if call.activity is not Activity.REVIEW)
        return self.stores.texts.get_many(dict.fromkeys(key for call in own for key in call.blocks))

    @property
    def was_reviewed(self) -> bool:
        """True if a model read it beside what is kept."""
        return any(call.step.partition(".")[0] == LEAK_REVIEW.name for call in self._calls)

    def public(self) -> Public:
        """What was public by then."""
        return public_at(self.stores, self.brief, self._unit, self.made.id)

    @cached_property
    def _calls(self) -> list[MakingCall]:
        return self.stores.codex_uses.calls_of(self.made.maker) if self.made.maker else []

    @cached_property
    def _unit(self) -> TaskNode:
        node = self.stores.nodes.get(self.made.node)
        return node if node.unit is None else self.stores.nodes.get(node.unit)

    @cached_property
    def _designs(self) -> list[str]:
        return self.stores.codex_uses.designs_of(self.made.id)

    @cached_property
    def _brief(self) -> str | None:
        return self.stores.codex_uses.brief_of(self.made.id)


@dataclass(frozen=True)
class RecordChange:
    """One record in two versions, and the two codices that differ in nothing else."""

    slot: RecordSlot
    rows: set[int]
    """The record's own."""
    before: CodexThen
    """The record alone, as it stood."""
    after: CodexThen
    """The record alone, as it would stand; empty if it was taken out."""
    old: Callable[[], CodexThen]
    new: Callable[[], CodexThen]
    links: RecordLinks
    """All texts of the codex in all versions."""


class StalenessTest:
    """Compares two codices for the texts of one book."""

    def __init__(self, brief: Brief, locale: str) -> None:
        self._brief = brief
        self._locale = locale
        self._director = ContinuityDirector()
        self._relevance = RelevanceTest()
        self._suspects: dict[tuple[object, str], bool] = {}
        """Whether a text, by its hash, may hold something that a record keeps back."""
        self._last: tuple[Making, RecordChange, list[str], list[str]] | None = None

    def touch(self, made: Making, change: RecordChange) -> Touch | None:
        """Return how the new version of a record could have touched what was made under the old one; None if not."""
        if self._is_shown_otherwise(made, change) and self._had_room(made, change.before):
            return Touch.SHOWN
        if made.kind is DocumentKind.DESIGN:
            return None  # whoever designs may read everything, and nobody checks it
        if self._is_kept_otherwise(made, change) and made.was_reviewed:
            return Touch.CHECKED
        if self._holds_back(made, change):
            return Touch.HELD_BACK
        if made.kind is DocumentKind.PROSE and self._tells_now(made, change):
            return Touch.TOLD
        return None

    def news(self, made: Making, change: RecordChange) -> tuple[str, ...]:
        """Return what is shown with the new version alone; all of it where it only lost something."""
        before, after = self._both(made, change)
        return tuple(line for line in after if line not in before) or tuple(after)

    def gives_away(self, made: Making, codex: CodexThen) -> bool:
        """Whether the checks of a draft refuse a text for what a codex keeps at its place."""
        kept = kept_at(codex, made.at)
        return gives_away(made.text, kept.secrets, kept.settings, kept.words, made.public)

    def _is_shown_otherwise(self, made: Making, change: RecordChange) -> bool:
        if made.kind is not DocumentKind.PROSE:
            return change.slot[0] is RecordKind.SECRET and self._is_listed_otherwise(made, change)
        alone = (*change.before.records, *change.after.records)
        if not made.has_hints or not any(
            self._relevance.bears(record, made.at, made.told, change.links) for record in alone
        ):
            return False
        if self._is_alike_alone(made, change) and not self._changes_others(made, change):
            return False
        before, after = self._both(made, change)
        return before != after

    def _is_alike_alone(self, made: Making, change: RecordChange) -> bool:
        """Whether a writer who had nothing but the record would be shown the same of both versions."""
        told = made.told if change.slot[0] is RecordKind.ENTRY else None
        codices = (change.before, change.after)
        sights = (self._director.sight(made.at, codex, self._brief, told=told) for codex in codices)
        before, after = ((own.codex, own.orders, own.reveals, own.hints, own.keywords.shown) for own in sights)
        return before == after

    def _changes_others(self, made: Making, change: RecordChange) -> bool:
        """Whether what is shown of other records may hang on which version stands."""
        if change.links.differ_in_links(change.before, change.after):
            return True
        before, after = kept_at(change.before, made.at).withheld, kept_at(change.after, made.at).withheld
        return _held(before) != _held(after) and change.links.are_quoted(change.slot, change.before, change.after)

    def _is_listed_otherwise(self, made: Making, change: RecordChange) -> bool:
        """Whether the list of secrets reads otherwise: a line of it, or their order."""
        if self._listed(made, change.before) != self._listed(made, change.after):
            return True
        if _rank(change.before) == _rank(change.after):
            return False
        return self._listed(made, change.old()) != self._listed(made, change.new())

    def _is_kept_otherwise(self, made: Making, change: RecordChange) -> bool:
        before, after = kept_at(change.before, made.at), kept_at(change.after, made.at)
        if (before.secrets, before.settings) != (after.secrets, after.settings):
            return True
        if before.words == after.words:
            return False
        # Others may forbid the same words.
        return _checked(kept_at(change.old(), made.at)) != _checked(kept_at(change.new(), made.at))

    def _both(self, made: Making, change: RecordChange) -> tuple[list[str], list[str]]:
        """What stood of the old codex in the prompts, and what would of the new one; the last answer is kept."""
        if self._last is None or self._last[0] is not made or self._last[1] is not change:
            before, after = (self._shown(made, codex(), change.links) for codex in (change.old, change.new))
            self._last = made, change, before, after
        return self._last[2:]

    def _shown(self, made: Making, codex: CodexThen, links: RecordLinks) -> list[str]:
        return self._hints(made, codex, links) if made.kind is DocumentKind.PROSE else self._listed(made, codex)

    def _listed(self, made: Making, codex: CodexThen) -> list[str]:
        planned = planned_secrets(codex.secrets(), made.at, codex.reading_order())
        return render_part("story/_secrets", self._locale, secrets=planned).splitlines() if planned else []

    def _hints(self, made: Making, codex: CodexThen, links: RecordLinks) -> list[str]:
        if not made.has_hints:
            return []
        on_stage = self._relevance.of(codex, made.at, made.told, links)
        lines = hint_lines(self._director.sight(made.at, on_stage, self._brief, told=made.told), self._locale)
        return lines[: _lines_shown(made)] if lines else []

    def _had_room(self, made: Making, alone: CodexThen) -> bool:
        """Whether a secret that whoever plans was to be told of stood in the prompt; True if nobody can tell."""
        if made.kind is DocumentKind.PROSE or not made.prompts:
            return True
        lines = [line for line in self._listed(made, alone) if line.startswith("- ")]
        return all(any(line in block for block in made.prompts.values()) for line in lines)

    def _holds_back(self, made: Making, change: RecordChange) -> bool:
        """Whether something was taken out for the old version, or something that stood there goes for the new one."""
        before, after = kept_at(change.before, made.at).withheld, kept_at(change.after, made.at).withheld
        if before == after:
            return False
        free = (*before.known, *before.allowed)
        is_public_changed = free != (*after.known, *after.allowed)
        if made.cut_by & change.rows or (made.cut_by and is_public_changed):
            return True
        # What was public through the record alone may be a phrase of another one that is kept back.
        is_wide = is_public_changed and (_held(before) != _held(after) or change.links.share_phrases(change.slot, free))
        return self._finds(made, change.new() if is_wide else change.after, change)

    def _finds(self, made: Making, quick: CodexThen, change: RecordChange) -> bool:
        """Whether the guard of a codex finds something in what it is held against; `quick` is what may have begun to.

        Whoever makes a brief may read everything, and only the brief is held against it.
        """
        nothing_read = guard_of(quick, made.at, lambda: NOTHING_PUBLIC)
        if nothing_read.is_idle:
            return False
        guarded = {"": made.text} if made.kind is DocumentKind.WRITERS_BRIEF else made.prompts
        looks_for = nothing_read.finds if quick is change.after else None
        suspects = [text for key, text in guarded.items() if self._is_suspect(nothing_read, looks_for, key, text)]
        if not suspects:
            return False
        guard = guard_of(change.new(), made.at, made.public)
        return any(guard.violations(text) for text in suspects)

    def _is_suspect(self, guard: Guard, looks_for: object, key: str, text: str) -> bool:
        """Hold a block against one record once, in however many prompts it stood."""
        known = self._suspects.get((looks_for, key)) if looks_for else None
        found = guard.may_find(letters_of(text)) and bool(guard.violations(text)) if known is None else known
        if looks_for and key:
            self._suspects[looks_for, key] = found
        return found

    def _tells_now(self, made: Making, change: RecordChange) -> bool:
        if _checked(kept_at(change.before, made.at)) == _checked(kept_at(change.after, made.at)):
            return False
        return self.gives_away(made, change.after) and not self.gives_away(made, change.before)


def _rank(alone: CodexThen) -> list[tuple[object, ...]]:
    """What the place of a secret in a list hangs on."""
    return [(secret.importance, secret.revealed_at) for secret in alone.secrets()]


def _lines_shown(made: Making) -> int | None:
    """How many lines of the hints had room; None where all had, or nobody can tell."""
    block = next((block for block in made.prompts.values() if block.endswith(_END_OF_HINTS)), None)
    if block is None or made.cut_by:
        return None
    return sum(line.startswith("- ") for line in block.splitlines())


def _checked(kept: Kept) -> tuple[object, ...]:
    """What a draft is held against."""
    return kept.secrets, kept.settings, kept.words


def _held(withheld: Withholding) -> tuple[object, ...]:
    return withheld.texts, withheld.words
