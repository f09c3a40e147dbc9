"""What the rehearsal author reads in its orders, in the texts before it, and in an author's words.

In the orders it finds numbered facts, for benches: a division orders them, an early unit tells them, later units rest
on them. A child's instructions name the facts that it is to tell, its input the ones it rests on; a child that is
divided hands both to its own first child. What the text is then to know stands nowhere but in earlier prose, so a bench
can see whether a context found it.

In the texts it finds people, threads and faults, and the sentences that it changes; in an author's words a command, by
key words.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from bookwright.agents.backends.rehearsal.filler import Draft
from bookwright.agents.backends.rehearsal.step import Mode, Step
from bookwright.agents.backends.rehearsal.voice import NumberedFact, Voice, lexicon_of
from bookwright.models.text.language import detect_language

_FACT_NUMBER = re.compile(r"\d+")
_FIRST_TO_ASK = 3
"""The first child that rests on a fact of an earlier sibling."""

_LABEL = re.compile(r"\[([\d.]+)\]")
_THREAD = re.compile(r"(\S+) \((\w+)\)")
_SENTENCE_NUMBER = re.compile(r"\[(\d+\.\d+)\] ")

_COMMANDS = (
    ("delete", "", r"delete|throw .* away|remove the (?:whole )?book|删除|删掉|削除|消して|삭제|지워"),
    ("gates", "",
     r"gates?\b.*wait|wait\w* for (?:me|my)|what .* decide|等我|[些么]关口|待って|ゲート一覧|기다리"),
    ("approve", "gate=number!", r"approve|let .* pass|批准|放行|承認|승인"),
    ("reject", "gate=number! note=text!", r"reject|send .* back|驳回|退回|却下|差し戻|반려|거절"),
    ("pause", "", r"pause|\bstop\b|take a break|暂停|停一?下|停笔|一時停止|止めて|멈춰|중단|정지"),
    ("estimate", "length=number",
     r"estimate|how much|cost|price|估算|多少钱|花费|見積|いくら|費用|견적|얼마|비용"),
    ("restore", "node=node! version=number!", r"restore|bring back|恢复|还原|换回|復元|戻して|복원|되돌"),
    ("refresh", "node=node", r"refresh|bring .* up to date|刷新|更新|最新に|새로 고|갱신"),
    ("stale", "", r"stale|out of date|outdated|过时|过期|古くなった|낡은|오래된"),
    ("revise", "node=node! note=note", r"revise|rewrite|redo|重写|改写|重做|書き直|修正|다시 써|고쳐"),
    ("note_add", "node=node! at=quoted! words=dictated!", r"\bnote\b|批注|メモ|메모"),
    ("notes", "node=node", r"\bnotes?\b|批注|メモ|메모"),
    ("candidates_take", "node=node! number=number!",
     r"take (?:draft|candidate)|用第 ?\d+ ?份草稿|下書きを採|초고를 써"),
    ("candidates", "node=node", r"candidate|\bdrafts\b|候选|草稿|下書き|초고"),
    ("compare", "branch=text! node=node", r"compare|比较|对照|比べ|비교"),
    ("fork", "node=node name=text", r"\bfork\b|what if|branch off|开一?个分支|分岐させ|분기"),
    ("branches", "", r"branch|分支|分岐|가지"),
    ("secret_add", "content=text!",
     r"(?:new|add a) secret|加一?个秘密|新的?秘密|秘密を(?:追加|加え)|비밀을? ?(?:추가|더해)"),
    ("secrets", "", r"secret|秘密|비밀"),
    ("foreshadowing_add", "title=text!",
     r"(?:new|add a) thread|[埋加]一?[条个]伏笔|伏線を(?:追加|加え)|복선을? ?(?:추가|깔아)"),
    ("foreshadowing", "", r"thread|foreshadow|伏笔|伏線|복선"),
    ("codex_add", "name=text!",
     r"(?:new|add a) character|加一?个人物|新人物|人物を(?:追加|加え)|인물을? ?(?:추가|더해)"),
    ("codex", "", r"codex|characters|人物表|设定集|登場人物|등장인물"),
    ("brief", "field=field value=value!",
     r"title|budget|书名|标题|预算|タイトル|題名|予算|제목|예산"),
    ("export", "format=format", r"export|epub|导出|書き出|エクスポート|내보내"),
    ("report", "", r"report|quality|报告|质量|レポート|品質|보고서|품질"),
    ("style", "", r"style|文风|笔调|文体|문체"),
    ("timeline_set", "node=node! when=text!", r"\bset\b.*(?:\bat\b|\bto\b)|时间(?:定|设)|時間を|시간을"),
    ("timeline", "", r"time ?line|time ?lines|flashback|时间线|倒叙|時系列|年表|시간선|연표"),
    ("tree", "", r"outline|table of contents|大纲|目录|アウトライン|目次|개요|목차"),
    ("read", "node=node", r"\bread\b|读一?下|念给|読み|읽"),
    ("show", "node=node!", r"show|look at|看看|看一下|見せて|보여"),
    ("resume", "until_level=level until_count=chapter words_today=today",
     r"go on|continue|keep writing|resume|继续|接着|続け|続き|계속|이어"),
    ("status", "",
     r"how far|status|progress|where .* stand|进度|进展|到哪|進捗|どこまで|状況|진행|어디까지|상황"),
)  # fmt: skip
"""Verb, its arguments with what finds them (`!`: not without it), and the key words; the first that fits is taken."""

_NODE = re.compile(r"(?<![\d.])1(?:\.[1-9]\d*)+")
_CHAPTER = re.compile(r"chapter (\d+)|第 ?([\d一二三四五六七八九十]+) ?章|(\d+) ?장", re.IGNORECASE)
_NUMERALS = {numeral: str(number) for number, numeral in enumerate("一二三四五六七八九十", 1)}
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_AFTER_COLON = re.compile(r"[:：]\s*(.+)$")
_QUOTED = re.compile(r"[“\"「『《]([^”\"」』》]+)[”\"」』》]")
_FORMAT = re.compile(r"epub|docx|word|html|markdown|md|json|txt", re.IGNORECASE)
_BUDGET = re.compile(r"budget|预算|予算|예산", re.IGNORECASE)


def fact_number(parent: str, child: int) -> int:
    """Return the number of the fact that a parent's child (from 1) is to tell."""
    return 1_000 + zlib.crc32(f"{parent}/{child}".encode()) % 900_000


def orders(step: Step, child: int, rng: Random) -> tuple[list[str], list[str]]:
    """Return the instructions and the input that a child gets beside its events."""
    phrases, unit = step.voice.phrases, step.card.unit
    told = [phrases["plants"].format(n=fact_number(unit.label, child))]
    needed = []
    if child >= _FIRST_TO_ASK:
        earlier = 1 + int(rng.random() ** 2 * (child - 2))
        needed.append(phrases["needs"] + step.voice.fact(fact_number(unit.label, earlier)).question)
    if child == 1:
        told.extend(line for line in unit.instructions if _is_order(line, step.voice))
        needed.extend(line for line in unit.input_brief if line.startswith(phrases["needs"]))
    return told, needed


def owed_sentences(step: Step) -> list[str]:
    """Return the sentences that a unit's text owes to its orders."""
    unit, voice = step.card.unit, step.voice
    ordered = (line for line in unit.instructions if _is_order(line, voice))
    needed = (line for line in unit.input_brief if line.startswith(voice.phrases["needs"]))
    return [fact.told for fact in _facts(ordered, voice)] + [fact.recalled for fact in _facts(needed, voice)]


def _is_order(line: str, voice: Voice) -> bool:
    return _FACT_NUMBER.sub("{n}", line) == voice.phrases["plants"]


def _facts(lines: Iterable[str], voice: Voice) -> list[NumberedFact]:
    return [voice.fact(int(numbers[-1])) for numbers in map(_FACT_NUMBER.findall, lines) if numbers]


def touches(d: Draft) -> Iterator[tuple[str, str]]:
    """What the text did for the threads of the card."""
    for found in filter(None, map(_THREAD.match, d.card.threads if d.step.told else ())):
        thread, status = found.groups()
        chance = d.rng.random()
        if status == "registered" and chance < 0.5:
            yield thread, "plant"
        elif status == "reinforced" and chance < 0.5:
            yield thread, "reveal"
        elif status == "planted" and chance < 0.35:
            yield thread, "reinforce"


def people(d: Draft) -> list[tuple[str, str]]:
    """People of the text with what it says of them."""
    told = ((name, next((line for line in d.step.told if name in line), "")) for name in d.voice.people)
    return [(name, said) for name, said in told if said][:4]


def faulty(d: Draft) -> Iterator[tuple[str, Any]]:
    """Labels of documents with something wrong in them, each with a chance of its own."""
    for text in d.step.texts("document"):
        rng = d.step.rng(f"fault {text[:60]}")
        if (label := _LABEL.match(text)) and rng.random() < 0.2:
            yield label.group(1), rng


def replaced(step: Step, rng: Random) -> list[str]:
    """Return the numbers of the sentences to be told anew, one for each order; what the unit owes stays."""
    owed = _owed(step)
    free = [number for number, sentence in _sentences(step) if sentence not in owed]
    return rng.sample(free, min(len(step.card.spots), len(free)))


def cuts(step: Step, mode: Mode, rng: Random) -> list[dict[str, str]]:
    """Say pairs of sentences by one of the two, together as much shorter as asked for, or as the mode misses it.

    A sentence that the unit owes is the one that stays. Where the pairs are too little, single ones go.
    """
    found, owed, measure = _sentences(step), _owed(step), step.language.measure
    pairs = [pair for pair in zip(found[1::2], found[2::2], strict=False) if _row(pair[0]) == _row(pair[1])]
    left = mode.missed(step.card.missing_length, rng)
    changes: list[dict[str, str]] = []
    for (first, one), (last, other) in rng.sample(pairs, len(pairs)):
        kept, gone = (one, other) if one in owed else (other, one)
        if left > 0 and gone not in owed:
            changes.append({"first": first, "last": last, "text": kept})
            left -= measure(gone)
    touched = {number for change in changes for number in (change["first"], change["last"])}
    for number, sentence in found:
        if left > 0 and sentence not in owed and number not in touched:
            changes.append({"first": number, "last": number, "text": ""})
            left -= measure(sentence)
    return changes


def _sentences(step: Step) -> list[tuple[str, str]]:
    parts = _SENTENCE_NUMBER.split("".join(step.texts("text")[-1:]))[1:]
    return [(number, sentence.strip()) for number, sentence in zip(parts[::2], parts[1::2], strict=True)]


def _owed(step: Step) -> set[str]:
    return {step.voice.marker, *owed_sentences(step)}


def _row(numbered: tuple[str, str]) -> str:
    return numbered[0].partition(".")[0]


def command_in(words: str) -> tuple[str, str, dict[str, str]]:
    """Answer as the Chief Editor does: quotation, verb, arguments; what lacks its values is asked back about."""
    for verb, wanted, keys in _COMMANDS:
        found = re.search(keys, words, re.IGNORECASE)
        if found and (arguments := _arguments(wanted, words)) is not None:
            return found.group(), verb, arguments
    return "", "unclear", {"question": lexicon_of(detect_language(words)).phrases["question"]}


def _arguments(wanted: str, words: str) -> dict[str, str] | None:
    """Find the arguments that a verb wants; None if one is missing that it cannot do without."""
    found = {}
    for name, _, finder in (each.partition("=") for each in wanted.split()):
        value = _FINDERS[finder.rstrip("!")](words)
        if value:
            found[name] = value
        elif finder.endswith("!"):
            return None
    return found


def _chapter(words: str) -> str:
    match = _CHAPTER.search(words)
    number = next(filter(None, match.groups())) if match else ""
    return _NUMERALS.get(number, number)


def _node(words: str) -> str:
    return _found(_NODE, words, 0) or _chapter(words)


def _number(words: str) -> str:
    """The first number that names no node and no chapter."""
    return _found(_NUMBER, _CHAPTER.sub("", _NODE.sub("", words)), 0).replace(",", "")


def _text(words: str) -> str:
    """What is dictated: behind a colon, or else between quotation marks."""
    return _found(_AFTER_COLON, words) or _found(_QUOTED, words)


def _found(pattern: re.Pattern[str], words: str, group: int = 1) -> str:
    match = pattern.search(words)
    return match.group(group) if match else ""


def _format(words: str) -> str:
    found = _found(_FORMAT, words, 0).casefold()
    return {"markdown": "md", "word": "docx"}.get(found, found)


_FINDERS: dict[str, Callable[[str], str]] = {
    "node": _node,
    "chapter": _chapter,
    "level": lambda words: "chapter" if _chapter(words) else "",
    "today": lambda words: "" if _chapter(words) else _number(words),
    "number": _number,
    "text": _text,
    "quoted": lambda words: _found(_QUOTED, words),
    "dictated": lambda words: _found(_AFTER_COLON, words),
    "note": lambda words: _text(words) or words,
    "format": _format,
    "field": lambda words: "budget.usd" if _BUDGET.search(words) else "title",
    "value": lambda words: _number(words) if _BUDGET.search(words) else _text(words),
}
