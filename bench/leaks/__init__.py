"""Whether a draft that gives a secret away is caught, and one that does not is let through.

Four hundred drafts in four languages, half of them with a planted leak (`drafts.py`): a secret in its
own words, quoted setting text, a forbidden keyword re-spelt, a paraphrase, a telling split over
sentences. The clean ones have the same people and places, hints, and allowed expressions. The paraphrases
avoid the secret's words and names; forty drafts more retell it and keep some of both. Two stories
of each language were fitted on, three only test; both are told. Each draft is checked against all ten
secrets of its language. Source: issue 6; DETAILS "Leak checks and thresholds".
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from random import Random

from bench.leaks.drafts import CLEAN, LEAKS, RETOLD, Draft, drafts, retold_drafts, stories
from bench.measure import Measure
from bookwright.agents.backends.rehearsal.voice import tell, voice_of
from bookwright.agents.relay.leaks.check import LeakIssue, LeakKind, check_draft, likeliest, verdict_of
from bookwright.models.codex.entries import Secret
from bookwright.models.settings import Settings
from bookwright.models.text.language import Language
from bookwright.storage.index.embedding import Embedder, Vectors, make_embedder

_PLANTED_FOR = {
    LeakKind.FORBIDDEN_KEYWORD: ("respelt",),
    LeakKind.WORDING: ("verbatim",),
    LeakKind.MEANING: ("paraphrased", "split"),
    LeakKind.QUOTATION: ("quoted",),
}
_WORDS = 3_000
_SECRETS = 50
"""Of a chapter whose check is timed, and how many it is checked against."""


@dataclass(frozen=True)
class _Checked:
    draft: Draft
    issues: tuple[LeakIssue, ...]
    is_pointed_at: bool
    """Whether the planted text is among the three sentences that come nearest to its secret."""

    @property
    def is_found(self) -> bool:
        """Whether an issue lies on the planted text."""
        return any(_on_planted(self.draft, issue.start, issue.end) for issue in self.issues)

    def has(self, kind: LeakKind) -> bool:
        return any(issue.kind is kind for issue in self.issues)


def run(full: bool) -> Iterator[Measure]:
    """Check all drafts; tell recall, precision and false alarms, then what a chapter costs."""
    embedder = make_embedder(Settings())
    checked = [each for language in Language for each in _checked(language, embedder)]
    for name, is_tuning in (("test", False), ("tuning", True)):
        part = [each for each in checked if each.draft.is_tuning is is_tuning]
        yield from _of_part(f"leaks.{name}", part)
    for language in Language:
        part = [each for each in checked if each.draft.language is language and not each.draft.is_tuning]
        yield from _of_meaning(f"leaks.test.{language.value}", part)
    yield from _costs(embedder)


def _checked(language: Language, embedder: Embedder) -> Iterator[_Checked]:
    told = stories(language)
    secrets = [secret for story in told for secret in story.secrets]
    settings = [text for story in told for text in story.settings]
    for draft in chain(drafts(language), retold_drafts(language)):
        issues = check_draft(draft.text, secrets, settings, (), language, embedder)
        secret = next(secret for secret in secrets if secret.id == draft.secret)
        near = likeliest(draft.text, [secret], language, embedder, count=3, each=3)
        yield _Checked(draft, issues, any(_on_planted(draft, *place) for place in near))


def _on_planted(draft: Draft, start: int, end: int) -> bool:
    first = draft.text.index(draft.planted)
    return start < first + len(draft.planted) and end > first


def _of_part(name: str, part: Sequence[_Checked]) -> Iterator[Measure]:
    for kind, planted in _PLANTED_FOR.items():
        aimed = [each for each in part if each.draft.kind in planted]
        hits = [each for each in part if each.has(kind)]
        target = ">= 1.0" if kind is LeakKind.FORBIDDEN_KEYWORD else ""
        of = f"of {len(aimed)} drafts"
        yield Measure(f"{name}.{kind.value}.recall", _share(aimed, partial(_Checked.has, kind=kind)), of, target)
        of = f"of {len(hits)} drafts"
        yield Measure(f"{name}.{kind.value}.precision", _share(hits, lambda each: each.draft.leaks), of)
    yield from _of_meaning(name, part)


def _of_meaning(name: str, part: Sequence[_Checked]) -> Iterator[Measure]:
    clean = [each for each in part if not each.draft.leaks]
    for kind in (*LEAKS, RETOLD):
        aimed = [each for each in part if each.draft.kind == kind]
        target = {"paraphrased": ">= 0.8", "respelt": ">= 1.0"}.get(kind, "")
        yield Measure(f"{name}.{kind}.found", _share(aimed, lambda each: each.is_found), "of drafts", target)
        yield Measure(f"{name}.{kind}.rejected", _share(aimed, _is_rejected), "of drafts")
    for kind in ("paraphrased", "split", RETOLD):
        aimed = [each for each in part if each.draft.kind == kind]
        yield Measure(f"{name}.{kind}.pointed_at", _share(aimed, lambda each: each.is_pointed_at), "of drafts")
        yield Measure(f"{name}.{kind}.found_or_pointed_at", _share(aimed, _is_before_a_reader), "of drafts")
    for kind in CLEAN:
        aimed = [each for each in clean if each.draft.kind == kind]
        yield Measure(f"{name}.{kind}.flagged", _share(aimed, lambda each: bool(each.issues)), "of clean drafts")
    yield Measure(f"{name}.false_alarms", _share(clean, lambda each: bool(each.issues)), "of clean drafts", "<= 0.05")
    yield Measure(f"{name}.false_rejections", _share(clean, _is_rejected), "of clean drafts", "<= 0.05")


def _is_before_a_reader(each: _Checked) -> bool:
    """What a reviewing model would find that judges every sentence it is shown rightly: an upper bound."""
    return each.is_found or each.is_pointed_at


def _is_rejected(each: _Checked) -> bool:
    return verdict_of(each.issues) == "rejected"


def _costs(embedder: Embedder) -> Iterator[Measure]:
    """Check a chapter, and one of twice its length."""
    (texts, millis), (again, _) = _cost(embedder, _WORDS), _cost(embedder, 2 * _WORDS)
    yield Measure("leaks.cost.texts", len(texts), "texts embedded")
    yield Measure("leaks.cost.characters", sum(map(len, texts)), "characters embedded")
    yield Measure("leaks.cost.ms", millis, "ms a chapter")
    yield Measure("leaks.cost.twice_the_length", len(again) / len(texts), "of the texts", "<= 2.2")


def _share(part: Sequence[_Checked], holds: Callable[[_Checked], bool]) -> float:
    return sum(map(holds, part)) / (len(part) or 1)


class _Counting:
    """An embedder that counts what it is given."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        self.texts += texts
        return self._embedder.embed(texts, is_query)


def _cost(embedder: Embedder, words: int) -> tuple[list[str], float]:
    """Check a chapter of so many words by an embedder that knows no text yet; return what was embedded and how long.

    Milliseconds of wall time, with a warm model: good to a factor of two on a busy machine.
    """
    counting = _Counting(embedder)
    voice = voice_of(Language.EN, 0, "A harbour town counts its debts.")
    text = tell(voice, Random(5), words, ())
    settings = [text for story in stories(Language.EN) for text in story.settings]
    begun = time.perf_counter()
    check_draft(text, _fifty_secrets(), settings, (), Language.EN, counting)
    spent = time.perf_counter() - begun
    return counting.texts, spent * 1000


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
