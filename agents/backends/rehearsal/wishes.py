"""An author's words turned into a command by key words: a rule of thumb that needs no model."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from bookwright.agents.backends.rehearsal.modes import Mode
from bookwright.agents.backends.rehearsal.step import Step
from bookwright.models.text.language import Language, detect_language

_KEYS: dict[str, str] = {
    "delete": r"delete|throw .* away|remove the (?:whole )?book|删除|删掉|削除|消して|삭제|지워",
    "gates": r"gates?\b.*wait|wait\w* for (?:me|my)|what .* decide|等我|[些么]关口|待って|ゲート一覧|기다리",
    "approve": r"approve|let .* pass|批准|放行|承認|승인",
    "reject": r"reject|send .* back|驳回|退回|却下|差し戻|반려|거절",
    "pause": r"pause|\bstop\b|take a break|暂停|停一?下|停笔|一時停止|止めて|멈춰|중단|정지",
    "estimate": r"estimate|how much|cost|price|估算|多少钱|花费|見積|いくら|費用|견적|얼마|비용",
    "restore": r"restore|bring back|恢复|还原|换回|復元|戻して|복원|되돌",
    "refresh": r"refresh|bring .* up to date|刷新|更新|最新に|새로 고|갱신",
    "stale": r"stale|out of date|outdated|过时|过期|古くなった|낡은|오래된",
    "revise": r"revise|rewrite|redo|重写|改写|重做|書き直|修正|다시 써|고쳐",
    "secret_add": r"(?:new|add a) secret|加一?个秘密|新的?秘密|秘密を(?:追加|加え)|비밀을? ?(?:추가|더해)",
    "secrets": r"secret|秘密|비밀",
    "foreshadowing_add": r"(?:new|add a) thread|[埋加]一?[条个]伏笔|伏線を(?:追加|加え)|복선을? ?(?:추가|깔아)",
    "foreshadowing": r"thread|foreshadow|伏笔|伏線|복선",
    "codex_add": r"(?:new|add a) character|加一?个人物|新人物|人物を(?:追加|加え)|인물을? ?(?:추가|더해)",
    "codex": r"codex|characters|人物表|设定集|登場人物|등장인물",
    "brief": r"title|budget|书名|标题|预算|タイトル|題名|予算|제목|예산",
    "export": r"export|epub|导出|書き出|エクスポート|내보내",
    "report": r"report|quality|报告|质量|レポート|品質|보고서|품질",
    "style": r"style|文风|笔调|文体|문체",
    "tree": r"outline|table of contents|大纲|目录|アウトライン|目次|개요|목차",
    "read": r"\bread\b|读一?下|念给|読み|읽",
    "show": r"show|look at|看看|看一下|見せて|보여",
    "resume": r"go on|continue|keep writing|resume|继续|接着|続け|続き|계속|이어",
    "status": r"how far|status|progress|where .* stand|进度|进展|到哪|進捗|どこまで|状況|진행|어디까지|상황",
}
_NODE = re.compile(r"(?<![\d.])1(?:\.[1-9]\d*)+")
_CHAPTER = re.compile(r"chapter (\d+)|第 ?([\d一二三四五六七八九十]+) ?章|(\d+) ?장", re.IGNORECASE)
_NUMERALS = {numeral: str(number) for number, numeral in enumerate("一二三四五六七八九十", 1)}
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_QUOTED = re.compile(r"[“\"「『《]([^”\"」』》]+)[”\"」』》]")
_AFTER_COLON = re.compile(r"[:：]\s*(.+)$")
_FORMAT = re.compile(r"epub|docx|word|html|markdown|md|json|txt", re.IGNORECASE)
_BUDGET = re.compile(r"budget|预算|予算|예산", re.IGNORECASE)
_QUESTIONS = {
    Language.EN: "What shall be done, and to which part of the book?",
    Language.ZH: "要对书的哪一部分做什么？",
    Language.JA: "本のどこを、どうしますか。",
    Language.KO: "책의 어느 부분을 어떻게 할까요?",
}

Arguments = dict[str, str]


def reading(step: Step, mode: Mode) -> dict[str, Any]:
    """Answer as the Chief Editor does: the first key word decides; what lacks its values is asked back about."""
    words = "".join(step.texts("words"))
    for verb, found in _candidates(words):
        arguments = _ARGUMENTS[verb](words) if verb in _ARGUMENTS else {}
        if arguments is not None:
            told = [{"name": name, "value": value} for name, value in arguments.items() if value]
            return {"quote": found, "verb": verb, "arguments": told}
    question = _QUESTIONS[detect_language(words)]
    return {"quote": "", "verb": "unclear", "arguments": [{"name": "question", "value": question}]}


def _candidates(words: str) -> Iterator[tuple[str, str]]:
    for verb, keys in _KEYS.items():
        if match := re.search(keys, words, re.IGNORECASE):
            yield verb, match.group()


def _node(words: str) -> str:
    if match := _NODE.search(words):
        return match.group()
    if match := _CHAPTER.search(words):
        return _counted(match)
    return ""


def _counted(chapter: re.Match[str]) -> str:
    number: str = next(filter(None, chapter.groups()))
    return _NUMERALS.get(number, number)


def _some_node(words: str) -> Arguments:
    return {"node": _node(words)}


def _one_node(words: str) -> Arguments | None:
    node = _node(words)
    return {"node": node} if node else None


def _number(words: str) -> str:
    """The first number that names no node and no chapter."""
    match = _NUMBER.search(_CHAPTER.sub("", _NODE.sub("", words)))
    return match.group().replace(",", "") if match else ""


def _text(words: str) -> str:
    match = _AFTER_COLON.search(words) or _QUOTED.search(words)
    return match.group(1) if match else ""


def _gate(words: str) -> Arguments | None:
    number = _number(words)
    return {"gate": number} if number else None


def _rejected(words: str) -> Arguments | None:
    gate = _gate(words)
    return {**gate, "note": _text(words)} if gate and _text(words) else None


def _revised(words: str) -> Arguments | None:
    node = _one_node(words)
    return {**node, "note": _text(words) or words} if node else None


def _restored(words: str) -> Arguments | None:
    node = _one_node(words)
    return {**node, "version": _number(words)} if node and _number(words) else None


def _resumed(words: str) -> Arguments:
    if match := _CHAPTER.search(words):
        return {"until_level": "chapter", "until_count": _counted(match)}
    return {"words_today": _number(words)}


def _briefed(words: str) -> Arguments | None:
    if _BUDGET.search(words):
        return {"field": "budget.usd", "value": _number(words)} if _number(words) else None
    return {"field": "title", "value": _text(words)} if _text(words) else None


def _exported(words: str) -> Arguments:
    match = _FORMAT.search(words)
    found = match.group().casefold() if match else ""
    return {"format": {"markdown": "md", "word": "docx"}.get(found, found)}


def _dictated(name: str) -> Callable[[str], Arguments | None]:
    def found(words: str) -> Arguments | None:
        text = _text(words)
        return {name: text} if text else None

    return found


_ARGUMENTS: dict[str, Callable[[str], Arguments | None]] = {
    "show": _one_node,
    "read": _some_node,
    "estimate": lambda words: {"length": _number(words)},
    "resume": _resumed,
    "brief": _briefed,
    "export": _exported,
    "codex_add": _dictated("name"),
    "secret_add": _dictated("content"),
    "foreshadowing_add": _dictated("title"),
    "revise": _revised,
    "refresh": _some_node,
    "restore": _restored,
    "approve": _gate,
    "reject": _rejected,
}
