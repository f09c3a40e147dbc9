"""All leak checks of a draft, run together and always: what they find, and the parts of a draft that none counts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from bookwright.agents.relay.leaks.folding import Folded, fold, letters_of
from bookwright.agents.relay.leaks.keywords import KeywordHit, find_keyword, stem_of
from bookwright.agents.relay.leaks.meaning import MeaningCheck
from bookwright.agents.relay.leaks.units import Sentence, fold_tokens, has_content, sentences_of
from bookwright.agents.relay.leaks.wording import find_alike, find_quotations, is_long_enough, names_of
from bookwright.agents.relay.secrets.phrases import Phrases
from bookwright.agents.relay.secrets.public import NOTHING_PUBLIC, Public, Span, is_within, spans_of
from bookwright.models.codex.entries import Secret, Visibility
from bookwright.models.codex.leak import Result
from bookwright.models.text.language import Language
from bookwright.storage.index.embedding import Embedder


class LeakKind(StrEnum):
    """Which check found it."""

    FORBIDDEN_KEYWORD = "forbidden_keyword"
    WORDING = "wording"
    """The secret's own words, more or less."""
    MEANING = "meaning"
    """What the secret says, in other words."""
    QUOTATION = "quotation"
    """Setting text, letter by letter."""


class LeakSeverity(StrEnum):
    """How bad it is. Source: DETAILS "Leak checks and thresholds"."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"


@dataclass(frozen=True)
class LeakIssue:
    """One leak, located in the draft."""

    kind: LeakKind
    severity: LeakSeverity
    start: int
    end: int
    """Places in the draft as it was given, in characters."""
    excerpt: str
    """The place with up to 20 characters on either side."""
    detail: str
    suggestion: str
    secret: str = ""
    """The secret's id; empty for a global keyword and for setting text."""
    word: str = ""
    """The keyword that was found."""


AROUND = 20
"""Characters shown on either side of a place."""

_KINDS = {
    LeakKind.FORBIDDEN_KEYWORD: (LeakSeverity.CRITICAL, "Say it without this word, or leave it out."),
    LeakKind.WORDING: (LeakSeverity.HIGH, "Take out what this passage tells of the secret."),
    LeakKind.MEANING: (LeakSeverity.MEDIUM, "Take out what this passage tells of the secret, or make it a hint."),
    LeakKind.QUOTATION: (LeakSeverity.HIGH, "Tell it as a person of the scene would see it, in other words."),
}
"""How bad each is, and what is to be done about it."""


def check_draft(
    text: str,
    secrets: Sequence[Secret],
    settings_texts: Sequence[str],
    global_keywords: Sequence[str],
    language: Language,
    embedder: Embedder,
    public: Public = NOTHING_PUBLIC,
) -> tuple[LeakIssue, ...]:
    """Run every check on a draft and return what they found, in the order of the draft.

    `secrets` are those in force where the draft stands; one that may be used freely is passed over. Words that
    are public, and expressions that a secret allows, are held against nobody by any of the checks.
    """
    draft, sentences = fold(text), sentences_of(text)
    kept = [secret for secret in secrets if secret.visibility is not Visibility.USE]
    found = [*_keywords(draft, kept, global_keywords), *_quotations(draft, settings_texts)]
    found += _likenesses(text, sentences, kept, language, embedder)
    if found:
        free = Free(draft, secrets, public)
        rest = _likenesses(text, free.without(sentences), kept, language, embedder) if free.spans else found
        again = {_place_of(issue) for issue in rest}
        found = [issue for issue in found if free.leaves(issue, is_alike=_place_of(issue) in again)]
    return tuple(sorted(found, key=lambda issue: (issue.start, issue.end, issue.kind, issue.secret)))


def gives_away(
    text: str, secrets: Sequence[Secret], settings_texts: Sequence[str], words: Sequence[str],
    public: Callable[[], Public] = lambda: NOTHING_PUBLIC,
) -> bool:  # fmt: skip
    """Tell whether the checks reject a draft, which a nearness of meaning alone never does."""
    letters = letters_of(text)
    wanted = dict.fromkeys((*words, *(word for secret in secrets for word in secret.forbidden_keywords)))
    there = [word for word in wanted if (stem := stem_of(word)) and stem in letters]
    sentences = sentences_of(text) if secrets else []
    kept = [secret for secret in secrets if secret.visibility is not Visibility.USE]
    is_alike = any(find_alike(sentences, secret) for secret in kept)
    if not (there or settings_texts or is_alike):
        return False
    draft = fold(text)
    found = [*_keywords(draft, kept, there), *_quotations(draft, settings_texts)]
    if not (found or is_alike):
        return False
    free = Free(draft, secrets, public())
    if any(issue.severity is not LeakSeverity.MEDIUM and free.leaves(issue) for issue in found):
        return True
    return any(find_alike(free.without(sentences), secret) for secret in kept)


def verdict_of(issues: Sequence[LeakIssue]) -> Result:
    """Judge a draft by its issues: what is critical or high rejects it, anything else is for a model to judge."""
    if any(issue.severity is not LeakSeverity.MEDIUM for issue in issues):
        return "rejected"
    return "warning" if issues else "approved"


def likeliest(
    text: str, secrets: Sequence[Secret], language: Language, embedder: Embedder, count: int, each: int
) -> tuple[tuple[int, int], ...]:
    """Return the places of the `count` sentences that come nearest to telling any of the secrets, likeliest first.

    A secret has at most `each` of them. For the reviewing model to judge: the embedding finds where a draft comes near
    a secret far better than it tells whether it gives it away.
    """
    sentences = sentences_of(text)
    if not sentences:
        return ()
    meaning = MeaningCheck(sentences, names_of(secrets), language, embedder)
    near = [alike for secret in secrets for alike in meaning.nearest(secret, each)]
    ranked = dict.fromkeys(alike.run.first for alike in sorted(near, key=lambda alike: (-alike.score, alike.run.first)))
    return tuple((sentences[place].start, sentences[place].end) for place in list(ranked)[:count])


def _keywords(draft: Folded, secrets: Sequence[Secret], words: Sequence[str]) -> Iterator[LeakIssue]:
    wanted = [(word, secret.id) for secret in secrets for word in secret.forbidden_keywords]
    owned = {word for word, _ in wanted}
    wanted += [(word, "") for word in words if word not in owned]
    for word, secret in dict.fromkeys(wanted):
        yield from (_of_keyword(draft.text, found, secret) for found in find_keyword(draft, word))


def _place_of(issue: LeakIssue) -> tuple[LeakKind, str, int]:
    return issue.kind, issue.secret, issue.start


def _of_keyword(text: str, found: KeywordHit, secret: str) -> LeakIssue:
    written = text[found.start : found.end]
    doubt = "" if found.is_certain else "; it may be two words that meet by chance"
    detail = f"the forbidden keyword {found.keyword!r} stands here as {written!r}{doubt}"
    issue = _issue(text, LeakKind.FORBIDDEN_KEYWORD, (found.start, found.end), detail, secret, found.keyword)
    return issue if found.is_certain else replace(issue, severity=LeakSeverity.MEDIUM)


def _quotations(draft: Folded, settings: Sequence[str]) -> Iterator[LeakIssue]:
    for found in find_quotations(draft, settings):
        detail = f"{found.end - found.start} characters stand in setting text {found.setting + 1} letter by letter"
        yield _issue(draft.text, LeakKind.QUOTATION, (found.start, found.end), detail)


def _likenesses(
    text: str, sentences: Sequence[Sentence], secrets: Sequence[Secret], language: Language, embedder: Embedder
) -> Iterator[LeakIssue]:
    if not (sentences and secrets):
        return
    meaning = MeaningCheck(sentences, names_of(secrets), language, embedder)
    for secret in secrets:
        worded = find_alike(sentences, secret)
        for alike in worded:
            detail = f"{alike.score:.0%} of the wording of secret {secret.id!r}"
            yield _issue(text, LeakKind.WORDING, alike.run.span(sentences), detail, secret.id)
        for alike in meaning.find(secret):
            if not any(alike.run.overlaps(other.run) for other in worded):
                detail = f"comes near to what secret {secret.id!r} says; it may say it in other words"
                yield _issue(text, LeakKind.MEANING, alike.run.span(sentences), detail, secret.id)


def _issue(
    text: str, kind: LeakKind, place: tuple[int, int], detail: str, secret: str = "", word: str = ""
) -> LeakIssue:
    (start, end), (severity, suggestion) = place, _KINDS[kind]
    excerpt = text[max(start - AROUND, 0) : end + AROUND]
    return LeakIssue(kind, severity, start, end, excerpt, detail, suggestion, secret, word)


class Free:
    """The free words of one draft, found when a check has found anything."""

    def __init__(self, draft: Folded, secrets: Sequence[Secret], public: Public) -> None:
        self._draft = draft
        self._public = public
        self._allowed = tuple(words for secret in secrets for words in secret.allowed_expressions)
        self._owned = {word for secret in secrets for word in secret.forbidden_keywords}
        self._contents = tuple(secret.content for secret in secrets)

    @cached_property
    def spans(self) -> list[Span]:
        """Where they stand in the draft: expressions, wording that binds, and what it quotes of public texts."""
        said = spans_of(self._draft, (*self._allowed, *self._public.wordings))
        return [*said, *((found.start, found.end) for found in find_quotations(self._draft, self._open))]

    def without(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Return the sentences with nothing in the place of free words."""
        return [Sentence(self._rest[sentence.start : sentence.end], sentence.start) for sentence in sentences]

    def leaves(self, issue: LeakIssue, *, is_alike: bool = True) -> bool:
        """Whether a find stands; `is_alike` tells of a likeness that it does without the free words."""
        place = (issue.start, issue.end)
        if issue.kind is LeakKind.FORBIDDEN_KEYWORD:
            return not is_within(place, self.spans) and not self._is_free(issue.word)
        if issue.kind is LeakKind.QUOTATION:
            return is_long_enough(self._rest[slice(*place)])
        return is_alike

    def says_nothing(self, place: Span) -> bool:
        """Whether a place of the draft holds no word of content but free ones."""
        words = fold_tokens(self._rest[slice(*place)])
        return bool(self.spans) and not any(map(has_content, words))

    @cached_property
    def _rest(self) -> str:
        """The draft with spaces where free words are, so that all other places stay what they are."""
        text = self._draft.text
        for start, end in self.spans:
            text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
        return text

    def _is_free(self, word: str) -> bool:
        """A word that a record forbids is free where readers or the author have it; one of the author's list never."""
        return word in self._owned and any(
            find_keyword(fold(text), word) for text in (*self._public.printed, *self._openly(self._public.named))
        )

    @cached_property
    def _open(self) -> tuple[str, ...]:
        return (*self._public.printed, *self._openly((*self._public.order, *self._public.bound)))

    def _openly(self, texts: Sequence[str]) -> tuple[str, ...]:
        """What of some texts tells none of the secrets."""
        return Phrases(self._contents).openly(texts)
