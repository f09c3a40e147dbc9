"""All figures of a chapter at once, beside the chapters before it."""

import unicodedata

from bookwright.agents.relay.figures.measure import Measurer
from bookwright.agents.relay.figures.stock import shipped_list
from bookwright.models.text.language import Language

FIRST = (
    "Rain fell on the tower where Elara kept the lamp, and the nine ships that she had counted at dusk were gone by "
    "midnight without a sound."
)


def test_a_chapter_is_measured_beside_those_taken_in() -> None:
    measurer = Measurer(Language.EN, shipped_list(Language.EN), ["Elara"])
    measurer.take_in("1.1", FIRST)

    figures = measurer.measure(f"“No,” said Elera.\n\n{FIRST}", target=20)

    assert (figures.length, figures.target, figures.off_target) == (30, 20, 0.5)
    assert [(shared.kind, shared.chapter) for shared in figures.shared] == [("paragraph", "1.1")]
    assert [(doubt.name, doubt.like) for doubt in figures.names] == [("Elera", "Elara")]
    assert figures.dialogue == round(1 / 30, 4)


def test_measuring_remembers_nothing() -> None:
    measurer = Measurer(Language.EN, shipped_list(Language.EN))

    assert measurer.measure(FIRST) == measurer.measure(FIRST)


def test_without_a_codex_no_name_is_doubted() -> None:
    text = "They saw Tomas. They heard Tomas. They left Tomas."

    assert Measurer(Language.EN, shipped_list(Language.EN)).measure(text).names == ()


def test_letters_that_are_spelt_in_pieces_are_the_same_letters() -> None:
    text = "그는 숨을 삼켰다."
    measurer = Measurer(Language.KO, shipped_list(Language.KO))

    assert measurer.measure(unicodedata.normalize("NFD", text)) == measurer.measure(text)
