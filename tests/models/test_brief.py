"""What a brief must hold, how it is read, and what it says when it cannot be used."""

import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from bookwright.models.brief import MAX_BRIEF_BYTES, Brief, Budget, make_brief, parse_brief
from bookwright.models.errors import InvalidBrief
from bookwright.models.profile import ProfileName
from bookwright.models.text.language import Language

GOOD = {"premise": "A keeper finds a log that is written in her own hand.", "length": 900}
TOML = 'premise = "A keeper finds a log."\nlength = 900\n'


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"premise": None}, "premise"),
        ({"premise": ""}, "premise in the brief: is empty"),
        ({"premise": " \n\t "}, "premise in the brief: is empty"),
        ({"premise": "x" * 60_001}, "premise"),
        ({"premise": "a\x00b"}, "control character '\\x00'"),
        ({"premise": "a\x1b[31mb"}, "control character"),
        ({"premise": "a\ud800b"}, "premise"),
        ({"title": "a\x07"}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"length": 0}, "length"),
        ({"length": -1}, "length"),
        ({"length": 10**9}, "length"),
        ({"length": "many"}, "length"),
        ({"length": 900.5}, "length"),
        ({"language": "xx"}, "language"),
        ({"lenght": 900}, "did you mean 'length'"),
        ({"zzz": 1}, "known keys are premise"),
        ({"profile": "luxury"}, "profile"),
        ({"budget": {"usd": -1}}, "budget.usd"),
        ({"budget": {"usd": float("nan")}}, "budget.usd"),
        ({"budget": {"tokens": 0}}, "budget.tokens"),
        ({"budget": {"dollars": 3}}, "budget.dollars"),
        ({"max_unit_length": 49}, "max_unit_length"),
        ({"max_planning_rounds": 0}, "max_planning_rounds"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**31}, "seed"),
        ({"models": {"poet": "openai:x"}}, "'poet' is no role; roles are default, planner"),
        ({"models": {"writter": "openai:x"}}, "'writter' is no role; did you mean 'writer'?"),
        ({"models": {"writer": "gpt"}}, "provider:model"),
        ({"models": "openai:x"}, "models"),
        ({"default_visibility": 4}, "default_visibility in the brief: is no visibility"),
        ({"secrets": "x"}, "secrets"),
        ({"secrets": ["x"]}, "secrets.0"),
        ({"secrets": [{"content": "x", "visibility": True}]}, "secrets.0.visibility in the brief: is no visibility"),
        ({"secrets": [{"contents": "x"}]}, "the brief has no secrets.0.content"),
        ({"secrets": [{"content": "x", "importanc": 1}]}, "did you mean 'importance'"),
        ({"secrets": [{"id": "a", "content": "x"}, {"id": "a", "content": "y"}]}, "has the id 'a' twice"),
        ({"foreshadowing": [{"title": "Ring", "status": "lost"}]}, "foreshadowing.0.status"),
        ({"foreshadowing": [{"title": "Ring", "payoff": {"planned_at": "soon"}}]}, "is no place"),
    ],
)
def test_a_bad_brief_is_refused_in_one_line_that_names_the_key(change: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidBrief) as refused:
        make_brief({**GOOD, **change})

    message = str(refused.value)
    assert said in message
    assert "\n" not in message
    assert len(message) < 600


def test_a_slip_in_a_key_is_named_before_the_key_that_is_missing_by_it() -> None:
    with pytest.raises(InvalidBrief, match="did you mean 'length'"):
        make_brief({"premise": GOOD["premise"], "lenght": 900})


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Brief(premise="x", words=900), "the brief has an unknown key 'words'; did you mean 'length'?"),
        (lambda: Brief(premise="x", length=-3), "length in the brief: Input should be greater than or equal to 50"),
        (lambda: Brief(premise="x"), "the brief has no length"),
        (lambda: Budget(uds=3), "the brief has an unknown key 'uds'; did you mean 'usd'?"),
        (lambda: Budget(usd=-1), "usd in the brief: Input should be greater than 0"),
    ],
)
def test_a_program_that_makes_a_wrong_order_is_told_what_a_file_is_told(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(InvalidBrief, match=re.escape(said)) as refused:
        make()

    assert "\n" not in str(refused.value)


def test_pydantic_s_own_ways_of_making_a_brief_stay_its_own() -> None:
    brief = Brief(**GOOD)
    kept = Brief.model_validate_json(brief.model_dump_json())

    assert kept == Brief.model_validate(GOOD) == pickle.loads(pickle.dumps(brief)) == brief
    assert type("Subclass", (Brief,), {})(**GOOD).length == brief.length
    with pytest.raises(ValidationError, match=r"budget\.usd"):
        Brief.model_validate({**GOOD, "budget": {"usd": -1}})


@pytest.mark.parametrize("key", ["premise", "length"])
def test_what_is_missing_is_named(key: str) -> None:
    values = {name: value for name, value in GOOD.items() if name != key}

    with pytest.raises(InvalidBrief, match=f"the brief has no {key}"):
        make_brief(values)


@pytest.mark.parametrize(
    "source",
    [
        "premise = ",
        "[premise",
        'premise = "a"\npremise = "b"',
        "a = " + "[" * 20_000,
        "length = " + "9" * 5_000,
        b"\xff\xfe\x00",
        b'premise = "\x80"',
        'premise = "a\x00b"\nlength = 3',
        "# only a remark",
        "",
        "x" * 1_000_000,
        "#" + "x" * MAX_BRIEF_BYTES,
    ],
    ids=range(12),
)
def test_a_file_that_is_no_brief_is_refused_in_one_line(source: str | bytes) -> None:
    with pytest.raises(InvalidBrief) as refused:
        parse_brief(source)

    assert "\n" not in str(refused.value)


def test_a_brief_is_read_from_toml_with_the_defaults_filled_in() -> None:
    brief = parse_brief(TOML)

    assert (brief.premise, brief.length, brief.language) == ("A keeper finds a log.", 900, Language.EN)
    assert (brief.profile, brief.budget.usd, brief.models, brief.seed) == (None, None, {}, 0)


def test_a_byte_order_mark_is_no_fault() -> None:
    assert parse_brief(("\ufeff" + TOML).encode()).length == 900


def test_options_win_over_the_file_and_none_is_no_option() -> None:
    brief = parse_brief(TOML, {"length": 1_200, "title": None, "profile": "economy"})

    assert (brief.length, brief.title, brief.profile) == (1_200, "", ProfileName.ECONOMY)


@pytest.mark.parametrize(
    ("premise", "language", "unit"),
    [
        ("A keeper counts ships.", Language.EN, "words"),
        ("守塔人数着船。", Language.ZH, "characters"),
        ("灯台守は船を数える。", Language.JA, "characters"),
        ("등대지기가 배를 센다.", Language.KO, "characters"),
    ],
)
def test_the_premise_decides_the_language(premise: str, language: Language, unit: str) -> None:
    brief = make_brief({"premise": premise, "length": 900})

    assert (brief.language, brief.length_unit) == (language, unit)


@pytest.mark.parametrize("language", ["ja", ""])
def test_a_named_language_wins_and_an_empty_one_is_not_named(language: str) -> None:
    brief = make_brief({**GOOD, "language": language})

    assert brief.language == (language or "en")


def test_line_ends_and_composition_are_normalised() -> None:
    brief = make_brief({**GOOD, "premise": "  Cafe\u0301\r\nby the sea  "})

    assert brief.premise == "Caf\u00e9\nby the sea"


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ({"title": "The Log"}, "The Log"),
        ({"premise": "A keeper counts ships.\nNobody reads it."}, "A keeper counts ships."),
        ({"premise": "word " * 40}, "word " * 12 + "…"),
        ({"premise": "守" * 200}, "守" * 60 + " …"),
    ],
)
def test_a_book_without_a_title_goes_by_its_first_words(values: dict[str, Any], shown: str) -> None:
    assert make_brief({**GOOD, **values}).working_title == shown


def test_a_change_is_checked_like_any_brief() -> None:
    brief = make_brief({**GOOD, "budget": {"usd": 3}, "models": {"writer": "openai:x"}})

    changed = brief.changed(length=2_000, budget={"usd": 5})

    assert (changed.length, changed.budget.usd, changed.models) == (2_000, 5, {"writer": "openai:x"})
    assert brief.length == 900
    with pytest.raises(InvalidBrief, match="length"):
        brief.changed(length=0)
    with pytest.raises(InvalidBrief, match="did you mean 'length'"):
        brief.changed(lenght=3)


def test_a_brief_survives_its_own_json() -> None:
    brief = make_brief({**GOOD, "budget": {"tokens": 5}, "profile": "small", "prompt_language": "zh"})

    assert make_brief(brief.model_dump(mode="json")) == brief


@pytest.mark.parametrize(("length", "name"), [(119_999, "short"), (120_000, "medium"), (600_001, "long")])
def test_a_brief_knows_its_class(length: int, name: str) -> None:
    brief: Brief = make_brief({**GOOD, "length": length})

    assert brief.length_class == name
