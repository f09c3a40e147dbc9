"""The words of a text in plain form, and which of them mean something by themselves."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from bookwright.agents.relay.leaks.folding import Folded, fold
from bookwright.agents.relay.leaks.letters import is_spelt

FUNCTION_WORDS = frozenset(
    "a about above after again against ago all almost alone along already also although always am among an and "
    "another any anybody anyone anything are aren around as at away back be became because become been before began "
    "behind being below beneath beside between beyond both but by came can cannot come comes coming could couldn d did "
    "didn do does doesn doing don done down during each either else enough even ever every everybody everyone "
    "everything few for from get gets getting go goes going gone got had hadn has hasn have haven having he her here "
    "hers herself him himself his how however i if in inside into is isn it its itself just keep keeps kept knew know "
    "knows less let ll made make makes making many may me might mine more most much must my myself never no nobody "
    "none nor not nothing now of off often on once one ones only onto or other others ought our ours ourselves out "
    "outside over own perhaps put quite rather re really s said same saw say says see seen several shall she should "
    "shouldn since so some somebody someone something sometimes somewhere soon still such t take taken takes than that "
    "the their theirs them themselves then there these they thing things this those though through throughout to "
    "together too took toward towards two under until up upon us ve very was wasn way we well went were weren what "
    "whatever when where whether which while who whole whom whose why will with within without won would wouldn yes "
    "yet you your yours yourself".split()
)
"""Words that tell nothing by themselves, in plain letters."""


class Token(NamedTuple):
    """A spelt word, or one written character of another script; places count characters of the text."""

    text: str
    start: int
    end: int
    is_wide: bool


def has_content(word: str) -> bool:
    """Whether a word means something by itself; a single letter or figure does not."""
    return len(word) > 1 and word not in FUNCTION_WORDS


@lru_cache(maxsize=1_024)
def fold_tokens(text: str) -> tuple[str, ...]:
    """Return the tokens of a text alone; what was read lately is asked of again and again."""
    return tuple(token.text for token in tokens_of(fold(text)))


def tokens_of(folded: Folded) -> list[Token]:
    """Cut a text into spelt words and single characters of other scripts, all in plain form."""
    starts, ends, letters = folded.starts, folded.ends, folded.letters
    found: list[Token] = []
    for first, last in pairwise([0, *folded.gaps, len(letters)]):
        row = letters[first:last]
        places = [(first, last)] if row.isascii() and row else _places(folded, first, last)
        found += [Token(letters[a:b], starts[a], ends[b - 1], not is_spelt(letters[a])) for a, b in places]
    return found


def _places(folded: Folded, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield where the tokens begin and end among letters with nothing between them."""
    while first < last:
        end = first + 1
        is_word = is_spelt(folded.letters[first])
        while end < last and (not folded.opens(end) or (is_word and is_spelt(folded.letters[end]))):
            end += 1
        yield first, end
        first = end
