"""The visibility filter: how much of each section, secret and thread the writer of a unit gets, and the hints.

Hidden texts do not come out, nor does what quotes them; of what a writer is only aware of comes a
neutral notice; what may be hinted at comes with the words for it. The weightiest of all that is only to
shine through, threads included, are the unit's hints.

Source: DESIGN section 10, item 2; DETAILS "Visibility levels" and faults 1, 2 and 4, "Foreshadowing life cycle", hints;
REQUIREMENTS S2-037.
"""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from bookwright.agents.relay.codex_texts import SECTION_SUBTLETY, CodexText
from bookwright.agents.relay.secrets.kept import Kept
from bookwright.agents.relay.secrets.matching import Matcher
from bookwright.agents.relay.threads.foreshadowing import BANDS, SubtletyBand
from bookwright.agents.relay.threads.instructions import ForeshadowAction, ForeshadowInstruction
from bookwright.models.codex.entries import EntryKind, Visibility, folded
from bookwright.models.codex.sight import SeenEntry
from bookwright.models.frozen import FrozenModel

_STOPS = (".", "!", "?", "…", "。", "！", "？")
_CLOSING = " \n\"'”’」』）)"


class VisibleSection(FrozenModel):
    """A section that may be used freely."""

    name: str
    text: str
    is_history: bool = False
    """It tells of a phase that is over."""

    @property
    def is_sentence(self) -> bool:
        """Whether its text can be understood without the section's name."""
        return self.text.rstrip(_CLOSING).endswith(_STOPS)


class VisibleEntry(FrozenModel):
    """An entry as its writer sees it."""

    id: str
    kind: EntryKind
    name: str
    aliases: tuple[str, ...] = ()
    phase: str | None = None
    sections: tuple[VisibleSection, ...] = ()


class KnownFact(FrozenModel):
    """What is out, or may be told freely."""

    text: str
    about: str = ""
    """The entry it belongs to, as its record names it."""
    is_told: bool = True
    """Readers have read it; else it is true and free to be told."""
    told_in: int | None = None
    """The number of the chapter in which it came out, where that is known."""
    is_later: bool = False
    """The unit is set before it happens: nobody in it can know it."""
    unaware: tuple[str, ...] = ()
    """Who comes to know it later than the unit is set."""


class Restricted(FrozenModel):
    """What the writer knows and may only hint at."""

    source: str
    """`"secret"`, `"foreshadowing"`, `"character"` or `"world"`."""
    id: str
    about: str = ""
    """The entry it belongs to, by name; empty where that is not shown."""
    content: str
    allowed_expressions: tuple[str, ...] = ()
    forbidden_keywords: tuple[str, ...] = ()
    subtlety: int = Field(default=SECTION_SUBTLETY, ge=1, le=10)

    @property
    def band(self) -> SubtletyBand:
        """What that subtlety leaves to the writer."""
        return next(band for band in BANDS if self.subtlety <= band.last)


class Notice(FrozenModel):
    """That something is not in the context, and nothing about what it is."""

    source: str
    id: str
    about: str = ""


class VisibleCodex(FrozenModel):
    """What the filter lets through at one place, and for the reviewer what it did not."""

    entries: tuple[VisibleEntry, ...] = ()
    facts: tuple[KnownFact, ...] = ()
    """Secrets and payoffs that are out; what is still to come out here is an order, and stands nowhere else."""
    restricted: tuple[Restricted, ...] = ()
    notices: tuple[Notice, ...] = ()
    excluded_sections: tuple[str, ...] = ()
    """Such as `"character.闇の王"`, `"character.Mira/past"`, `"secret.heir"`: never for the writer."""


def filter_codex(kept: Kept, matcher: Matcher | None = None) -> VisibleCodex:
    """Return what the writer at a place may know of the whole codex; `matcher` is of what is kept there."""
    return _Filter(kept, matcher or Matcher(kept.withheld)).result()


class _Filter:
    """One pass: everything is held against what is withheld."""

    def __init__(self, kept: Kept, matcher: Matcher) -> None:
        self._kept = kept
        self._matcher = matcher
        self._restricted: list[Restricted] = []
        self._notices: list[Notice] = []
        self._excluded: list[str] = []

    def result(self) -> VisibleCodex:
        entries = [found for entry, pieces in self._kept.sections if (found := self._entry(entry, pieces))]
        shown = {folded(name): entry.name for entry in entries for name in (entry.id, entry.name, *entry.aliases)}
        facts = [
            KnownFact(
                text=text,
                about=piece.about,
                is_told=piece.is_told,
                told_in=piece.told_in,
                is_later=piece.is_later,
                unaware=piece.unaware,
            )
            for piece in self._kept.others
            if (text := self._admitted(piece, shown.get(folded(piece.about), ""), f"{piece.source}.{piece.id}"))
            and not piece.is_owed
        ]
        return VisibleCodex(
            entries=tuple(entries), facts=tuple(facts), restricted=tuple(self._restricted),
            notices=tuple(self._notices), excluded_sections=tuple(self._excluded),
        )  # fmt: skip

    def _entry(self, seen: SeenEntry, pieces: Iterable[CodexText]) -> VisibleEntry | None:
        """The entry with what may be used of it; None for one that is hidden altogether."""
        entry = seen.entry
        label = f"{entry.kind}.{entry.name}"
        if self._matcher.violations(entry.name):
            self._excluded.append(label)
            return None
        sections = [
            VisibleSection(name=piece.name, text=text, is_history=piece.is_history)
            for piece in pieces
            if (text := self._admitted(piece, entry.name, f"{label}/{piece.name}"))
        ]
        return VisibleEntry(
            id=entry.id, kind=entry.kind, name=entry.name, aliases=self._matcher.free(entry.aliases),
            phase=seen.phase, sections=tuple(sections),
        )  # fmt: skip

    def _admitted(self, piece: CodexText, about: str, label: str) -> str:
        """The text, if it may be used; what may not is put where it belongs."""
        text = self._matcher.redact(piece.text) if piece.level >= Visibility.KNOW else ""
        if text != piece.text:
            self._excluded.append(label)
        if piece.level is Visibility.AWARE:
            self._notices.append(Notice(source=piece.source, id=piece.id, about=about))
        if piece.level is Visibility.KNOW and text:
            self._restricted.append(
                Restricted(
                    source=piece.source, id=piece.id, about=about, content=text, subtlety=piece.subtlety,
                    allowed_expressions=self._matcher.free(piece.allowed),
                    forbidden_keywords=self._matcher.free(piece.forbidden),
                )
            )  # fmt: skip
        return text if piece.level is Visibility.USE else ""


MOST_HINTS = 5
_THREAD_STRENGTH, _VISIBILITY_STRENGTH = 0.3, 0.5
_WEIGHTS = {"foreshadowing": 1.0, "visibility": 0.8, "character": 0.6, "world": 0.5}


class HintSource(StrEnum):
    """What a hint was made from."""

    VISIBILITY = "visibility"
    FORESHADOWING = "foreshadowing"


class Hint(FrozenModel):
    """One thing to let shine through."""

    source: HintSource
    category: str
    """`"character"`, `"world"`, `"secret"` or `"foreshadowing"`."""
    entity_id: str
    hint_text: str = ""
    """What to touch on; empty for a bare notice."""
    level: Visibility
    strength: float = Field(ge=0, le=1)

    @property
    def priority(self) -> float:
        """Strength by the weight of what it was made from."""
        return self.strength * _WEIGHTS.get(self.category, _WEIGHTS[self.source])


def collect_hints(codex: VisibleCodex, instructions: Iterable[ForeshadowInstruction]) -> tuple[Hint, ...]:
    """Return the hints of one unit, the five with the highest priority; ties go by id.

    Of the instructions only those to hint become hints: the others are orders of their own.
    """
    found = [_of_kept(notice, "", Visibility.AWARE) for notice in codex.notices]
    found += [_of_kept(known, "; ".join(known.allowed_expressions), Visibility.KNOW) for known in codex.restricted]
    found += [_of_order(order) for order in instructions if order.action is ForeshadowAction.HINT]
    ranked = sorted(found, key=lambda hint: (-hint.priority, hint.category, hint.entity_id))
    return tuple(ranked[:MOST_HINTS])


def _of_kept(kept: Notice | Restricted, text: str, level: Visibility) -> Hint:
    return Hint(
        source=HintSource.VISIBILITY, category=kept.source, entity_id=kept.id, hint_text=text, level=level,
        strength=_VISIBILITY_STRENGTH,
    )  # fmt: skip


def _of_order(order: ForeshadowInstruction) -> Hint:
    return Hint(
        source=HintSource.FORESHADOWING, category="foreshadowing", entity_id=order.foreshadowing_id,
        hint_text="; ".join(order.allowed_expressions) or order.note, level=Visibility.KNOW, strength=_THREAD_STRENGTH,
    )  # fmt: skip
