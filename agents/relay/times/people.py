"""Birth, death and age of people, as a codex and a text state them, in four languages."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from bookwright.models.codex.entries import CodexEntry, EntryKind, Phase, Section, folded
from bookwright.models.codex.extraction import FoundPerson
from bookwright.models.story_time.lexicon import number_in
from bookwright.models.story_time.reading import read_time
from bookwright.models.story_time.times import FOREVER, MOST_LETTERS, Moment, Moments, StoryTime
from bookwright.models.tree.place import Place, ReadingOrder

_BIRTH = re.compile(r"birth|born|birthday|出生|生年|生日|诞生|誕生|生まれ|출생|생년|태어", re.IGNORECASE)
_DEATH = re.compile(
    r"^(?:the )?(?:death|died|dead|dies|killed|drowned|after (?:his|her|their) death)$"
    r"|^(?:死亡?|死后|死後|去世|身亡|亡故|遇害|被杀|没年|사망|죽음|죽은 뒤|사후)$",
    re.IGNORECASE,
)
_AGE = re.compile(r"^(?:age|aged|年纪|年龄|年齡|岁数|年齢|나이|연령)$", re.IGNORECASE)
_NUMBER = r"(?:\d{1,3}|[a-z]+(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)"
_HAN = r"(?:\d{1,3}|[一二三四五六七八九十百两]{1,4})"
_HANGUL = r"(?:\d{1,3}|[가-힣]{1,5}?)"
_AGED = (
    rf"{{name}}(?:,? aged|,| was| is|, now| turned| had turned| had just turned| was (?:only|just|barely|already))? "
    rf"(?P<age>{_NUMBER})(?: years old| years of age|,|\.| and| when| that)",
    rf"{{name}}(?:今年|那年|这年|时年|，|、|は|が|已经|已|才|刚满|刚|只有|正好)*(?P<age>{_HAN}) ?[岁歲歳才]",
    rf"(?P<age>{_HAN}) ?[岁歲歳才](?:的|の){{name}}",
    rf"{{name}}(?:은|는|이|가|,)? ?(?:올해 |이제 |겨우 |당시 )?(?P<age>{_HANGUL}) ?(?:살|세)",
    rf"(?P<age>{_HANGUL}) ?(?:살|세)(?:의|짜리|난|인)? ?{{name}}",
)
_OLDEST, _YOUNGEST = 130, 3


@dataclass(frozen=True)
class Life:
    """When somebody is born and dies, as far as the codex says; empty where it does not."""

    name: str
    names: tuple[str, ...] = ()
    birth: Moments = ()
    birth_words: str = ""
    death: Moments = ()
    death_words: str = ""
    age_at_first: int | None = None
    """How old they are where the story begins, where the codex's own designs or the author say so."""


def lives_of(entries: Iterable[CodexEntry], reading: ReadingOrder) -> list[Life]:
    """Return the lives of a codex's people."""
    return [_life(entry, reading) for entry in entries if entry.kind is EntryKind.CHARACTER]


def ages_in(text: str, names: Iterable[tuple[str, ...]]) -> Iterator[FoundPerson]:
    """Return whose age a text gives in so many words right beside their name; each row of names is one person's."""
    for row in names:
        beside = (match for name in row if name in text for match in _ages_of(name).finditer(text))
        told = (_age(next(filter(None, match.groups()), "")) for match in beside)
        age = next((age for age in told if age is not None), None)
        if age is not None:
            yield FoundPerson(name=row[0], age=age)


@lru_cache(maxsize=512)
def _ages_of(name: str) -> re.Pattern[str]:
    patterns = [pattern.replace("{name}", re.escape(name)) for pattern in _AGED]
    numbered = (pattern.replace("?P<age>", f"?P<age{i}>") for i, pattern in enumerate(patterns))
    return re.compile("|".join(numbered))


def _age(words: str) -> int | None:
    number = number_in(words)
    is_age = number is not None and _YOUNGEST <= number <= _OLDEST and not words.endswith(("th", "st"))
    return number if is_age else None


def _life(entry: CodexEntry, reading: ReadingOrder) -> Life:
    birth = next((own for own in entry.sections if _BIRTH.search(own.name)), None)
    death = next((own for own in entry.sections if _DEATH.search(own.name) and own.text), None)
    begun = next((own for own in entry.phases if _DEATH.search(own.name)), None)
    age = next((own for own in entry.sections if _AGE.search(own.name) and own.known_from is None), None)
    died = _begun(begun, reading) if begun else ()
    if death:
        died = _stated(death, reading) or _at_the_latest(death.known_from, reading)
    return Life(
        name=entry.name, names=entry.names, birth=_stated(birth, reading) if birth else (), birth_words=_words(birth),
        death=died, death_words=_words(death) or (begun.name if begun else ""),
        age_at_first=_first_number(age.text) if age else None,
    )  # fmt: skip


def _words(section: Section | None) -> str:
    return (section.text or str(section.happens_at or "")) if section else ""


def _begun(phase: Phase, reading: ReadingOrder) -> Moments:
    """When somebody was dead at the latest, by a phase that says so."""
    return reading.clock.of(phase.happens_at) if phase.happens_at else _at_the_latest(phase.begins, reading)


def _first_number(text: str) -> int | None:
    found = re.search(rf"\d{{1,3}}|{_HAN}(?=岁|歲|歳)", text)
    return number_in(found.group()) if found else number_in(text.strip(" ."))


def _stated(section: Section, reading: ReadingOrder) -> Moments:
    """When what a section tells of happened, by the time that it was given or that its text names."""
    if section.happens_at is not None:
        return reading.clock.of(section.happens_at)
    text = section.text[:MOST_LETTERS].strip()
    if not text or not read_time(text).is_comparable:
        return ()
    told_in = reading.label_at(section.known_from) if section.known_from else ""
    return reading.clock.of(StoryTime(when=text), told_in=told_in)


def _at_the_latest(place: Place | None, reading: ReadingOrder) -> Moments:
    """Some time before the end of the unit at a place; empty where there is none."""
    label = reading.label_at(place) if place else ""
    return tuple(Moment(own.axis, -FOREVER, own.high) for own in reading.clock.at(label)) if label else ()


def same_person(name: str, life: Life) -> bool:
    """Whether a name is one of somebody's."""
    return folded(name) in {folded(own) for own in life.names}
