"""What a model makes of an author's words in four languages is typed as a line that reads back as the same command."""

import json
import shlex
from typing import Any

import pytest

from bookwright.agents.chief_editor import ChiefEditor
from bookwright.app.command_lines import LINES, arguments_of, typed
from bookwright.cli.verbs import load
from bookwright.models.step import Activity, StepKey
from bookwright.models.talk.command import Command
from tests.support.fakes import ScriptedBackend

KEY = StepKey(book="lamp", node=1, revision=1, activity=Activity.ASK, round=1, step="chief_editor")
WORDS = {
    "en": ("Chapter 2, please: it's \"too $HOME\"; start in winter & don't --stop", "Inés O'Hara"),
    "zh": ("第二章重写：“从冬天开始”；别提『钥匙』、火＆雪", "沈知微·二娘"),
    "ja": ("第二章を書き直して：「冬から始める」――鍵の話は“なし”で", "鍵屋・オデール"),
    "ko": ("2장을 다시 써 줘: ‘겨울에 시작’하고 “열쇠” 이야기는 빼; $값 & 불", "한지민—둘째"),
}
"""A wish and a name in each language, with the marks that shells and parsers trip over."""
VALUES = {
    "node": "1.2", "length": "9000", "until_level": "chapter", "until_count": "3", "field": "title", "format": "md",
    "kind": "world", "importance": "high", "revealed_at": "9", "visibility": "know", "plant_at": "1",
    "payoff_at": "1.2",
    "status": "planted", "version": "2", "gate": "7", "words_today": "500", "section": "{name}", "text": "{words}",
    "forbidden": "{name}; {name} 2", "value": "{words}", "note": "{words}", "content": "{words}", "seed": "{words}",
    "payoff": "{words}", "when": "{name}",
    "branch": "{name}", "number": "2", "at": "{words}", "words": "{words}",
    "name": "{name}", "entry": "{name}", "secret": "{name}", "thread": "{name}", "title": "{name}",
}  # fmt: skip
"""What is said of each field that a command may have."""
FIELDS = {
    "show": "node", "read": "node", "estimate": "length", "resume": "until_level until_count words_today",
    "brief": "field value", "export": "format", "report": "format", "codex_add": "name kind section text",
    "codex_edit": "entry name section text", "secret_add": "content importance forbidden revealed_at",
    "secret_edit": "secret content importance visibility revealed_at",
    "foreshadowing_add": "title seed plant_at payoff payoff_at",
    "foreshadowing_edit": "thread title status seed plant_at payoff payoff_at", "revise": "node note",
    "fork": "node name", "compare": "branch node", "candidates": "node", "candidates_take": "node number",
    "notes": "node", "note_add": "node at words",
    "timeline_set": "node when", "refresh": "node", "restore": "node version", "approve": "gate", "reject": "gate note",
}  # fmt: skip


def understood(verb: str, language: str) -> Command:
    words, name = WORDS[language]
    given = [
        {"name": field, "value": VALUES[field].format(words=words, name=name)} for field in FIELDS.get(verb, "").split()
    ]
    answer = json.dumps({"quote": words[:6], "verb": verb, "arguments": given}, ensure_ascii=False)
    models = ScriptedBackend({"chief_editor": [answer]})
    editor = ChiefEditor(models, "openai:gpt-x", (), KEY, lambda _: None, None)
    return editor.read(words, {}, tuple(LINES), lambda command: command).command


def read_back(verb: str, line: str) -> set[str]:
    """Every value that the program's own parser finds in a typed line."""
    path = LINES[verb].path
    program: Any = load(path[0])
    for word in path[1:]:
        program = program.commands[word]
    with program.make_context(path[-1], shlex.split(line)[1 + len(path) :]) as context:
        values = [value for value in context.params.values() if value not in (None, False)]
    return {str(item) for value in values for item in (value if isinstance(value, (list, tuple)) else [value])}


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("verb", LINES)
def test_a_command_that_was_understood_is_typed_and_read_back_the_same(verb: str, language: str) -> None:
    command, line = understood(verb, language), LINES[verb]
    wanted = [getattr(command, field) for field in (*line.arguments, *line.options)]
    told = {str(item) for value in wanted if value for item in (value if isinstance(value, tuple) else [value])}

    found = read_back(verb, typed(arguments_of(command, "lamp")))

    assert {"lamp", *told} <= found
    assert len(told) >= len(FIELDS.get(verb, "").split()) // 2
