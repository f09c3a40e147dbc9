"""Tells which words of a text stand in a script that its language does not use."""

import re
from collections.abc import Collection
from enum import Enum
from typing import Literal, get_args, get_origin

from pydantic import BaseModel

from bookwright.agents.workflows import REVISION_MARK
from bookwright.models.codex import entries as codex
from bookwright.models.codex import extraction, foreshadowing, leak
from bookwright.models.story import quality, retelling, state
from bookwright.models.text import changes
from bookwright.models.text.language import Language
from bookwright.models.tree import decision, plan
from tests.support.tags import BLOCK_TAGS, PROSE_TAGS

_LATIN = r"A-Za-z\u00c0-\u024f"
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff"
_KANA = r"\u3040-\u30ff"
_HANGUL = r"\u1100-\u11ff\uac00-\ud7af"
_SCRIPTS = {
    Language.EN: {_LATIN},
    Language.ZH: {_HAN},
    Language.JA: {_HAN, _KANA},
    Language.KO: {_HANGUL},
}
_JOINTS = {_LATIN: "_'’"}
"""What holds a word of a script together."""

_TAG = re.compile(r"</?[a-z_]+>")
_BLOCK = re.compile(
    rf"<({'|'.join((*BLOCK_TAGS, *PROSE_TAGS, 'part', 'text', 'news', 'draft'))})>\n(.*?)\n</\1>", re.DOTALL
)
_PRINTED = ("current_task", "overall_planning", "order", "hints", "style_guide")
"""Blocks that are printed for the model, and so in the language of the prompts."""

_FRAME = re.compile(
    r"^\[[\d.]+(?: \w+ \w+:| \w+：)?"  # whose text follows, before its title
    r"|^(?:Genre|Readers|Style|Ending):|^(?:题材|读者|文风|结局)："  # the author's wishes
    r"|^[A-Z][a-z]+(?: \d+)?,|: (?:summary|findings|design|prose)$"  # whose text follows, in words
    r"|^(?:全书|卷|幕|章|场景|节拍|段落|第\d+章)之?\d*|(?:摘要|资料|设计|正文)：$",
    re.MULTILINE,
)
"""What the prompt's own language says among the texts that it shows."""


def strays(text: str, languages: Collection[Language], known: Collection[str] = ()) -> list[str]:
    """Return the words in a script that none of the languages uses, but the known ones and what stands in tags."""
    used = set[str]().union(*(_SCRIPTS[language] for language in languages))
    others = [script for script in (_LATIN, _HAN, _KANA, _HANGUL) if script not in used]
    text = _TAG.sub(" ", text)
    found = [word for script in others for word in re.findall(f"[{script}{_JOINTS.get(script, '')}]+", text)]
    return [word for word in found if word.strip("_'’") and word not in known]


def strays_in_material(prompt: str, language: Language) -> list[str]:
    """Return what is not in the book's language in those blocks of a prompt that show texts of the book."""
    shown = [text for tag, text in _BLOCK.findall(prompt) if tag not in _PRINTED]
    return [word for text in shown for word in strays(_FRAME.sub("", text), [language], FORM)]


def _words_of_form() -> set[str]:
    """The names and closed values of all JSON answers, which are English in every prompt."""
    found: set[str] = set()
    for module in (changes, codex, decision, extraction, foreshadowing, leak, plan, plan, quality, retelling, state):
        for thing in vars(module).values():
            if isinstance(thing, type) and issubclass(thing, BaseModel):
                found |= set(thing.model_fields)
                found |= {word for field in thing.model_fields.values() for word in _closed(field.annotation)}
            if isinstance(thing, type) and issubclass(thing, Enum):
                found |= {str(member.value) for member in thing}
    return found


def _closed(annotation: object) -> set[str]:
    """The closed values that a field's type spells out."""
    if get_origin(annotation) is Literal:
        return {value for value in get_args(annotation) if isinstance(value, str)}
    return {word for part in get_args(annotation) for word in _closed(part)}


FORM = frozenset(_words_of_form()) | {
    "JSON",
    "Markdown",
    "after",
    "N",
    "gap",
    "true",
    "false",
    REVISION_MARK.strip("<>"),
}
