"""Merges two entries that mean the same, and renames what refers to the one that goes."""

from bookwright.models.codex.entries import CodexEntry, Phase, Secret, Section, folded
from bookwright.models.codex.field_merge import section_key
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.record import Record
from bookwright.models.errors import InvalidEntry
from bookwright.models.tree.place import Place, ReadingOrder


def united(kept: CodexEntry, other: CodexEntry, reading: ReadingOrder) -> CodexEntry:
    """Return one entry with all that two have: the first one's id and name, both ones' names, phases and sections.

    Of a section that both have the texts follow each other, and the stricter of their visibilities and places holds.

    Raises:
        InvalidEntry: They are of two kinds, or the same one.
    """
    if kept.id == other.id:
        raise InvalidEntry(f"{kept.id!r} is one entry already; name two")
    if kept.kind is not other.kind:
        raise InvalidEntry(
            f"{kept.id!r} is a {kept.kind} and {other.id!r} a {other.kind}; change one of them with --kind"
        )
    sections = {_key(section): section for section in kept.sections}
    for section in other.sections:
        mine = sections.get(_key(section))
        sections[_key(section)] = section if mine is None else _joined(mine, section, reading)
    values = {
        "aliases": [name for name in (*kept.aliases, *other.names) if folded(name) != folded(kept.name)],
        "phases": [phase.model_dump(mode="json") for phase in _phases(kept, other, reading)],
        "sections": [section.model_dump(mode="json") for section in sections.values()],
    }
    return CodexEntry.model_validate(kept.model_dump(mode="json") | values)


def pointing_at(record: Record, gone: CodexEntry, kept: CodexEntry) -> Record:
    """Return a secret or thread that names an entry by its id with the id of the one in its place."""
    if isinstance(record, Secret) and record.related_entity == gone.id:
        return record.model_copy(update={"related_entity": kept.id})
    if isinstance(record, Foreshadowing):
        related = record.related
        names = {field: tuple(kept.id if name == gone.id else name for name in getattr(related, field))
                 for field in ("characters", "locations")}  # fmt: skip
        return record.model_copy(update={"related": related.model_copy(update=names)})
    return record


def _key(section: Section) -> str:
    return section_key({"name": section.name, "phase": section.phase})


def _joined(mine: Section, other: Section, reading: ReadingOrder) -> Section:
    """One section of two: nothing that either of them holds back comes out."""
    texts = dict.fromkeys(text for text in (mine.text, other.text) if text)
    later = [place for place in (mine.known_from, other.known_from) if place is not None]
    return mine.model_copy(
        update={
            "text": "\n\n".join(texts),
            "visibility": min(mine.visibility, other.visibility),
            "known_from": max(later, key=lambda place: _order(place, reading), default=None),
            "happens_at": mine.happens_at or other.happens_at,
            "forbidden_keywords": tuple(dict.fromkeys((*mine.forbidden_keywords, *other.forbidden_keywords))),
            "allowed_expressions": tuple(dict.fromkeys((*mine.allowed_expressions, *other.allowed_expressions))),
        }
    )


def _phases(kept: CodexEntry, other: CodexEntry, reading: ReadingOrder) -> tuple[Phase, ...]:
    """The phases of both, those of one name once, in the order in which they begin as far as that is known."""
    known = {folded(phase.name) for phase in kept.phases}
    more = [phase for phase in other.phases if folded(phase.name) not in known]
    both = [*kept.phases, *more]
    return tuple(sorted(both, key=lambda phase: _order(phase.begins, reading))) if more else kept.phases


def _order(place: Place | None, reading: ReadingOrder) -> int:
    return 0 if place is None else reading.number(place)
