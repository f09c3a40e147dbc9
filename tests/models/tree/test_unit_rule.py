"""The grammar by which an author names units."""

import pytest

from bookwright.models.brief import make_brief
from bookwright.models.errors import InvalidBrief
from bookwright.models.tree.level import Level
from bookwright.models.tree.unit_rule import Position, Spot, UnitRule, rules_of


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("1.4", UnitRule(words="1.4", spot=Spot(label="1.4"))),
        ("book", UnitRule(words="book", spot=Spot(label="1"))),
        ("Chapter 3", UnitRule(words="chapter 3", spot=Spot(chapter=3))),
        ("9", UnitRule(words="9", spot=Spot(chapter=9))),
        ("volume 2", UnitRule(words="volume 2", spot=Spot(part=2, level=Level.VOLUME))),
        ("chapters", UnitRule(words="chapters", level=Level.CHAPTER)),
        ("every scene", UnitRule(words="scenes", level=Level.SCENE)),
        ("chapters of 2", UnitRule(words="chapters of 2", level=Level.CHAPTER, spot=Spot(part=2))),
        (
            "every chapter of volume 2",
            UnitRule(words="chapters of volume 2", level=Level.CHAPTER, spot=Spot(part=2, level=Level.VOLUME)),
        ),
        ("scenes of 1.4", UnitRule(words="scenes of 1.4", level=Level.SCENE, spot=Spot(label="1.4"))),
        ("scenes of chapter 3", UnitRule(words="scenes of chapter 3", level=Level.SCENE, spot=Spot(chapter=3))),
        ("every climax", UnitRule(words="climaxes", position=Position.CLIMAXES)),
        ("turning points", UnitRule(words="turning_points", position=Position.TURNING_POINTS)),
        ("Openings", UnitRule(words="openings", position=Position.OPENINGS)),
    ],
)
def test_a_rule_is_read_and_reads_the_same_as_it_is_kept(text: str, rule: UnitRule) -> None:
    assert UnitRule.parse(text) == rule
    assert UnitRule.parse(rule.words) == rule


@pytest.mark.parametrize(
    "text", ["", "every", "chapters of", "chapters of nowhere", "books", "volume", "2.1", "of 2", "0"]
)
def test_what_names_no_units_is_refused_with_what_does(text: str) -> None:
    with pytest.raises(ValueError, match="names no units of a book; say a label"):
        UnitRule.parse(text)


def test_rules_may_stand_in_one_text_with_commas_and_each_is_kept_once() -> None:
    assert rules_of("openings, ends,every opening") == ("openings", "ends")
    assert rules_of(["chapter", "1.4"], ("chapter",)) == ("chapter", "1.4")


def test_a_brief_holds_phases_and_units_beside_each_other() -> None:
    brief = make_brief({"premise": "A log.", "length": 900, "gates": ["outline", "every climax", "1.4"]})

    assert brief.gates == ("outline", "climaxes", "1.4")
    assert [rule.words for rule in brief.gate_rules] == ["climaxes", "1.4"]
    assert brief.changed(gates=brief.gates) == brief


@pytest.mark.parametrize("gates", [["human_fallback"], ["unit"], 1.4, [1.4, "x"]])
def test_a_gate_that_cannot_be_asked_for_is_refused(gates: object) -> None:
    with pytest.raises(InvalidBrief, match="gates in the brief: can be outline"):
        make_brief({"premise": "A log.", "length": 900, "gates": gates})


def test_candidates_are_for_openings_and_ends_unless_it_is_said() -> None:
    plain = make_brief({"premise": "A log.", "length": 900})
    told = make_brief({"premise": "A log.", "length": 900, "candidates_for": "chapter 2"})

    assert plain.drafts_a_unit == 1
    assert [rule.position for rule in plain.candidate_rules] == [Position.OPENINGS, Position.ENDS]
    assert (told.drafts_a_unit, told.candidates_for) == (2, ("chapter 2",))
