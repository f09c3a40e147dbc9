"""Composes the drafts of the leak bench from the stories beside it: half of them leak, half do not."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from bench.leaks.respelling import RESPELLINGS
from bookwright.models.codex.entries import Secret
from bookwright.models.text.language import Language

LEAKS = ("verbatim", "quoted", "respelt", "paraphrased", "split")
CLEAN = ("related", "hint", "allowed")
RETOLD = "retold"
"""A leak that names its people and keeps some of the secret's words; beside the four hundred."""

_TUNED_ON = 2
"""Stories of each language on which figures were fitted; the others only test."""

_CARRIERS = {
    Language.EN: ('"{word}." Someone had scratched it into the wood of the door.', "The slip said {word}."),
    Language.ZH: ("门板上有人刻了几个字：{word}。", "那张纸条上写着{word}，墨还没有干。"),
    Language.JA: ("扉の板には、{word}、と刻まれていた。", "紙切れには{word}とだけ書いてあった。"),
    Language.KO: ("문짝에는 누군가 {word} 하고 새겨 놓았다.", "쪽지에는 {word}, 그 말뿐이었다."),
}
"""Keywords stand in plain sentences, so that nothing else gives the secret away."""


@dataclass(frozen=True)
class Draft:
    """One draft with what is planted in it."""

    language: Language
    is_tuning: bool
    kind: str
    text: str
    secret: str
    planted: str

    @property
    def leaks(self) -> bool:
        """Whether a check is to find something."""
        return self.kind in (*LEAKS, RETOLD)


@dataclass(frozen=True)
class Story:
    """A story: its secrets, its setting texts, its prose."""

    secrets: tuple[Secret, ...]
    settings: tuple[str, ...]
    background: tuple[str, ...]
    is_tuning: bool
    told: dict[str, dict[str, Any]]


def stories(language: Language) -> list[Story]:
    """Read a language's stories."""
    path = Path(__file__).parent / f"{language.value}.toml"
    rows = tomllib.loads(path.read_text("utf-8"))["story"]
    return [_story(row, place < _TUNED_ON) for place, row in enumerate(rows)]


def drafts(language: Language) -> Iterator[Draft]:
    """Compose a language's hundred drafts, always the same: five with leaks and five without for each secret."""
    rng = Random(f"leaks {language.value}")
    spellings = RESPELLINGS[language]
    count = 0
    for story in stories(language):
        for place, secret in enumerate(story.secrets):
            told = story.told[secret.id]
            verbatim = ("quoted", story.settings[0]) if place else ("verbatim", secret.content)
            word = spellings[count % len(spellings)](secret.forbidden_keywords[count % 2])
            carrier = _CARRIERS[language][count % 2]
            planted = [verbatim, ("respelt", carrier.format(word=word)), ("split", told["split"])]
            planted += [("paraphrased", text) for text in told["paraphrases"]]
            planted += [("related", text) for text in told["negatives"]]
            planted += [("hint", told["hint"]), ("allowed", told["innocent"])]
            count += 1
            for kind, text in planted:
                written = _around(text, story, rng)
                yield Draft(language, story.is_tuning, kind, written, secret.id, text)


def retold_drafts(language: Language) -> Iterator[Draft]:
    """Compose ten drafts more, one for each secret, always the same."""
    rng = Random(f"retold {language.value}")
    for story in stories(language):
        for secret in story.secrets:
            text = story.told[secret.id][RETOLD]
            yield Draft(language, story.is_tuning, RETOLD, _around(text, story, rng), secret.id, text)


def _around(planted: str, story: Story, rng: Random) -> str:
    """Put a passage into two or three paragraphs of its story: on its own, before one, or after one."""
    chosen = rng.sample(story.background, rng.choice((2, 3)))
    place = rng.randrange(len(chosen))
    space = "" if chosen[0][-1] in "。」”" or planted[-1] in "。」" else " "
    match rng.randrange(3):
        case 0:
            chosen.insert(place, planted)
        case 1:
            chosen[place] = f"{planted}{space}{chosen[place]}"
        case _:
            chosen[place] = f"{chosen[place]}{space}{planted}"
    return "\n\n".join(chosen)


def _story(row: dict[str, Any], is_tuning: bool) -> Story:
    rows: list[dict[str, Any]] = row["secret"]
    secrets = tuple(
        Secret(**{name: value for name, value in each.items() if name in Secret.model_fields}) for each in rows
    )
    told = {secret.id: each for secret, each in zip(secrets, rows, strict=True)}
    return Story(secrets, tuple(row["settings"]), tuple(row["background"]), is_tuning, told)
