"""Turns an author's words into a command by key words, without a model."""

import re
from collections.abc import Callable

from bookwright.agents.backends.rehearsal.voice import lexicon_of
from bookwright.models.text.language import detect_language

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
    match = _NODE.search(words)
    return match.group() if match else _chapter(words)


def _number(words: str) -> str:
    """The first number that names no node and no chapter."""
    match = _NUMBER.search(_CHAPTER.sub("", _NODE.sub("", words)))
    return match.group().replace(",", "") if match else ""


def _text(words: str) -> str:
    """What is dictated: behind a colon, or else between quotation marks."""
    match = _AFTER_COLON.search(words) or _QUOTED.search(words)
    return match.group(1) if match else ""


def _found(pattern: re.Pattern[str], words: str) -> str:
    match = pattern.search(words)
    return match.group(1) if match else ""


def _format(words: str) -> str:
    match = _FORMAT.search(words)
    found = match.group().casefold() if match else ""
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
