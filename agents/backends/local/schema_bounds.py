"""Bounds an answer's JSON schema, so that a weak model under its grammar can only fill in what fits.

Every failure of such models was an answer cut off in a string without end or a run of blanks.
Source: facts/local-models-chroma.md, "Grammar-constrained nested JSON" and section E.
"""

import copy
import json
import re
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

_CHARACTERS = {"goal": 110, "title": 40, "reasoning": 150, "blurb": 300}
_OTHER_CHARACTERS = 120
_NUMBER = r"^[0-9]{1,3}\.[0-9]{1,3}$"
_PATTERNS = {"first": _NUMBER, "last": _NUMBER}
_ITEMS = {"sub_tasks": 8, "verdicts": 8, "changes": 24}
_OTHER_ITEMS = 4
_LEFT_OUT = frozenset(
    """id task_type hierarchical_position story_time instructions input_brief constraints acceptance_criteria
    complexity_score
    length""".split()
)
"""What the engine sets itself or has a default for."""

_DEEPEST = 3
"""Objects within objects that a weak model is asked for."""

_LONGEST_WORD, _LETTERS_A_WORD, _SENTENCE_WORDS = 13, 7, 16
_LEAST_WORDS = 2
_UNFINISHED = frozenset(
    """a an and as at because but by for from had has have her his in into is it its near no not of on onto or our over
    than that the their this to toward under was were when where which while who whose with without""".split()
)
"""Words with which no title and no sentence ends."""
_SENTENCE_ENDS = re.compile(r"(?<=[.?]) ")
_IDLE = ("default", "description", "title")


@lru_cache(maxsize=64)
def bounded_shape(shape: type[BaseModel], is_in_words: bool = False) -> type[BaseModel]:
    """Return a shape that asks for less: the same class, whose JSON schema is the bounded one."""
    schema = bounded_schema(shape, is_in_words=is_in_words)

    def model_json_schema(cls: type[BaseModel], *args: Any, **options: Any) -> dict[str, Any]:
        return copy.deepcopy(schema)

    return type(shape.__name__, (shape,), {"__module__": __name__, "model_json_schema": classmethod(model_json_schema)})


def bounded_schema(shape: type[BaseModel], *, is_in_words: bool = False) -> dict[str, Any]:
    """Return the JSON schema of `shape` with a bound on every string and list.

    Fields that the engine fills itself are left out, all others are required, and thoughts come
    first. A shape that holds itself is cut at its first parts, which have none; the whole then
    has only what its parts have not. With `is_in_words` a string is made of English words, without
    a figure: digits cost a token each, and a model that begins to count does not stop.
    """
    schema = shape.model_json_schema()
    return _Bounds(schema.get("$defs", {}), is_in_words).of_object(schema, 0)


def whole_words(text: str) -> str:
    """Cut off, in an answer in words, what was written where no further word was left to write.

    A weak model goes on all the same and joins what it had to say ("from thetoweronear"). So every string may have one
    word more than it is to have, and one that has it loses that word, with words before it that end nothing.
    """
    try:
        answer = json.loads(text)
    except ValueError:  # broken off, which the parser says
        return text
    cut = _cut(answer, "")
    return text if cut == answer else json.dumps(cut, ensure_ascii=False)


def _cut(value: Any, name: str) -> Any:
    match value:
        case dict():
            return {key: _cut(inner, key) for key, inner in value.items()}
        case list():
            return [_cut(inner, name) for inner in value]
        case str() if name == "title":
            return _ended(value.split(), _most_words(_CHARACTERS[name]))
        case str() if value.endswith((".", "?")):
            most = min(_most_words(_CHARACTERS.get(name, _OTHER_CHARACTERS)), _SENTENCE_WORDS)
            return " ".join(_ended(own[:-1].split(), most) + own[-1] for own in _SENTENCE_ENDS.split(value))
    return value


def _ended(words: list[str], most: int) -> str:
    """Join words; where there are more than `most`, without what follows these and without an unfinished end."""
    if len(words) > most:
        words = words[:most]
        while len(words) > _LEAST_WORDS and words[-1].lower() in _UNFINISHED:
            words.pop()
    return " ".join(words)


def _most_words(characters: int) -> int:
    return characters // _LETTERS_A_WORD


class _Bounds:
    """One pass over one schema; what it returns holds no references."""

    def __init__(self, definitions: dict[str, Any], is_in_words: bool) -> None:
        self._definitions = definitions
        self._is_in_words = is_in_words

    def of_object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        """An object with the fields that are to be filled in, `depth` objects below the whole."""
        schema = self._resolved(schema)
        fields = {key: value for key, value in schema.get("properties", {}).items() if key not in _LEFT_OUT}
        fields = self._cut(fields, depth)
        ordered = sorted(fields, key=lambda key: key != "reasoning")
        properties = {key: self._of_value(fields[key], key, depth) for key in ordered}
        return {"type": "object", "properties": properties, "required": ordered, "additionalProperties": False}

    def _cut(self, fields: dict[str, Any], depth: int) -> dict[str, Any]:
        """End recursion: parts have no parts, and the whole says nothing that its parts say."""
        if depth == _DEEPEST:
            return {key: value for key, value in fields.items() if not self._inner(value)}
        parts = next((key for key, value in fields.items() if key in self._inner(value)), "")
        if not parts:
            return fields
        if depth:
            return {key: value for key, value in fields.items() if key != parts}
        inner = self._inner(fields[parts])
        return {key: value for key, value in fields.items() if key == parts or key not in inner}

    def _of_value(self, schema: dict[str, Any], name: str, depth: int) -> dict[str, Any]:
        schema = self._resolved(schema)
        match schema.get("type"):
            case "object":
                return self.of_object(schema, depth + 1)
            case "array":
                return self._of_array(schema, name, depth)
            case "string" if "enum" not in schema and "const" not in schema:
                return self._string(schema, name)
            case _:
                return {key: value for key, value in schema.items() if key not in _IDLE}

    def _of_array(self, schema: dict[str, Any], name: str, depth: int) -> dict[str, Any]:
        limit = _ITEMS.get(name, _OTHER_ITEMS)
        most = min(schema.get("maxItems", limit), limit)
        items = self._of_value(schema.get("items", {"type": "string"}), name, depth)
        least = schema.get("minItems", 1 if name in _ITEMS else 0)
        return {"type": "array", "items": items, "minItems": least, "maxItems": most}

    def _string(self, schema: dict[str, Any], name: str) -> dict[str, Any]:
        if pattern := schema.get("pattern", _PATTERNS.get(name)):
            bare = pattern.removeprefix("^").removesuffix("$")
            return {"type": "string", "pattern": f"^{bare}$"}  # the server wants one that covers the whole string
        most = min(schema.get("maxLength", 1_000_000), _CHARACTERS.get(name, _OTHER_CHARACTERS))
        if self._is_in_words:
            return {"type": "string", "pattern": _words(most, is_sentence=name != "title")}
        return {"type": "string", "minLength": min(schema.get("minLength", 1), most), "maxLength": most}

    def _inner(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The fields of the objects that a field holds, one or many; empty if it holds none."""
        schema = self._resolved(schema)
        fields: dict[str, Any] = self._resolved(schema.get("items", schema)).get("properties", {})
        return fields

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Follow references, and of alternatives the first that is something."""
        while True:
            if "$ref" in schema:
                schema = self._definitions[schema["$ref"].rpartition("/")[2]]
            elif "anyOf" in schema:
                schema = next(option for option in schema["anyOf"] if option.get("type") != "null")
            else:
                return schema


def _words(most: int, *, is_sentence: bool) -> str:
    """A pattern for `most` characters' worth of words and one more: a title of two up, or sentences of five up.

    Without commas: between them a weak model lists titles to the end.
    """
    word = rf"[a-zA-Z'-]{{1,{_LONGEST_WORD}}}"
    first = rf"[A-Z][a-z'-]{{0,{_LONGEST_WORD - 1}}}"
    words = _most_words(most)
    if not is_sentence:
        return rf"^{first}( {word}){{1,{words}}}$"
    sentence = rf"{first}( {word}){{4,{min(words, _SENTENCE_WORDS)}}}[.?]"
    more = words // _SENTENCE_WORDS - 1
    return rf"^{sentence}( {sentence}){{0,{more}}}$" if more > 0 else rf"^{sentence}$"
