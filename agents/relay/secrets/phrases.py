"""The phrases by which withheld texts are known again, whatever their case, width, signs and script variant."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from bookwright.agents.relay.leaks.folding import Folded, fold, is_spelt
from bookwright.agents.relay.leaks.units import Token, fold_tokens, has_content, sentences_of, tokens_of

LEAST = 8
"""Characters of a phrase, signs and spaces inside it included."""

_LEAST_CONTENT = 2
_LEAST_WIDE = 6
"""Characters of han, kana or hangul among them; the rest may be signs."""

_SPELT_IN_WIDE = 2
"""What a word in Latin letters counts for among them: a name and one character are no phrase."""

_LEAST_WHOLE = (2, 4)
"""Wide characters, or letters, of a text that is too short to have a phrase; below that it tells nothing."""

_TELLS = 0.5
"""A public sentence with more than this part of a withheld sentence's phrases tells it."""

_LEAST_SINGULAR = 3

_SPACE = re.compile(r"\s+")
_END_OF_LINE = re.compile(r"[.!?…:。！？：][^\w\s]*[ \t]*\n")
"""Where a statement ends with its line: words on both sides say nothing together, unless they are withheld so."""

Phrase = tuple[str, ...]
_Named = tuple[frozenset[Phrase], dict[Phrase, frozenset[Phrase]]]


class Phrases:
    """All shortest phrases of some texts, and which of their sentences each is from."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._owners: dict[Phrase, set[int]] = defaultdict(set)
        self._sizes: list[int] = []
        """How many phrases each withheld sentence has."""
        self._names: set[Phrase] = set()
        self._over_lines: set[Phrase] = set()
        """Phrases that a withheld text itself has over the end of a line, such as the one after `"The killer:"`."""
        self._ties: dict[Phrase, frozenset[Phrase]] = {}
        """Phrases from the end of a title into the name behind it, each with the title and the name."""
        for text in dict.fromkeys(texts):
            self._learn(text)
        self._index()

    @property
    def is_empty(self) -> bool:
        """Whether there is none."""
        return not self._owners

    def stems(self) -> set[str]:
        """Return rows of letters of which any text that holds a phrase has one."""
        return {"".join(phrase) for phrase in self._owners}

    @property
    def all(self) -> frozenset[Phrase]:
        """The phrases themselves."""
        return frozenset(self._owners)

    def release(self, read: Iterable[str], openly: Iterable[str] = (), designed: Iterable[str] = ()) -> None:
        """Forget what is public.

        That is what stands in `read`; what stands in `openly` (see there), or has all its words of content in
        one of its sentences; and a name in a sentence of `designed` that holds nothing else of what is withheld.
        With a name goes the phrase that ties it to a title before it, where that is public too.
        """
        if self.is_empty:
            return
        told = tuple(openly)
        public = {phrase for text in (*read, *told) for phrase in self._held(fold_tokens(text))}
        for text in designed:
            for sentence in sentences_of(text):
                held = self.held(sentence.text)
                public |= held if held <= self._names else set()
        public |= self._said_together(told)
        public |= {tie for tie, ends in self._ties.items() if tie in self._owners and ends <= public}
        for phrase in public:
            del self._owners[phrase]
        self._index()

    def openly(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return what of some texts is public: rows of sentences none of which tells, and names out of those that do.

        A sentence with more than half of a withheld sentence's phrases tells it.
        """
        rows: list[str] = []
        for text in texts:
            start: int | None = None
            end = 0
            for sentence in sentences_of(text):
                held = self.held(sentence.text)
                if self._tells(held):
                    rows += [*([] if start is None else [text[start:end]]), *(" ".join(n) for n in held & self._names)]
                    start = None
                else:
                    start, end = sentence.start if start is None else start, sentence.end
            rows += [] if start is None else [text[start:end]]
        return tuple(rows)

    def _said_together(self, told: Iterable[str]) -> set[Phrase]:
        """Phrases of spelt words whose words of content a public sentence says, in whatever order and number."""
        said = [
            {_singular(word) for word in fold_tokens(sentence.text)} for text in told for sentence in sentences_of(text)
        ]
        wanted = {
            phrase: {_singular(word) for word in phrase if has_content(word)}
            for phrase in self._owners
            if phrase not in self._names and all(is_spelt(word[0]) for word in phrase)
        }
        return {
            phrase for phrase, words in wanted.items() if len(words) > 1 and any(words <= sentence for sentence in said)
        }

    def places(self, folded: Folded) -> list[tuple[int, int]]:
        """Return where a text holds a phrase, as its slices, first to last."""
        words = fold_tokens(folded.text)
        matches = list(self._matches(words))
        tokens = tokens_of(folded) if matches else []
        return [
            (tokens[first].start, tokens[last - 1].end)
            for first, last in matches
            if tuple(words[first:last]) in self._over_lines or not _is_over_lines(tokens[first:last], folded.text)
        ]

    def held(self, text: str) -> set[Phrase]:
        """Return the phrases that stand in a text."""
        return set(self._held(fold_tokens(text)))

    def _learn(self, text: str) -> None:
        found, sentences, over_lines, (names, ties) = _phrases_of(text)
        self._over_lines |= over_lines
        self._names |= names
        self._ties |= ties
        base = len(self._sizes)
        self._sizes += [0] * sentences
        for phrase, sentence in found:
            self._owners[phrase].add(base + sentence)
            self._sizes[base + sentence] += 1

    def _index(self) -> None:
        self._lengths: dict[str, set[int]] = {}
        for phrase in self._owners:
            self._lengths.setdefault(phrase[0], set()).add(len(phrase))

    def _matches(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        for first in [place for place, word in enumerate(words) if word in self._lengths]:
            for length in self._lengths[words[first]]:
                last = first + length
                if last <= len(words) and tuple(words[first:last]) in self._owners:
                    yield first, last

    def _held(self, words: Sequence[str]) -> Iterator[Phrase]:
        return (tuple(words[first:last]) for first, last in self._matches(words))

    def _tells(self, held: set[Phrase]) -> bool:
        counts: dict[int, int] = defaultdict(int)
        for phrase in held:
            for owner in self._owners[phrase]:
                counts[owner] += 1
        return any(count > self._sizes[owner] * _TELLS for owner, count in counts.items())


def _singular(word: str) -> str:
    return word[:-1] if len(word) > _LEAST_SINGULAR and word.endswith("s") else word


def phrases_of(text: str) -> set[Phrase]:
    """Return a text's shortest phrases."""
    return {phrase for phrase, _ in _phrases_of(text)[0]}


@lru_cache(maxsize=8_192)
def _phrases_of(text: str) -> tuple[frozenset[tuple[Phrase, int]], int, frozenset[Phrase], _Named]:
    """Return a text's shortest phrases, each with the number of the sentence that it begins in; and its sentences.

    Behind them come those that go over the end of a line, those that are names, and those that tie a name to a title.
    """
    tokens = tokens_of(fold(text))
    starts = [sentence.start for sentence in sentences_of(text)]
    runs = list(_runs(tokens, text)) or _whole(tokens)
    found = frozenset(
        (_phrase(tokens[first:last]), max(bisect_right(starts, tokens[first].start) - 1, 0)) for first, last in runs
    )
    over_lines = frozenset(
        _phrase(tokens[first:last]) for first, last in runs if _is_over_lines(tokens[first:last], text)
    )
    return found, max(len(starts), 1), over_lines, _named(tokens, dict(runs), text)


def _phrase(run: Sequence[Token]) -> Phrase:
    return tuple(token.text for token in run)


def _is_over_lines(run: Sequence[Token], text: str) -> bool:
    return _END_OF_LINE.search(text, run[0].start, run[-1].end) is not None


def _named(tokens: Sequence[Token], runs: Mapping[int, int], text: str) -> _Named:
    """Find the names among the phrases: runs of capitalised words, with nothing but spaces between them."""

    def phrase(first: int) -> Phrase:
        return _phrase(tokens[first : runs[first]])

    def is_name(first: int) -> bool:
        run = tokens[first : runs.get(first, first)]
        return bool(run) and all(text[token.start].isupper() for token in run) and _is_row_of_content(run, text)

    def is_title(first: int, last: int) -> bool:
        return runs.get(first) == last and _is_row_of_content(tokens[first:last], text)

    names = [first for first in runs if is_name(first)]
    tied = [first for first in names if first > 1 and is_title(first - 2, first) and runs.get(first - 1) == first + 1]
    ties = {phrase(first - 1): frozenset({phrase(first - 2), phrase(first)}) for first in tied}
    return frozenset(map(phrase, names)), ties


def _is_row_of_content(run: Sequence[Token], text: str) -> bool:
    """Whether all words of a run mean something, with nothing but spaces between them."""
    is_row = not any(text[one.end : other.start].strip() for one, other in pairwise(run))
    return is_row and all(has_content(token.text) for token in run)


def _runs(tokens: Sequence[Token], text: str) -> Iterator[tuple[int, int]]:
    """Yield from each token on the shortest run that is a phrase."""
    for first in range(len(tokens)):
        for last in range(first + 1, len(tokens) + 1):
            if _is_phrase(tokens[first:last], text):
                yield first, last
                break


def _is_phrase(run: Sequence[Token], text: str) -> bool:
    wide = sum(token.is_wide for token in run)
    if not wide:
        return len(_spaced(run, text)) >= LEAST and sum(has_content(token.text) for token in run) >= _LEAST_CONTENT
    if wide < len(run):
        return wide + _SPELT_IN_WIDE * (len(run) - wide) >= LEAST
    return wide >= _LEAST_WIDE and len(_spaced(run, text)) >= LEAST


def _spaced(run: Sequence[Token], text: str) -> str:
    """A run as it stands in the text, every row of spaces in it one space."""
    return _SPACE.sub(" ", text[run[0].start : run[-1].end])


def _whole(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return the whole of a text that is shorter than a phrase, unless it tells nothing."""
    wide = sum(token.is_wide for token in tokens)
    letters = sum(len(token.text) for token in tokens if not token.is_wide and has_content(token.text))
    return [(0, len(tokens))] if wide >= _LEAST_WHOLE[0] or letters >= _LEAST_WHOLE[1] else []
