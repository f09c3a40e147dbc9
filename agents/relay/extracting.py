"""From what the Extract Agent found to records of the codex, held to what code knows better.

A model forbids words that stand in the premise, and puts the end of a book behind its last chapter:
what it says is bounded here before it can refuse a draft.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bookwright.agents.relay.leaks.folding import fold
from bookwright.agents.relay.leaks.keywords import find_keyword
from bookwright.agents.relay.leaks.units import FUNCTION_WORDS
from bookwright.models.codex.entries import CodexEntry, Secret, Visibility, folded, slug
from bookwright.models.codex.extraction import DesignExtraction, FoundEntry, FoundSecret, FoundThread
from bookwright.models.codex.record import Record, RecordKind, make_record, named, neutral_ids
from bookwright.models.errors import InvalidEntry
from bookwright.models.tree.place import Place

_LEAST_LETTERS, _LEAST_WIDE = 4, 2
_WIDE = "\u3040"

Values = dict[str, Any]


@dataclass(frozen=True)
class ExtractionGround:
    """What an extraction is held to."""

    public: tuple[str, ...] = ()
    """What everybody may know: the premise and the title."""
    default: Visibility = Visibility.USE
    secrets: tuple[Secret, ...] = ()
    """Every version of every secret that the codex has or had; what is found again keeps its id."""


def entry_record(found: FoundEntry, known: Sequence[CodexEntry], default: Visibility, at: Place | None) -> Record:
    """Make an entry of what was found; at a place in the prose, what is new is known from there on.

    Raises:
        InvalidEntry: It is none.
    """
    same = named(known, found.name)
    old = same if isinstance(same, CodexEntry) else None
    phase = found.phase if at else ""
    sections: dict[str, Values] = {}
    for fact in found.facts:
        if fact.fact:
            name = fact.aspect or found.name
            is_new = old is None or not _has_section(old, name, phase)
            place: Values = {"known_from": at} if at else {}
            new: Values = {"visibility": int(default), **place} if is_new else {}
            sections[folded(name)] = {"name": name, "text": fact.fact, **({"phase": phase} if phase else {}), **new}
    own = old or found
    return make_record(
        RecordKind.ENTRY,
        {
            "id": old.id if old else slug(found.name), "kind": own.kind, "name": own.name,
            "aliases": [alias for alias in (found.name, *found.aliases) if alias and folded(alias) != folded(own.name)],
            "phases": _phases(old, phase, at), "sections": list(sections.values()),
        },
    )  # fmt: skip


def design_records(found: DesignExtraction, ground: ExtractionGround) -> tuple[list[Record], list[str]]:
    """Make records of what designs lay down; what makes none comes back as a line each."""
    records: list[Record] = []
    refused: list[str] = []
    names = [name for entry in found.entries for name in (entry.name, *entry.aliases)]
    free = neutral_ids({own.id for own in ground.secrets})
    makers: list[tuple[str, Callable[[], Record]]] = [
        *((own.name, partial(_designed, own, records, ground)) for own in found.entries),
        *((own.content, partial(_secret, own, names, ground, free)) for own in found.secrets),
        *((own.title, partial(_thread, own, names, ground)) for own in found.threads),
    ]
    for what, make in makers:
        try:
            records.append(make())
        except InvalidEntry as error:
            refused.append(f"{what[:60]}: {error}")
    return records, refused


def _designed(found: FoundEntry, records: Iterable[Record], ground: ExtractionGround) -> Record:
    return entry_record(found, [own for own in records if isinstance(own, CodexEntry)], ground.default, None)


def _secret(found: FoundSecret, names: Collection[str], ground: ExtractionGround, free: Iterator[str]) -> Record:
    return make_record(
        RecordKind.SECRET,
        {
            "id": _known_id(found, ground.secrets) or next(free),
            "content": found.content, "importance": found.importance,
            "related_entity": found.about, "revealed_at": Place(share=found.revealed_at),
            "forbidden_keywords": forbidding(found.forbidden_keywords, names, ground.public),
            "allowed_expressions": found.allowed_expressions,
        },
    )  # fmt: skip


def _known_id(found: FoundSecret, known: Iterable[Secret]) -> str:
    """The id under which the same secret was kept before; a model's own id for it would tell what it is."""
    own, content = slug(found.id), folded(found.content)
    return next((secret.id for secret in known if secret.id == own or folded(secret.content) == content), "")


def _thread(found: FoundThread, names: Collection[str], ground: ExtractionGround) -> Record:
    kept = [Place(share=share) for share in found.reinforced_at if found.planted_at < share < found.paid_off_at]
    paid = Place(share=found.paid_off_at) if found.paid_off_at > found.planted_at else None
    forbidden = forbidding(found.forbidden_keywords, names, (*ground.public, found.seed, *found.expressions))
    return make_record(
        RecordKind.FORESHADOWING,
        {
            "id": slug(found.title), "title": found.title, "type": found.type, "subtlety_level": found.subtlety,
            "seed": {"content": found.seed, "planned_at": Place(share=found.planted_at)},
            "payoff": {"content": found.payoff, "planned_at": paid},
            "timeline": {"reinforce_at": kept}, "related": {"characters": [name for name in found.characters if name]},
            "ai_visibility": {
                "forbidden_keywords": forbidden, "allowed_expressions": [words for words in found.expressions if words],
            },
        },
    )  # fmt: skip


def forbidding(words: Iterable[str], names: Collection[str], public: Iterable[str]) -> list[str]:
    """Return the words that may be forbidden: no names, nothing public, nothing that every page holds."""
    texts, taken = [fold(text) for text in public if text], {folded(name) for name in names}
    telling = [word for word in words if _is_telling(word) and folded(word) not in taken]
    return [word for word in telling if not any(find_keyword(text, word) for text in texts)]


def _is_telling(word: str) -> bool:
    letters = [character for character in word if character.isalnum()]
    if any(letter >= _WIDE for letter in letters):
        return len(letters) >= _LEAST_WIDE
    return len(letters) >= _LEAST_LETTERS and not set(word.casefold().split()) <= FUNCTION_WORDS


def _phases(old: CodexEntry | None, phase: str, at: Place | None) -> list[Values]:
    """The phase that begins at a place; an entry that had none gets the one before it, too."""
    if not phase:
        return []
    if old and any(folded(own.name) == folded(phase) for own in old.phases):
        return [{"name": phase}]
    first: list[Values] = [] if old and old.phases else [{"name": "1" if folded(phase) != "1" else "0"}]
    return [*first, {"name": phase, "begins": at}]


def _has_section(entry: CodexEntry, name: str, phase: str) -> bool:
    return any((folded(own.name), folded(own.phase or "")) == (folded(name), folded(phase)) for own in entry.sections)
