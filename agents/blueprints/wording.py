"""What code says in a book's own language, from `wording.toml`: faults, reports and the headings of pages."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from bookwright.agents.relay.leaks.folding import simplified
from bookwright.models.codex.entries import folded
from bookwright.models.text.language import SIMPLIFIED, Language, lazy_pattern

EN, ZH, JA, KO = Language.EN, Language.ZH, Language.JA, Language.KO

HEADINGS: dict[str, dict[Language, tuple[str, ...]]] = {
    "references": {
        EN: ("References", "Reference list", "Sources"),
        ZH: ("参考资料", "參考資料", "参考文献", "參考文獻", "References"),
        JA: ("参考資料", "参考文献", "References"),
        KO: ("참고 자료", "참고자료", "참고 문헌", "참고문헌", "References"),
    },
    "title": {
        EN: ("Title", "The title", "Working title"),
        ZH: ("书名", "書名", "标题", "標題", "题名", "題名", "Title"),
        JA: ("題名", "タイトル", "表題", "書名", "Title"),
        KO: ("제목", "책 제목", "표제", "Title"),
    },
    "description": {
        EN: ("Description", "The description"),
        ZH: ("简介", "簡介", "内容简介", "內容簡介", "描述", "Description"),
        JA: ("紹介", "紹介文", "概要", "説明", "Description"),
        KO: ("소개", "소개글", "설명", "개요", "Description"),
    },
}  # fmt: skip
"""Headings by which a part of a page is known, whatever the book's language."""

HEADING = lazy_pattern(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
"""A heading of a page, with its words."""

_QUOTES = str.maketrans("「」", "“”")


def is_heading(words: str, part: str) -> bool:
    """Whether a heading says that a part of a page, one of `HEADINGS`, stands under it."""
    return folded(words) in {folded(name) for names in HEADINGS[part].values() for name in names}


def said(name: str, locale: str, **values: object) -> str:
    """Return a sentence about a fault; empty where there is none of that name. `locale`: `en`, `zh-hans` and so on."""
    return _form("said", name, locale).format(**values)[:590] if name in _texts()["said"] else ""


def word(name: str, locale: str, **values: object) -> str:
    """Return a heading or a short phrase."""
    return _form("words", name, locale).format(**values)


def localised(texts: dict[str, str], locale: str) -> str:
    """Return a blueprint's text in a book's language, Chinese in the script of its author."""
    if locale == SIMPLIFIED:
        return texts.get(SIMPLIFIED) or simplified(texts.get("zh") or texts["en"])
    return texts.get(locale) or texts["en"]


def check_name(check: str, locale: str) -> str:
    """Return what a check of code is called."""
    return _form("checks", check, locale)


@cache
def _texts() -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads((files(__package__) / "wording.toml").read_text("utf-8"))


def _form(kind: str, name: str, locale: str) -> str:
    """A text in the script of its reader, with braces where something is to be filled in."""
    form = _texts()[kind][name][locale.partition("-")[0]]
    return simplified(form).translate(_QUOTES) if locale == SIMPLIFIED else form
