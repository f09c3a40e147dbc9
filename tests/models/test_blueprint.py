"""Blueprints as data: what holds together, what does not, and what a register may say."""

from typing import Any

import pytest
from pydantic import ValidationError

from bookwright.models.blueprint import Blueprint
from bookwright.models.story.register import Register, RegisteredSecret, RegisteredThread, ThreadRole, Weight
from bookwright.models.tree.level import Level


def plan(**changes: Any) -> dict[str, Any]:
    members = changes.pop("members", [member()])
    stage = {"name": "ground", "titles": "Ground", "members": members}
    return {"name": "atlas", "titles": "Atlas", "words": 1_000, "stages": [stage], **changes}


def member(**changes: Any) -> dict[str, Any]:
    return {"name": "coast", "titles": "Coast", "goals": "Say where land ends.", **changes}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (plan(members=[member(), member()]), "two members named 'coast'"),
        (plan(members=[member(of=["sea"])]), "'sea', which is no member"),
        (plan(members=[member(kind="page")]), "`page` names what"),
        (plan(members=[member(page="index")]), "`page` names what"),
        (plan(members=[member(kind="search", prompt="x", entries={"prompt": "y"})]), "only a design has entries"),
        (plan(members=[member(entries={"prompt": "y"})]), "no `prompt` that names them"),
        (plan(members=[member(kind="register")]), "a register has a `prompt`"),
        (plan(members=[member(kind="verify")]), "verifies no review that comes before it"),
        (plan(members=[member(entries={"prompt": "y", "least": 5, "most": 2}, prompt="x")]), "at least 5"),
        (plan(units={"chapter": {"length": [900, 300]}}), "the shorter length comes first"),
        (plan(units={"chapter": {"child": "act"}}), "a chapter cannot divide into a act"),
        (plan(makes="designs", units={"chapter": {"count": 2}}), "has no units to cut"),
        (plan(makes="designs", members=[member(kind="page", page="index")]), "no member that writes a page"),
        (plan(members=[member(titles={"ja": "海岸"})]), "has no English"),
        (plan(words=3), "greater than or equal to 50"),
        (plan(colour="red"), "Extra inputs"),
    ],
)
def test_what_does_not_hold_together_is_refused(values: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Blueprint.model_validate(values)


def test_a_variant_changes_the_units_it_names_and_no_others() -> None:
    units = {"act": {"count": 4, "child": "chapter"}, "chapter": {"length": [1_000, 2_000]}}
    variants = {"short": {"titles": "Short", "units": {"chapter": {"length": [300, 500]}}}}

    varied = Blueprint.model_validate(plan(units=units, variants=variants)).varied("short")

    assert varied.units[Level.CHAPTER].length == (300, 500)
    assert varied.units[Level.ACT].count == 4


def clue(**changes: Any) -> RegisteredThread:
    values = {"title": "The wet coat", "seed": "A coat drips.", "planted_in": 2, "answered_in": 11} | changes
    return RegisteredThread.model_validate(values)


def test_a_clue_that_comes_with_the_reveal_of_its_secret_is_late() -> None:
    secret = RegisteredSecret(id="drowned", content="He was never on the boat.", revealed_in=9)
    fair, late = clue(secret="drowned"), clue(title="The oar", secret="drowned", planted_in=9)

    register = Register(secrets=(secret,), threads=(fair, late))

    assert register.late_clues() == [late]


def test_a_third_critical_clue_crowds_a_chapter_and_a_minor_one_does_not() -> None:
    critical = [clue(title=f"Clue {number}", weight=Weight.CRITICAL) for number in range(3)]
    trails = [clue(title=f"Trail {number}", role=ThreadRole.RED_HERRING) for number in range(3)]

    assert Register(threads=(*critical, *trails)).crowded() == [2]
    assert Register(threads=(*critical[:2], clue(title="Small"), *trails)).crowded() == []


def test_places_behind_the_last_chapter_come_to_lie_in_it() -> None:
    register = Register(threads=(clue(planted_in=14, reinforced_in=(15, 3), answered_in=40),)).held_to(12)

    thread = register.threads[0]
    assert (thread.planted_in, thread.reinforced_in, thread.answered_in) == (12, (3, 12), 12)
