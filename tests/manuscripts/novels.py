"""Novels of any number of chapters, in four languages and many habits of writing headings, full of traps."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle

from bookwright.manuscripts.chapters import recognise
from bookwright.manuscripts.formats.plain_text import blocks_of
from bookwright.manuscripts.manuscript import FoundBook, ManuscriptSource
from bookwright.models.text.language import Language

_HAN = "〇一二三四五六七八九"

_SENTENCES = {
    "en": (
        "The lamp on the quay went out before the tide had turned.",
        "Nobody in the kitchen asked her where she had been.",
        "In chapter 3 of his book he had written something else about the war.",
        "“Come in,” said Odell, and moved his chair.",
        "Part of him wanted to leave at once, and the other part was asleep.",
        "By nine the rain had found the hole in the roof.",
    ),
    "zh": (
        "雨停了，街上没有人，只有一盏灯还亮着。",
        "她把信折好，放回抽屉里，什么也没有说。",
        "“第三章你看过了吗？”他问，可是她已经走远了。",
        "后来他们再也没有提起那一年的事。", "第一卷书他读了三遍，还是不明白。", "河水涨到了桥下，老人坐在门口看着。",
    ),
    "ja": (
        "雨はもう止んでいたが、通りには誰もいなかった。",
        "彼女は手紙を畳んで、引き出しに戻した。",
        "「第三章は読んだのか」と彼は訊いた。",
        "それから二人は、その年のことを話さなくなった。",
        "第一話で書いたことは、全部嘘だった。", "老人は戸口に座って、川を見ていた。",
    ),
    "ko": (
        "비는 그쳤지만 거리에는 아무도 없었다.",
        "그녀는 편지를 접어 서랍에 다시 넣었다.", "“제3장은 읽었어?” 그가 물었다.",
        "그 뒤로 두 사람은 그해의 일을 말하지 않았다.",
        "1화에서 쓴 것은 모두 거짓이었다.", "노인은 문가에 앉아 강을 바라보았다.",
    ),
}  # fmt: skip
_TITLES = {
    "en": ("The Lamp", "What Odell Saw", "A Letter from the Coast", "Tide", "Nobody’s Daughter"),
    "zh": ("风起", "夜雨", "旧信", "他到底是谁？", "渡口・黄昏"),
    "ja": ("雨の夜", "古い手紙", "誰もいない駅", "嘘", "彼は何者か？"),
    "ko": ("비 오는 밤", "오래된 편지", "아무도 없는 역", "거짓말", "그는 누구인가?"),
}


@dataclass(frozen=True)
class Habit:
    """How one author writes headings."""

    language: str
    heading: Callable[[int, str], str]
    has_titles: bool = True
    part: Callable[[int], str] | None = None
    part_of: int = 60
    """Chapters in a part."""
    joins_part: bool = False
    """The part stands in the same line as the chapter."""
    begins_anew: bool = False
    """Numbers begin anew in each part."""
    prologue: str = ""
    epilogue: str = ""
    contents: str = ""
    """The line above a table of contents; empty for none."""
    is_doubled: bool = False
    """Each heading stands twice."""
    trap: str = ""
    """A line that looks like a heading and is none, in every seventh chapter."""
    has_scene_numbers: bool = False
    title_below: bool = False
    gap: str = "\n\n"
    """Between paragraphs."""
    width: int = 0
    """Lines are wrapped there; 0 for never."""


@dataclass
class Novel:
    """A text, and what is to be found in it."""

    text: str
    headings: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)


def han(number: int) -> str:
    """Write a number below 1000 in han, by units."""
    if number < 10:
        return _HAN[number]
    hundreds, rest = divmod(number, 100)
    tens, ones = divmod(rest, 10)
    head = f"{_HAN[hundreds]}百" if hundreds else ""
    middle = f"{_HAN[tens]}十" if tens else "零" if hundreds and ones else ""
    middle = "十" if not hundreds and tens == 1 else middle
    return head + middle + (_HAN[ones] if ones else "")


def roman(number: int) -> str:
    """Write a number in Roman figures."""
    signs = ((100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
    text = ""
    for value, sign in signs:
        text, number = text + sign * (number // value), number % value
    return text


def in_words(number: int) -> str:
    """Write a number below 1000 in English."""
    ones = (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen"
    ).split()
    tens = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
    if number >= 100:
        rest = number % 100
        return f"{ones[number // 100]} hundred" + (f" and {in_words(rest)}" if rest else "")
    if number < 20:
        return ones[number]
    return tens[number // 10] + (f"-{ones[number % 10]}" if number % 10 else "")


HABITS: dict[str, Habit] = {
    "en figures": Habit(
        "en",
        lambda n, t: f"Chapter {n}: {t}",
        part=lambda n: f"Part {in_words(n).title()}",
        prologue="Prologue",
        epilogue="Epilogue",
        contents="Contents",
        trap="Chapter 3",
    ),
    "en upper roman, wrapped": Habit(
        "en",
        lambda n, t: f"CHAPTER {roman(n)}.",
        has_titles=True,
        title_below=True,
        width=70,
        contents="CONTENTS",
        trap="Part of Chapter 9",
    ),
    "en words": Habit("en", lambda n, t: f"Chapter {in_words(n).title()}", has_titles=False, is_doubled=True),
    "en anew in each book": Habit(
        "en",
        lambda n, t: f"Chapter {n} - {t}",
        part=lambda n: f"BOOK {roman(n)}",
        begins_anew=True,
        contents="Contents",
        has_scene_numbers=True,
    ),
    "en bare roman": Habit("en", lambda n, t: f"{roman(n)}.", has_titles=False, width=64),
    "en bare figures": Habit("en", lambda n, t: str(n), has_titles=False, trap="1984"),
    "zh": Habit(
        "zh",
        lambda n, t: f"第{han(n)}章 {t}",
        part=lambda n: f"第{han(n)}卷 江湖",
        prologue="楔子",
        epilogue="后记",
        contents="目录",
        trap="第三章里他写的那个人",
        gap="\n",
    ),
    "zh joined, figures": Habit("zh", lambda n, t: f"第{n:03}章{t}", is_doubled=True, gap="\n\n"),
    "zh one line for both": Habit(
        "zh", lambda n, t: f"第{han(-(-n // 60))}卷 江湖 第{han(n)}章 {t}", gap="\n", trap="第二百章", joins_part=True
    ),
    "zh traditional": Habit(
        "zh",
        lambda n, t: f"第{han(n)}回　{t}",
        part=lambda n: f"卷{han(n)} 山河",
        prologue="序章",
        epilogue="後記",
        gap="\n",
    ),
    "zh bare": Habit("zh", lambda n, t: f"{han(n)}、{t}", gap="\n"),
    "ja": Habit(
        "ja",
        lambda n, t: f"第{n}話　{t}",
        part=lambda n: f"第{han(n)}章 旅立ち",
        prologue="プロローグ",
        epilogue="エピローグ",
        contents="目次",
        gap="\n",
    ),
    "ja chapters": Habit(
        "ja", lambda n, t: f"第{han(n)}章", has_titles=False, epilogue="終章", trap="第九章", gap="\n"
    ),
    "ja bare": Habit("ja", lambda n, t: han(n), has_titles=False),
    "ko": Habit(
        "ko",
        lambda n, t: f"제{n}장 {t}",
        part=lambda n: f"제{n}부",
        prologue="프롤로그",
        epilogue="에필로그",
        contents="차례",
        trap="제3장",
    ),
    "ko episodes": Habit("ko", lambda n, t: f"{n}화. {t}", is_doubled=True, gap="\n"),
}


def write_novel(habit: Habit, chapters: int = 300, paragraphs: int = 12) -> Novel:
    """Write a novel by a habit; each chapter has its own words."""
    novel = Novel("")
    titles, pieces = cycle(_TITLES[habit.language]), []
    if habit.prologue:
        pieces.append(_unit(novel, habit, habit.prologue, habit.prologue, 0, paragraphs))
    for number in range(1, chapters + 1):
        title = next(titles) if habit.has_titles else ""
        if habit.part and (number - 1) % habit.part_of == 0:
            novel.parts.append(habit.part(1 + (number - 1) // habit.part_of))
            pieces.append(novel.parts[-1])
        told = 1 + (number - 1) % habit.part_of if habit.begins_anew else number
        pieces.append(_unit(novel, habit, habit.heading(told, title), title, number, paragraphs))
    if habit.epilogue:
        pieces.append(_unit(novel, habit, habit.epilogue, habit.epilogue, chapters + 1, paragraphs))
    if habit.joins_part:
        novel.parts = [f"第{han(number)}卷 江湖" for number in range(1, 1 + -(-chapters // habit.part_of))]
    novel.text = _front(novel, habit) + habit.gap.join(pieces) + "\n"
    return novel


def _front(novel: Novel, habit: Habit) -> str:
    if not habit.contents:
        return ""
    entries = [f"{heading} ........ {page}" for page, heading in enumerate(novel.headings, 1)]
    if habit.title_below:
        entries = [f"{heading} {title}" for heading, title in zip(novel.headings, novel.titles, strict=True)]
    elif habit.language != "en":
        entries = list(novel.headings)
    return "\n".join(["A Novel", "", habit.contents, "", *entries, "", ""])


def _unit(novel: Novel, habit: Habit, heading: str, title: str, number: int, paragraphs: int) -> str:
    body = list(_paragraphs(habit, number, paragraphs))
    novel.headings.append(heading)
    novel.titles.append(title)
    novel.bodies.append("\n\n".join(body))
    lines = [_wrapped(paragraph, habit.width) for paragraph in body]
    head = [heading, heading] if habit.is_doubled else [heading]
    if habit.title_below and title != heading:
        head.append(title)
    return habit.gap.join([*head, *lines])


def _paragraphs(habit: Habit, number: int, count: int) -> Iterator[str]:
    sentences = _SENTENCES[habit.language]
    space = " " if habit.language in ("en", "ko") else ""
    for place in range(count):
        if habit.has_scene_numbers and place in (0, count // 2):
            yield str(1 + (place > 0))
        if habit.trap and place == 2 and number % 7 == 3:
            yield habit.trap
        first = (number + place) % len(sentences)
        yield f"{number}-{place}: " + space.join((*sentences[first:], *sentences[:first]))


def _wrapped(paragraph: str, width: int) -> str:
    if not width:
        return paragraph
    lines, line = [], ""
    for word in paragraph.split(" "):
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


PROSE = "The lamp went out before the tide had turned, and nobody asked her where she had been. " * 6


def found_in(text: str, language: str = "en", pattern: str = "") -> FoundBook:
    """What is found of chapters in a text without marks."""
    return recognise(ManuscriptSource(tuple(blocks_of(text)), "txt"), Language(language), pattern)
