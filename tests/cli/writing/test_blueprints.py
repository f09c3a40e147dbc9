"""`worldbuild`, `mystery`, `blueprints` and `--blueprint`, over the real engine with the rehearsal author."""

import json
from pathlib import Path

import pytest

from tests.support.blueprint_folders import atlas
from tests.support.fake_provider import FakeProvider

pytestmark = pytest.mark.usefixtures("library")

PREMISE = "A drowned coast that is mapped anew every spring."


@pytest.fixture
def folder(home):
    """An author's own blueprint, in the data folder."""
    return atlas(home / "blueprints")


def test_all_kinds_are_listed_with_what_is_wrong_with_a_broken_one(cli, folder):
    (folder.parent / "wreck").mkdir()
    (folder.parent / "wreck" / "blueprint.toml").write_text("name = ")

    listed = {row["name"]: row for row in json.loads(cli("blueprints", "--json").out)["blueprints"]}

    assert {"atlas", "mystery", "worldbuild", "web-serial"} <= listed.keys()
    assert listed["atlas"]["makes"] == "designs"
    assert "not valid TOML" in listed["wreck"]["problem"]


def test_a_folder_is_checked_and_a_fault_is_one_line_and_exit_code_two(cli, folder):
    good = cli("blueprints", "check", folder)
    (folder / "prompts" / "coast.md.j2").write_text("{{ the_weather }}")
    bad = cli("blueprints", "check", folder)

    assert good.code == 0
    assert "Nothing is wrong" in good.out
    assert (bad.code, len(bad.err.splitlines())) == (2, 1)
    assert "the_weather" in bad.err


def test_a_blueprint_is_checked_by_its_name_and_by_its_file_too(cli, folder):
    outcomes = [cli("blueprints", "check", named) for named in ("mystery", "atlas", folder / "blueprint.toml")]

    assert [(own.code, own.out.partition(":")[0]) for own in outcomes] == [(0, "mystery"), (0, "atlas"), (0, "atlas")]


def test_a_check_of_what_is_not_there_names_what_there_is(cli, home):
    outcome = cli("blueprints", "check", "thriller")

    assert outcome.code == 2
    assert "there is no folder 'thriller', and no blueprint of that name; there are " in outcome.err
    assert "mystery" in outcome.err


def test_a_missing_blueprint_is_told_before_anything_is_made(cli, home):
    outcome = cli("write", "--premise", PREMISE, "--blueprint", "thriller", "--words", "900", "--no-prefect")

    assert outcome.code == 2
    assert "no blueprint 'thriller'" in outcome.err
    assert json.loads(cli("status", "--json").out) == []


def test_a_world_is_written_read_exported_and_gone_on_with(cli, folder):
    written = cli(
        "write", "--premise", PREMISE, "--blueprint", "atlas", "--profile", "economy", "--no-prefect", "--json",
        "--export", "md",
    )  # fmt: skip
    facts = json.loads(written.out)
    book = facts["book"]

    assert written.code == 0, written.err
    assert facts["length"] == 1_200
    assert "# Ground" in Path(facts["files"][0]).read_text(encoding="utf-8")
    assert "The coast" in cli("read", book).out
    assert "## Validation" in Path(cli("report", book, "--to", "md").out.strip()).read_text(encoding="utf-8")
    assert "ground" in json.dumps(json.loads(cli("tree", book, "--planning", "--json").out)).casefold()
    again = json.loads(cli("write", "--premise", PREMISE, "--blueprint", "atlas", "--words", "1200", "--json",
                           "--profile", "economy", "--no-prefect").out)  # fmt: skip
    assert (again["book"], again["was_finished"]) == (book, True)


@pytest.mark.parametrize(
    "verb",
    [
        ("worldbuild", PREMISE, "--words", "20000", "--no-prefect"), ("worldbuild", PREMISE, "--no-prefect"),
        ("write", "--premise", PREMISE, "--blueprint", "worldbuild", "--words", "20000", "--no-prefect"),
        ("estimate", "--premise", PREMISE, "--blueprint", "worldbuild", "--words", "20000"),
    ],
)  # fmt: skip
def test_a_world_that_a_weak_model_cannot_make_is_refused_with_how_far_it_comes(cli, home, verb):
    outcome = cli(*verb, "--profile", "small")

    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1)
    assert "so the 15 pages come to about 825 words." in outcome.err
    assert "Ask for that (--words 825), or for more with --profile economy" in outcome.err
    assert json.loads(cli("status", "--json").out) == []


def test_a_small_world_of_what_it_can_make_is_written_and_estimated(cli, home):
    asked = (PREMISE, "--words", "825", "--profile", "small")

    estimated = cli("estimate", "--premise", *asked, "--blueprint", "worldbuild", "--json")
    written = cli("worldbuild", *asked, "--no-prefect", "--json")

    assert json.loads(estimated.out)["profile"] == "small"
    assert written.code == 0, written.err
    assert 0 < json.loads(written.out)["written"] <= 825


def test_a_window_that_makes_the_profile_small_is_named_where_a_world_is_refused(cli, home):
    with FakeProvider() as provider, pytest.MonkeyPatch.context() as environment:
        environment.setenv("OLLAMA_BASE_URL", provider.url)
        options = (PREMISE, "--words", "20000", "--model", "ollama:x", "--no-prefect")
        assumed = cli("worldbuild", *options)
        provider.told = {"/api/show": {"parameters": "num_ctx 4096"}}
        asked = cli("worldbuild", *options)

    assert "ollama:x takes 8,192 tokens (assumed), and below 16,000 the profile is small" in assumed.err
    assert "ollama:x takes 4,096 tokens (asked)" in asked.err
    assert provider.ledger == []


def test_a_world_that_was_begun_in_another_profile_is_gone_on_with_in_a_small_one(cli, folder):
    asked = ("--premise", PREMISE, "--blueprint", "atlas", "--words", "1200", "--no-prefect", "--json")
    book = json.loads(cli("write", *asked, "--profile", "economy").out)["book"]

    outcome = cli("write", *asked, "--profile", "small")
    anew = cli("write", *asked, "--profile", "small", "--new")

    assert (outcome.code, json.loads(outcome.out)["book"]) == (0, book), outcome.err
    assert anew.code == 2
    assert "more than the profile small can make" in anew.err


def test_only_a_mystery_is_gone_on_with_as_one(cli, folder):
    cli("write", "--premise", PREMISE, "--blueprint", "atlas", "--profile", "small", "--words", "150", "--no-prefect")
    book = json.loads(cli("status", "--json").out)[0]["book"]

    refused = cli("mystery", "--book", book)

    assert refused.code == 2
    assert "is no mystery" in refused.err


def test_a_verb_of_a_kind_needs_words_or_a_book(cli):
    assert cli("worldbuild").code == 2
    assert "say what it is about" in cli("mystery").err


def test_a_story_is_set_in_a_world_by_its_id_and_what_is_none_is_told_before_anything_is_made(cli, folder):
    cli("write", "--premise", PREMISE, "--blueprint", "atlas", "--words", "600", "--no-prefect")
    world = json.loads(cli("status", "--json").out)[0]["book"]
    wrong = cli("write", "--premise", "A clerk.", "--words", "300", "--no-prefect", "--world", "nowhere")
    books = json.loads(cli("status", "--json").out)
    done = cli("write", "--premise", "A clerk.", "--words", "300", "--no-prefect", "--world", world[:9])
    again = cli("write", "--premise", "A clerk.", "--words", "300", "--no-prefect", "--world", world)
    story = json.loads(cli("status", "--json").out)[0]["book"]

    assert (wrong.code, len(books)) == (2, 1)
    assert "there is no book 'nowhere'" in wrong.err
    assert (done.code, again.code) == (0, 0)
    assert "already; nothing was paid" in again.out
    assert "The coast" in cli("tree", story).out
    assert f'world = "{world}"' in cli("brief", story).out
