"""What checking a chapter of 3 000 words against fifty secrets costs."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from bench.leaks.drafts import stories
from bookwright.agents.backends.rehearsal.voice import tell, voice_of
from bookwright.agents.relay.leaks.check import check_draft
from bookwright.models.codex.entries import Secret
from bookwright.models.text.language import Language
from bookwright.storage.index.embedding import Embedder, Vectors

_WORDS = 3_000
_SECRETS = 50


@dataclass(frozen=True)
class Cost:
    """What one check took."""

    texts: int
    characters: int
    milliseconds: float
    """Wall time, with a warm model; good to a factor of two on a busy machine."""


class _Counting:
    """An embedder that counts what it is given."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        self.texts += texts
        return self._embedder.embed(texts, is_query)


def chapter_cost(embedder: Embedder) -> tuple[Cost, Cost]:
    """Check a chapter, and one of twice its length, each by an embedder that knows no text yet."""
    return _cost(embedder, _WORDS), _cost(embedder, 2 * _WORDS)


def _cost(embedder: Embedder, words: int) -> Cost:
    counting = _Counting(embedder)
    voice = voice_of(Language.EN, 0, "A harbour town counts its debts.")
    text = tell(voice, Random(5), words, ())
    settings = [text for story in stories(Language.EN) for text in story.settings]
    begun = time.perf_counter()
    check_draft(text, _fifty_secrets(), settings, (), Language.EN, counting)
    spent = time.perf_counter() - begun
    return Cost(len(counting.texts), sum(map(len, counting.texts)), spent * 1000)


def _fifty_secrets() -> list[Secret]:
    """The ten English secrets and their negatives, so that no two are alike."""
    secrets = [(secret, story.told[secret.id]) for story in stories(Language.EN) for secret in story.secrets]
    texts = [
        (secret, number, content)
        for secret, told in secrets
        for number, content in enumerate([secret.content, *told["paraphrases"], *told["negatives"]])
    ]
    return [
        secret.model_copy(update={"id": f"{secret.id}-{number}", "content": content})
        for secret, number, content in texts
    ][:_SECRETS]
