"""A chapter beside those before it: copies are found however long ago, at a cost that does not grow."""

from random import Random

import pytest

from bookwright.agents.relay.figures.across import BookSketch, sketch_of
from bookwright.models.text.language import Language

LETTERS = {
    Language.EN: "abcdefghijklmnopqrstuvwxyz",
    Language.KO: "가나다라마바사아자차카타파하거너더러머버서",
    Language.ZH: "".join(map(chr, range(0x4E00, 0x4E00 + 600))),
    Language.JA: "".join(map(chr, range(0x3042, 0x3090))),
}


def prose(language: Language, rng: Random, count: int = 6) -> list[str]:
    """Paragraphs of 60 words, or 120 characters, that share nothing but their letters."""
    if language in (Language.EN, Language.KO):
        return [
            " ".join("".join(rng.choices(LETTERS[language], k=rng.randint(3, 8))) for _ in range(60)) + "."
            for _ in range(count)
        ]
    return ["".join(rng.choices(LETTERS[language], k=120)) + "。" for _ in range(count)]


def retouched(paragraph: str, language: Language, rng: Random) -> str:
    """The same with about one word in twenty, or one character in forty, another."""
    if language in (Language.EN, Language.KO):
        words = paragraph.split(" ")
        for place in rng.sample(range(len(words) - 1), 3):
            words[place] = "xx"
        return " ".join(words)
    letters = list(paragraph)
    for place in rng.sample(range(len(letters) - 1), 3):
        letters[place] = "凸"
    return "".join(letters)


@pytest.mark.parametrize("language", Language)
def test_planted_copies_are_found_and_nothing_else(language: Language) -> None:
    rng = Random(7)
    sketch = BookSketch()
    chapters = [prose(language, rng) for _ in range(30)]
    for number, chapter in enumerate(chapters):
        sketch.add(f"1.{number}", sketch_of("\n\n".join(chapter), language))
    copied, nearly = chapters[3][2], retouched(chapters[11][4], language, rng)

    clean = sketch.compare(sketch_of("\n\n".join(prose(language, rng)), language))
    found = sketch.compare(sketch_of("\n\n".join([*prose(language, rng, 2), copied, nearly]), language))

    assert clean == ()
    assert [(passage.kind, passage.chapter, passage.paragraph) for passage in found] == [
        ("paragraph", "1.3", 3),
        ("paragraph", "1.11", 5),
    ]
    assert found[0].similarity == 1.0
    assert 0.6 <= found[1].similarity < 1.0


@pytest.mark.parametrize("language", Language)
def test_a_long_wording_within_other_prose_is_found(language: Language) -> None:
    rng = Random(8)
    sketch = BookSketch()
    [first, second, third] = prose(language, rng, 3)
    size = len(first) // 3
    start = first.index(" ", size) + 1 if " " in first else size
    shared = first[start : start + size]
    sketch.add("1.2", sketch_of(f"{first}\n\n{second}", language))

    [found] = sketch.compare(sketch_of(f"{third[:-1]} {shared} {second[:0]}{prose(language, rng, 1)[0]}", language))

    assert (found.kind, found.chapter) == ("wording", "1.2")
    assert found.quote[5:-5] in shared


def test_a_book_of_any_length_costs_the_same_for_each_chapter() -> None:
    rng = Random(9)
    sketch = BookSketch(wording_slots=2**14, paragraph_slots=2**10)
    before, looks = sketch.size, []
    for number in range(400):
        chapter = sketch_of("\n\n".join(prose(Language.EN, rng, 4)), Language.EN)
        start = sketch.looks
        sketch.compare(chapter)
        sketch.add(str(number), chapter)
        looks.append(sketch.looks - start)

    assert sketch.size == before
    assert max(looks[-50:]) <= 1.5 * max(looks[:50])


def test_what_no_longer_fits_is_forgotten_oldest_first() -> None:
    rng = Random(10)
    sketch = BookSketch(wording_slots=2**8, paragraph_slots=2**5)
    chapters = ["\n\n".join(prose(Language.EN, rng, 4)) for _ in range(40)]
    for number, chapter in enumerate(chapters):
        sketch.add(str(number), sketch_of(chapter, Language.EN))

    newest = sketch.compare(sketch_of(chapters[-1], Language.EN))
    oldest = [passage for passage in sketch.compare(sketch_of(chapters[0], Language.EN)) if passage.kind == "paragraph"]

    assert [passage.chapter for passage in newest if passage.kind == "paragraph"] == ["39"] * 4
    assert oldest == []


def test_empty_and_tiny_texts_share_nothing() -> None:
    sketch = BookSketch()
    sketch.add("1.1", sketch_of("", Language.ZH))
    sketch.add("1.2", sketch_of("他说好。", Language.ZH))

    assert sketch.compare(sketch_of("他说好。", Language.ZH)) == ()
