"""Places in messages and in what is typed: one notation, in every verb."""

import re

import pytest


@pytest.mark.parametrize(
    "line",
    ["history lamp 3", "restore lamp 2 7", "diff lamp 1.2 1 9", "diff lamp 1.2", "revise lamp 3 --note Shorter."],
)
def test_what_is_refused_is_named_as_it_is_typed(cli, book, line):
    done = cli(*line.split())

    assert done.code == 2
    assert re.search(r'chapter [23] "The (Log|Ship)" \(1\.[23]\)', done.err), done.err


def test_a_unit_s_time_is_set_by_its_chapter_or_title(cli, book):
    said = cli("timeline", "lamp", "chapter 2", "--when", "day 3").err
    cli("timeline", "lamp", "The Lamp", "--when", "day 1")

    shown = cli("timeline", "lamp").out
    assert 'chapter 2 "The Log" (1.2) is set at: day 3' in said
    assert shown.index("day 1") < shown.index("day 3")


def test_what_a_unit_owes_the_threads_is_asked_by_its_chapter(cli, book):
    assert 'chapter 2 "The Log" (1.2) owes the threads nothing' in cli("foreshadowing", "due", "lamp", "chapter 2").out


def test_an_import_can_rest_at_no_title_and_says_what_it_takes(cli, home, tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("Chapter 1\n\n" + "Rain fell on the rock and she counted the ships again. " * 20)

    done = cli("import", file, "--yes", "--until", "The Lamp")

    assert done.code == 2
    assert "none of its titles is; name a chapter" in done.err
    assert not home.exists()
