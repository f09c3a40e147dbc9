"""What the rows of the progress file are called that no blueprint names, in the languages of books."""

from bookwright.models.text.language import SIMPLIFIED, TRADITIONAL
from bookwright.models.tree.level import Level

_LOCALES = ("en", SIMPLIFIED, TRADITIONAL, "ja", "ko")
_NAMES = {
    "book": ("book begun", "建书", "建書", "本の作成", "책 만들기"),
    "plan": ("plan", "规划", "規劃", "企画", "기획"),
    "design": ("design", "设计", "設計", "設計", "설계"),
    "write": ("write", "写作", "寫作", "執筆", "집필"),
    "further": ("further units", "后续部分", "後續部分", "続き", "이어지는 부분"),
    "publish": ("publish", "定名与简介", "定名與簡介", "題名と紹介文", "제목과 소개글"),
}
_UNITS = {
    Level.VOLUME: ("volume {}", "第{}卷", "第{}卷", "第{}巻", "제{}권"),
    Level.ACT: ("act {}", "第{}幕", "第{}幕", "第{}幕", "제{}막"),
    Level.CHAPTER: ("chapter {}", "第{}章", "第{}章", "第{}章", "제{}장"),
    Level.SCENE: ("scene {}", "第{}场", "第{}場", "第{}場", "제{}장면"),
    Level.BEAT: ("beat {}", "第{}节拍", "第{}節拍", "第{}拍", "제{}박자"),
    Level.PARAGRAPH: ("paragraph {}", "第{}段", "第{}段", "第{}段", "제{}문단"),
}


def stage_name(name: str, locale: str) -> str:
    """Return what a phase of a book is called: `book`, `plan`, `design`, `write`, `further` or `publish`."""
    return _NAMES[name][_LOCALES.index(locale)]


def unit_name(level: Level, number: int, title: str, locale: str) -> str:
    """Return what a unit right below the book is called, such as `"act 1: The lamp"`; `number` counts from 1."""
    told = _UNITS[level][_LOCALES.index(locale)].format(number)
    return pair(told, title, locale) if title else told


def pair(what: str, told: str, locale: str) -> str:
    """Return two names as one: a stage and what is done in it, a unit and its title."""
    return f"{what}{': ' if locale in ('en', 'ko') else '：'}{told}"
