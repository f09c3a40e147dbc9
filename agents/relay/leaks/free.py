"""The parts of a draft that no check counts: public words, and expressions that a secret allows."""

from collections.abc import Sequence
from functools import cached_property

from bookwright.agents.relay.leaks.folding import Folded
from bookwright.agents.relay.leaks.issue import LeakIssue, LeakKind
from bookwright.agents.relay.leaks.keywords import find_keyword
from bookwright.agents.relay.leaks.quotation import find_quotations, is_long_enough
from bookwright.agents.relay.leaks.units import Sentence
from bookwright.agents.relay.secrets.phrases import Phrases
from bookwright.agents.relay.secrets.public import Public, Span, blanked, folded_text, is_within, spans_of
from bookwright.agents.relay.secrets.words import fold_tokens, has_content
from bookwright.models.codex.entries import Secret


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
        text = blanked(self._draft.text, self.spans)
        return [Sentence(text[sentence.start : sentence.end], sentence.start) for sentence in sentences]

    def leaves(self, issue: LeakIssue, *, is_alike: bool = True) -> bool:
        """Whether a find stands; `is_alike` tells of a likeness that it does without the free words."""
        place = (issue.start, issue.end)
        if issue.kind is LeakKind.FORBIDDEN_KEYWORD:
            return not is_within(place, self.spans) and not self._is_free(issue.word)
        if issue.kind is LeakKind.QUOTATION:
            return is_long_enough(self._left(place))
        return is_alike

    def says_nothing(self, place: Span) -> bool:
        """Whether a place of the draft holds no word of content but free ones."""
        words = fold_tokens(self._left(place))
        return bool(self.spans) and not any(map(has_content, words))

    def _left(self, place: Span) -> str:
        return blanked(self._draft.text, self.spans)[slice(*place)]

    def _is_free(self, word: str) -> bool:
        """A word that a record forbids is free where readers or the author have it; one of the author's list never."""
        return word in self._owned and any(
            find_keyword(folded_text(text), word) for text in (*self._public.printed, *self._openly(self._public.named))
        )

    @cached_property
    def _open(self) -> tuple[str, ...]:
        return (*self._public.printed, *self._openly((*self._public.order, *self._public.bound)))

    def _openly(self, texts: Sequence[str]) -> tuple[str, ...]:
        """What of some texts tells none of the secrets."""
        return Phrases(self._contents).openly(texts)
