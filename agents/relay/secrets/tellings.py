"""Finds which due secrets a chapter has told: by the Extract Agent's answer, and by code.

Source: DESIGN section 10, item 6.
"""

from collections.abc import Iterable, Sequence

from bookwright.agents.relay.leaks.folding import Folded, fold
from bookwright.agents.relay.leaks.keywords import first_certain
from bookwright.agents.relay.leaks.units import sentences_of
from bookwright.agents.relay.leaks.wording import find_alike
from bookwright.agents.relay.secrets.coming_out import due_in_chapter, recorded
from bookwright.agents.relay.secrets.reviewing import span_of
from bookwright.models.codex.entries import Secret, Telling, TellingType, folded
from bookwright.models.codex.extraction import FoundReveal
from bookwright.models.tree.place import Place, ReadingOrder
from bookwright.storage.index.ranking import names, terms

_WINDOW = 8
"""Sentences within which words that tell one thing stand."""
_ENOUGH = 0.65
"""Share of the words of what is told that have to stand there, where no model says what a text tells."""
_AGREES = 0.15
"""Share of those words that has to stand at a quotation of which a model says that it tells it."""
_AROUND = 160
"""Characters before and behind a quotation that are taken with it."""
_STEM = 5
"""Letters by which two forms of a word are known as one."""
_FEWEST_WORDS = 3
_LONGEST_QUOTE = 400


def secrets_after(
    text: str, said: Iterable[FoundReveal], secrets: Iterable[Secret], at: str, place: Place, reading: ReadingOrder,
    *, is_judged: bool,
) -> list[Secret]:  # fmt: skip
    """Return the secrets for which the text of the chapter `at` changed something.

    What an earlier text of it did is taken back. What is said counts where it quotes the text, and words of the secret
    stand at that place; where no model was asked, words of a secret that stand close together do. Words that were only
    said to tell it stay on record as that.
    """
    draft, spoken = fold(text), list(said)
    changed = []
    for secret in secrets:
        event = None
        if due_in_chapter(secret, at, reading):
            quotes = [found.quote for found in spoken if folded(found.secret) == folded(secret.id)]
            proved = next((quote for quote in quotes if _speaks_of(text, quote, secret)), "")
            words = proved or _telling_words(text, draft, secret)
            words = words or ("" if is_judged and not quotes else standing_close(text, secret.content))
            kind = TellingType.TOLD if words else TellingType.MISSED
            event = Telling(place=place, type=kind, expression=(words or "".join(quotes[:1]))[:_LONGEST_QUOTE])
        after = recorded(secret, event, at, reading)
        changed += [after] if after != secret else []
    return changed


def standing_close(text: str, told: str) -> str:
    """Return the sentence around which a text has most of the words of something; empty where it has too few."""
    wanted = set(terms(told))
    if len(wanted) < _FEWEST_WORDS:
        return ""
    sentences = [sentence.text for sentence in sentences_of(text)]
    held = [wanted & set(terms(sentence)) for sentence in sentences]
    best = max(range(len(held)), key=lambda start: len(_words_close_to(held, start)), default=0)
    if not held or len(_words_close_to(held, best)) < _ENOUGH * len(wanted):
        return ""
    own = held[best : best + _WINDOW]
    return sentences[best + max(range(len(own)), key=lambda index: len(own[index]))]


def _words_close_to(held: Sequence[set[str]], start: int) -> set[str]:
    return set().union(*held[start : start + _WINDOW])


def _speaks_of(text: str, quote: str, secret: Secret) -> bool:
    """Whether a text has a quotation, and around it as many words of a secret, names apart, as no chance puts there."""
    span = span_of(text, quote)
    if span is None:
        return False
    wanted = _stems(secret.content) - _stems(" ".join((*names(secret.content), secret.related_entity)))
    there = _stems(text[max(span[0] - _AROUND, 0) : span[1] + _AROUND])
    return len(wanted & there) >= _AGREES * len(wanted)


def _stems(text: str) -> set[str]:
    return {term[:_STEM] for term in terms(text)}


def _telling_words(text: str, draft: Folded, secret: Secret) -> str:
    """What tells a secret by itself: a word that was forbidden for its sake, or its own wording."""
    if words := first_certain(draft, secret.forbidden_keywords):
        return words
    sentences = sentences_of(text)
    alike = find_alike(sentences, secret)
    return sentences[alike[0].run.first].text if alike else ""
