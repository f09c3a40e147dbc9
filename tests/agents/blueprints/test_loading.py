"""Blueprints on disk: found by name, variant and path, and refused in one line where something is wrong."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bookwright.agents.blueprints.loading import check_folder, usable_blueprint
from bookwright.models.errors import InvalidBlueprint
from bookwright.storage.files.blueprints import OWN, as_chosen, folders
from tests.support.blueprint_folders import atlas, case


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in OWN.glob("*/blueprint.toml")))
def test_every_blueprint_of_the_program_can_be_worked_with_in_all_languages_of_prompts(folder: str) -> None:
    found = check_folder(OWN / folder)

    assert found.plan.name == folder
    for stage in found.plan.stages:
        told = [stage.titles, *(member.titles for member in stage.members), *(member.goals for member in stage.members)]
        assert all({"en", "zh", "ja", "ko"} <= texts.keys() for texts in told)


def test_an_authors_own_blueprint_goes_before_one_of_the_same_name(tmp_path: Path) -> None:
    atlas(tmp_path / "blueprints").rename(tmp_path / "blueprints" / "mystery")

    assert usable_blueprint("mystery", tmp_path).plan.name == "atlas"
    assert next(path for path in folders(tmp_path) if path.name == "mystery").is_relative_to(tmp_path)


def test_a_path_and_a_variant_are_kept_as_they_are_found(tmp_path: Path) -> None:
    folder = case(tmp_path)
    plan = folder / "blueprint.toml"
    plan.write_text(plan.read_text() + '\n[variants.short]\ntitles = "Short"\nunits.chapter = { length = [90, 160] }\n')

    chosen = as_chosen("./case:short", tmp_path)

    assert chosen == f"{folder.resolve()}:short"
    assert usable_blueprint(chosen, tmp_path).plan.units["chapter"].length == (90, 160)  # type: ignore[index]


def test_an_index_of_clues_tells_the_end_whether_or_not_its_blueprint_says_so(tmp_path: Path) -> None:
    plan = check_folder(case(tmp_path)).plan

    marked = {member.name: (member.is_spoiler, member.tells_end) for member in plan.members}
    assert marked["clue_index"] == (False, True)
    assert marked["review"] == (False, False)


def broken(change: Callable[[Path], object], tmp_path: Path) -> str:
    folder = atlas(tmp_path)
    change(folder)
    with pytest.raises(InvalidBlueprint) as caught:
        check_folder(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def prompt(name: str, text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / "prompts" / f"{name}.md.j2").write_text(text)


def toml(old: str, new: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        plan = folder / "blueprint.toml"
        assert old in plan.read_text()
        plan.write_text(plan.read_text().replace(old, new, 1))

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda folder: (folder / "blueprint.toml").unlink(), "cannot be read"),
        (lambda folder: (folder / "blueprint.toml").write_bytes(b"\xff\xfe"), "is not UTF-8"),
        (lambda folder: (folder / "blueprint.toml").write_text("name = "), "is not valid TOML"),
        (lambda folder: (folder / "prompts" / "place.md.j2").unlink(), "'place', and prompts/place.md.j2 is missing"),
        (lambda folder: (folder / "prompts" / "quality.md.j2").unlink(), "quality.md.j2 is missing"),
        (toml('check = "references"', 'check = "rhymes"'), "there is no check 'rhymes'"),
        (toml('{ check = "references" }', '{ check = "references", limits = { fewest = 1 } }'), "no limit 'fewest'"),
        (toml('{ check = "references" }', '{ check = "references", limits = { least = -1 } }'), "limits.least: Input"),
        (toml('{ check = "references" }', '{ check = "references", limits = { least = 9, most = 1 } }'), "at least 9"),
        (toml('name = "pages"', 'name = "ground"'), "two stages named 'ground'"),
        (toml('ja = "基礎"', 'jp = "基礎"'), "has a text for 'jp'"),
        (toml('page = "overview"', 'page = "map"'), "there is no page 'map'"),
        (prompt("coast", "{% if %}"), "coast.md.j2, line 1"),
        (prompt("coast", "{{ the_weather }}"), "'the_weather' is undefined"),
        (prompt("coast", "{{ book.weather }}"), "no attribute 'weather'"),
        (prompt("coast", '{% include "blueprint/gone.md.j2" %}'), "there is no template 'blueprint/gone.md.j2'"),
        (prompt("coast", '{% extends "story/blueprint/page_frame.md.j2" %}'), "coast.md.j2"),
        (prompt("coast", "{# nothing #}"), "comes to nothing"),
        (prompt("coast", "Say where land ends."), "stands in no frame"),
        (prompt("coast", "{{ ''.__class__.__mro__ }}"), "unsafe"),
        (prompt("coast", "{% for n in range(10 ** 9) %}{{ n }}{% endfor %}"), "Range too big"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said_in_one_line(
    change: Callable[[Path], object], told: str, tmp_path: Path
) -> None:
    assert told in broken(change, tmp_path)


def test_a_name_that_nobody_has_is_told_the_names_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(InvalidBlueprint, match=r"no blueprint 'thriller'; there are .*mystery"):
        usable_blueprint("thriller", tmp_path)
    with pytest.raises(InvalidBlueprint, match="'case' has no variant 'long'; it has none"):
        usable_blueprint(f"{case(tmp_path)}:long", tmp_path)
