"""Where sentences end: abbreviations, initials and quotations in four languages, on recorded and on made prose.

`recorded/sentences.txt` has `|` where a sentence ends and `¦` where one may, within a quotation.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.models.text.prose import paragraphs, pieces, sentence_ends, sentences
from tests.places import RECORDED

MARKED = [
    line for line in (RECORDED / "sentences.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("# ")
]
_BETWEEN_QUOTATIONS = re.compile(r"(?<=[”」\"]) ?(?=[“「\"])")
"""Two speakers in a row: a sentence may end there."""
_ABBREVIATED = re.compile(r"(?:\b(?:Mr|Mrs|Dr|St|Acct|Fri|Sat|Keeper T|No|V|A|T)|^\*?\d+)\.[\"”’)*]?$")


def ends(marked: str) -> tuple[str, set[int], set[int]]:
    """A text without its marks, where sentences end in it, and where they may."""
    text = ""
    found: dict[str, set[int]] = {"|": set(), "¦": set()}
    for part in re.split("([|¦])", marked):
        if part in found:
            found[part].add(len(text))
        else:
            text += part
    return text, found["|"], found["¦"] | {match.end() for match in _BETWEEN_QUOTATIONS.finditer(text)}


@pytest.mark.parametrize("marked", MARKED)
def test_sentences_end_where_a_reader_ends_them(marked: str) -> None:
    text, must, may = ends(marked)

    found = set(sentence_ends(text))

    assert must - found == set()
    assert found - must - may == set()


@pytest.mark.parametrize("name", ["standard_shorten", "economy_shorten"])
def test_no_abbreviation_of_the_recorded_prose_ends_a_sentence(name: str) -> None:
    text = (RECORDED / f"{name}.md").read_text(encoding="utf-8")

    found = [sentence for paragraph in paragraphs(text) for sentence in sentences(paragraph)]

    assert len(found) > 50
    assert [sentence for sentence in found if _ABBREVIATED.search(sentence) and not sentence.endswith('No."')] == []
    assert [sentence for sentence in found if len(sentence) < 4 and sentence not in ("So.", "---")] == []


def test_the_recorded_initial_stays_in_its_question() -> None:
    assert sentences('"Who," I said, "is V. Lady?"') == ['"Who," I said, "is V. Lady?"']


@given(st.text(st.sampled_from('Mr. “”"!?…。！？「」』）) *_AaI1说と라고가\n,，—')))
def test_no_letter_is_lost_and_the_places_rise(text: str) -> None:
    for paragraph in paragraphs(text):
        found = sentence_ends(paragraph)

        assert "".join(pieces(paragraph)) == paragraph
        assert list(found) == sorted(set(found))
        assert all(0 < place < len(paragraph) for place in found)


@pytest.mark.parametrize("unit", ['"', "“", '."', "…", "A. ", "。」", "Mr. ", "I. ", "（", ". . "])
def test_a_text_of_nothing_but_marks_comes_to_an_end(unit: str) -> None:
    text = unit * (100_000 // len(unit))

    assert "".join(pieces(text)).strip() == text.strip()
