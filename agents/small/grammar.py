"""Grammars (GBNF) that keep a weak model to plain prose: no headings, lists, tags, figures or remarks."""

from bookwright.models.text.language import Language

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
_BY_LANGUAGE = {Language.EN: _PLAIN, Language.ZH: _ZH, Language.JA: _JA, Language.KO: _KO}

_OPENERS = """A After Afterwards All Around As At Before Behind Below Beside But By Down Each Even Every Everything For
From In Inside It Just Later Near No Nobody Nothing Now On Once One Only Outside Over Perhaps Slowly So Something Soon
Still Suddenly The Then There Through Under Until Up When While With Without Yet""".split()
"""How a sentence may begin. Nothing that starts with `He` or `I` stands here unless the hero does:
the model would take the beginning for a way in ("Her" for "He")."""

_SENTENCE_WORDS = "{3,22}"
"""Words after the first one. Longer sentences run away, shorter ones become a drum."""


def prose_grammar(language: Language) -> str:
    """Return the grammar of plain prose: paragraphs of running text, nothing else."""
    return _BY_LANGUAGE[language].replace("\n\n", r"\n\n")


def narrow_grammar(names: tuple[str, ...], pronoun: str) -> str:
    """Return the grammar of English narration that a very small model can hold on to.

    No speech, no name but those given, no two sentences in a row that begin with the hero's
    pronoun (the model would never stop), and paragraphs of three sentences at least. The text may
    go on from the middle of a sentence.
    Source: measured on SmolLM2-135M; without it the story leaves its people within 100 words.
    """
    words = [f'"{name}"' for name in (*names, *(("I",) if pronoun == "I" else ()))]
    others = " | ".join([*(f'"{opener}"' for opener in _OPENERS), *(f'"{name}"' for name in names)])
    heroes = f'"{pronoun}"' if pronoun else '"She" | "He" | "They"'
    word = " | ".join(['[a-z]{1,13} ("\'" ("s" | "t" | "d" | "ll" | "re" | "ve"))?', *words])
    return "\n".join(
        (
            r'root ::= (tail | pair) (" " pair)* ("\n\n" pair " " pair " " pair (" " pair)*)*',
            'pair ::= (hero " ")? other',
            'tail ::= ((","? " " word)+ [.])?',
            "hero ::= heroname rest",
            f"heroname ::= {heroes}",
            "other ::= opener rest",
            f"opener ::= {others}",
            f'rest ::= (","? " " word){_SENTENCE_WORDS} [.]',
            f"word ::= {word}",
        )
    )
