"""How the `small` profile draws its replies: sampling, word biases and grammars (GBNF) for weak models.

A grammar keeps a model to plain prose: no headings, lists, tags, figures or remarks.
"""

import re
from typing import Any

from bookwright.agents.small.premise import names_in, pronoun_of, things_in
from bookwright.models.text.language import Language

NARROW_MODELS = ("embedded:smollm2",)
"""Models so small that they need the narrow grammar; larger ones may let people speak."""

PROSE: dict[str, Any] = {
    "top_p": 0.9, "top_k": 40, "min_p": 0.05, "repeat_penalty": 1.1, "repeat_last_n": 256, "dry_multiplier": 0.8,
}  # fmt: skip
"""Without the repetition penalty the model loops; with another penalty in its place too.
Source: facts/local-models-chroma.md section E."""

JSON: dict[str, Any] = {"top_p": 0.9, "top_k": 40, "min_p": 0.05}
"""No penalties: the keys of JSON repeat by nature."""

_NO_DIGIT = -30
"""For the bare space that comes before a digit. Where figures are barred it would be chosen all the
same, and whatever letters follow it are no word ("for icing days")."""

_FIRST_PERSON = {-12: "I", -6: "my me we our us"}
_NARRATION = {
    -6: """you your reader story scene testament legacy journey tale chapter narrator author writer sentence""",
    -3: "is are has will can says",
}
"""What leaves third-person narration in the past tense."""

_STRANGERS = {
    -4: """they their them man woman men women girl boy lady people person someone everyone sailor sailors friend
        friends brother sister mother father wife husband son daughter grandfather grandmother child children parents
        family families couple captain king mom dad""",
}
"""Whom the story would wander off with."""

_ABSTRACTIONS = {
    -2: """life lives love loved world forever future destiny dreams memories happiness hope happy adventure adventures
        decided realized language voice word words message stories legend symbol own something different everything
        anymore together said told asked talked talk very""",
}
"""What the story would come to speak of in place of its things."""

_WORD = re.compile(r"[^\W\d_]+")
_THING_BIAS = 1.0
"""The repetition penalty falls on the premise's own words most; this makes up for it."""


def sampling_extra(
    language: Language, *, is_prose: bool, premise: str = "", model: str = NARROW_MODELS[0]
) -> dict[str, Any]:
    """Return what the small profile adds to a request, in the words of llama.cpp's server.

    With a `premise` the prose is kept to its people and things, without one only to its form.
    `model` is `provider:model`.
    """
    if not is_prose:
        return dict(JSON)
    if language is not Language.EN:
        return {**PROSE, "grammar": PROSE_GRAMMARS[language]}
    if model not in NARROW_MODELS:
        return {**PROSE, "grammar": PROSE_GRAMMARS[language], "logit_bias": biases(_FIRST_PERSON, _NARRATION)}
    grammar = narrow_grammar(names_in(premise), pronoun_of(premise)) if premise else PROSE_GRAMMARS[language]
    return {**PROSE, "grammar": grammar, "logit_bias": narrow_biases(premise)}


def narrow_biases(premise: str) -> list[tuple[str, float]]:
    """Return the biases that keep a very small model in narration of this premise.

    People and things of the premise itself are never held down, nor is an "I" that tells it.
    """
    person = {} if pronoun_of(premise) == "I" else _FIRST_PERSON
    named = [part for name in names_in(premise) for part in name.split()]
    given = {f" {word.lower()}" for word in _WORD.findall(premise)}
    held = [(word, bias) for word, bias in biases(_STRANGERS, _ABSTRACTIONS) if word not in given]
    wanted = [(f" {word}", _THING_BIAS) for word in dict.fromkeys((*named, *things_in(premise)))]
    return [(" ", _NO_DIGIT), *biases(person, _NARRATION), *held, *wanted]


def biases(*tables: dict[int, str]) -> list[tuple[str, float]]:
    """Spread out tables of `bias: words`; a word begins with its space, as tokens do."""
    return [(f" {word}", float(bias)) for table in tables for bias, words in table.items() for word in words.split()]


_MARKS = r"\n\[\]<>*#_{}|0-9:;&\\/()"
_PLAIN = rf"""root ::= body
body ::= [^{_MARKS}]+ ("\n\n" ["“‘A-Z] [^{_MARKS}]+)*"""
_CJK_MARKS = r"，。！？、；：“”‘’「」『』《》…—"
_ZH = rf"""root ::= line ("\n\n" line)*
line ::= [\u4e00-\u9fff{_CJK_MARKS}]+ [。！？”」…]"""
_JA = rf"""root ::= line ("\n\n" line)*
line ::= [\u3040-\u30ff\u4e00-\u9fff々{_CJK_MARKS}]+ [。！？」…]"""
_KO = r"""root ::= line ("\n\n" line)*
line ::= [\uac00-\ud7a3 ,.!?…“”‘’"'—]+ [.!?…”"]"""
PROSE_GRAMMARS = {Language.EN: _PLAIN, Language.ZH: _ZH, Language.JA: _JA, Language.KO: _KO}
"""Grammars of plain prose: paragraphs of running text, nothing else."""

_OPENERS = """A After Afterwards All Around As At Before Behind Below Beside But By Down Each Even Every Everything For
From In Inside It Just Later Near No Nobody Nothing Now On Once One Only Outside Over Perhaps Slowly So Something Soon
Still Suddenly The Then There Through Under Until Up When While With Without Yet""".split()
"""How a sentence may begin. Nothing that starts with `He` or `I` stands here unless the hero does:
the model would take the beginning for a way in ("Her" for "He")."""

_SENTENCE_WORDS = "{2,21}"
"""Words between the first and the last one. Longer sentences run away, shorter ones become a drum."""


def narrow_grammar(names: tuple[str, ...], pronoun: str) -> str:
    """Return the grammar of English narration that a very small model can hold on to.

    No speech, no name but those given, no two sentences in a row that begin with the hero's
    pronoun (the model would never stop), and paragraphs of three sentences at least. The text may
    go on from the middle of a sentence.
    Source: measured on SmolLM2-135M; without it the story leaves its people within 100 words.
    """
    words = [f'"{name}"' for name in (*names, *(("I",) if pronoun == "I" else ()))]
    others = " | ".join([*(f'"{opener}"' for opener in _OPENERS), *(f'"{name}"' for name in names)])
    return "\n".join(
        (
            r'root ::= (tail | pair) (" " pair)* ("\n\n" pair " " pair " " pair (" " pair)*)*',
            'pair ::= (hero " ")? other',
            'tail ::= ((","? " " word)+ [.])?',
            "hero ::= heroname rest",
            "heroname ::= " + (f'"{pronoun}"' if pronoun else '"She" | "He" | "They"'),
            "other ::= opener rest",
            f"opener ::= {others}",
            f'rest ::= (","? " " word){_SENTENCE_WORDS} ","? " " last [.]',  # it would go on at the last: "which's."
            "last ::= " + " | ".join(["[a-z]{1,13}", """[a-z]{1,12} "n't\"""", *words]),
            """word ::= last | [a-z]{1,13} "'" ("s" | "d" | "ll" | "re" | "ve")""",
        )
    )
