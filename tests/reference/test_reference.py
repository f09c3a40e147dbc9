"""What the docs say because the code does is what the code says now, and what every verb prints fits its schema."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bookwright.cli.verbs import VERBS, load
from bookwright.models.talk.event import as_json
from tests.cli.conftest import Cli, book, cli, home, set_home, settings  # noqa: F401  # fixtures
from tests.cli.shelf import a_book
from tests.reference import __main__ as making
from tests.reference import cli_page, schemas
from tests.reference.lines import LINES, Said, said_by
from tests.support.books import make_settings

LIKE = {
    "worldbuild": "write",
    "mystery": "write",
    "codex take": "codex edit",
    "codex drop": "codex suggestions",
}
"""Verbs that are not typed here, beside the one that is of their kind: they want a blueprint or a finding."""
ELSEWHERE = {
    "models get": "tests/test_distribution.py", "submit": "tests/flows/prefect/test_observer.py",
}  # fmt: skip
"""Verbs that want a network or a Prefect server, and the test that holds them to their schema."""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[Said]:
    """What every line printed."""
    folder = tmp_path_factory.mktemp("said")
    with pytest.MonkeyPatch.context() as patch:
        a_book(make_settings(set_home(folder / "home", patch)))
        return list(said_by(making.cli, folder))


def test_the_page_of_verbs_is_what_the_code_says() -> None:
    page = cli_page.PAGE.read_text("utf-8")

    assert page == cli_page.page_text(page), "`make reference` makes it anew"


def test_what_every_verb_prints_fits_its_schema(said: list[Said]) -> None:
    known = schemas.kept()

    found = {
        one.typed: faults
        for one in said
        for value in schemas.documents(one)
        if (faults := schemas.faults(known[one.verb], value))
    }

    assert found == {}, "`make reference` makes the schemas anew"


def test_the_schemas_of_the_code_s_own_types_are_current(said: list[Said]) -> None:
    made, known = schemas.made(said), schemas.kept()

    assert made.keys() == known.keys()
    assert [name for name in schemas.TYPES if made[name] != known[name]] == []


def test_every_schema_is_one() -> None:
    for schema in schemas.kept().values():
        Draft202012Validator.check_schema(schema)


def test_every_verb_that_prints_json_is_typed_or_has_one_like_it() -> None:
    typed = {line for _, line in LINES}

    missing = [
        name
        for name in verbs_with_json()
        if name not in LIKE | ELSEWHERE and not any(line.startswith(name) for line in typed)
    ]

    assert missing == []
    assert {like for like in LIKE.values() if not any(line.startswith(like) for line in typed)} == set()


def verbs_with_json() -> list[str]:
    found = []
    for name in (name for verbs in VERBS.values() for name in verbs):
        command = load(name)
        parts = getattr(command, "commands", None) or {}
        own = [(name, command)] if not parts else []
        for path, each in [*own, *((f"{name} {part}", one) for part, one in parts.items())]:
            if any("--json" in parameter.opts for parameter in each.params):
                found.append(path)
    return found


def test_a_value_of_another_shape_is_found() -> None:
    schema = schemas.kept()["pause"]
    good = {"book": "lamp", "stop_requested": False, "held_by": None}

    assert schemas.faults(schema, good) == []
    assert schemas.faults(schema, good | {"more": 1})
    assert schemas.faults(schema, good | {"stop_requested": "no"})
    assert schemas.faults(schema, {"book": "lamp"})


def test_the_events_of_a_book_fit_theirs(cli: Cli, book: Any, settings: Any) -> None:  # noqa: F811
    from bookwright.app.python_api import Library

    cli("write", "--premise", "Ships.", "--words", "600", "--no-prefect")
    [written] = [one for one in Library(settings.home).books() if one.id != "lamp"]
    told = [json.loads(as_json(event)) for event in written.events()]

    schema = schemas.kept()["event"]
    assert len(told) > 20
    assert [fault for value in told for fault in schemas.faults(schema, value)] == []
