"""A person's file in a template's place: what it takes in is found as always, and what is wrong with it is told."""

from dataclasses import replace
from pathlib import Path

import pytest

from bookwright.models.errors import InvalidTemplate
from bookwright.models.tree.level import Level
from bookwright.prompts.render import render
from bookwright.prompts.templates import render_edited, source_of, takes_in
from tests.prompts.cards import card_of

DRAFT = "story/scene/write/draft"
CARD = card_of(Level.SCENE)


def edited(tmp_path: Path, text: str, stands_for: str = DRAFT, locale: str = "en") -> str:
    file = tmp_path / "mine.j2"
    file.write_text(text, encoding="utf-8")
    return render_edited(file, stands_for, DRAFT, CARD, locale)


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_an_unedited_copy_renders_as_the_template_does(tmp_path: Path, locale: str) -> None:
    text, file = source_of(DRAFT, locale)

    assert edited(tmp_path, text, locale=locale) == render(DRAFT, CARD, locale)
    assert file.read_text(encoding="utf-8") == text


def test_what_a_file_includes_comes_from_the_overlay_first(tmp_path: Path) -> None:
    text = '{% include "story/_author_brief.md.j2" %}'

    assert edited(tmp_path, text, locale="zh") == render("story/_author_brief", CARD, "zh") != render(DRAFT, CARD, "zh")


def test_a_file_may_stand_for_a_frame_that_the_template_extends(tmp_path: Path) -> None:
    [frame] = takes_in(DRAFT, "en")

    text = edited(tmp_path, "Write: {% block seat %}{% endblock %}", stands_for=frame)

    assert frame == "story/_write/draft_frame"
    assert text.startswith("Write: You write one scene")


def test_what_a_file_changes_is_not_kept_for_later(tmp_path: Path) -> None:
    before = render(DRAFT, CARD)

    edited(tmp_path, "Nothing.")

    assert render(DRAFT, replace(CARD)) == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Fine.\n{{ nobody }}", r"mine\.j2, line 2: 'nobody' is undefined; no card holds it"),
        ("{{ unit.nope }}", r"mine\.j2, line 1: 'NodeCard object' has no attribute 'nope'; no card holds it"),
        ("Fine.\n\n{% if %}", r"mine\.j2, line 3: Expected an expression"),
        ("{% include 'story/nix.md.j2' %}", r"mine\.j2, line 1: there is no template 'story/nix\.md\.j2'"),
        ("{{ unit.length / 0 }}", r"mine\.j2, line 1: division by zero"),
        ("{{ unit.title | nix }}", r"mine\.j2, line 1: No filter named 'nix'"),
        (f'{{% extends "{DRAFT}.md.j2" %}}', rf"mine\.j2: it extends or includes '{DRAFT}', and so itself"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidTemplate, match=message):
        edited(tmp_path, text)


def test_a_fault_in_what_a_file_takes_in_is_told_where_it_is(tmp_path: Path) -> None:
    with pytest.raises(InvalidTemplate, match=r"story/_tree\.md\.j2, line \d+: 'rows' is undefined"):
        edited(tmp_path, "{% include 'story/_tree.md.j2' %}")


def test_what_is_no_text_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.j2").write_bytes(b"caf\xe9")

    for name, message in (("latin.j2", "no UTF-8 text"), ("nobody.j2", "No such file"), (".", "Is a directory")):
        with pytest.raises(InvalidTemplate, match=message):
            render_edited(tmp_path / name, DRAFT, DRAFT, CARD, "en")


def test_a_template_that_is_not_there_has_no_source() -> None:
    with pytest.raises(InvalidTemplate, match="this version has no template 'story/nix'"):
        source_of("story/nix", "en")
