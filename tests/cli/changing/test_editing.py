"""`edit`: a text in the author's own editor, and a manuscript that comes back from Word."""

import json
import shlex
import sys
from pathlib import Path

import docx
import pytest

from bookwright.flows.revision.revise import chosen
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.storage.stores import BookStorage
from tests.cli.terminal import Terminal
from tests.support.books import finish, make_book

SCENES = [
    {"level": "chapter", "title": "The Lamp", "parts": [
        {"level": "scene", "title": "Rain", "text": "Rain fell on the rock.\n\nShe counted the ships."},
        {"level": "scene", "title": "Dark", "text": "The lamp went out."},
    ]},
    {"level": "chapter", "title": "The Log", "text": "She read her own hand, *slowly*.\n\nIt was dated tomorrow."},
]  # fmt: skip


@pytest.fixture
def house(settings) -> BookStorage:
    """A book `lamp` of two chapters, the first in two scenes."""
    return make_book(settings, SCENES, title="Night Watch", pen_name="A. Hand")


def text_of(storage: BookStorage, label: str) -> tuple[int, str]:
    with storage.read() as stores:
        found = chosen(stores, stores.nodes.by_label(label), None)
        return found.version, found.text


def edited(path: Path, old: str, new: str) -> None:
    """Do what an author does in Word: change words of one paragraph."""
    document = docx.Document(str(path))
    changed = 0
    for paragraph in document.paragraphs:
        if old in paragraph.text:
            for run in paragraph.runs:
                changed += old in run.text
                run.text = run.text.replace(old, new)
    assert changed == 1
    document.save(str(path))


def test_what_was_edited_in_word_comes_back_as_edits_of_its_scenes(cli, house, tmp_path):
    file = tmp_path / "book.docx"
    assert cli("export", "lamp", "--to", "docx", "--output", file).code == 0
    edited(file, "The lamp went out.", "The lamp went out, and the gulls fell silent.")

    shown = json.loads(cli("edit", "lamp", "--from", file, "--dry-run", "--json").out)
    assert text_of(house, "1.1.2") == (1, "The lamp went out.")
    done = json.loads(cli("edit", "lamp", "--from", file, "--yes", "--json").out)

    assert [row["node"] for row in shown["changed"]] == ["1.1.2"]
    assert (shown["unchanged"], shown["unclear"], shown["saved"]) == (1, [], [])
    assert done["saved"] == [{"node": "1.1.2", "version": 2, "waits": False}]
    assert text_of(house, "1.1.2") == (2, "The lamp went out, and the gulls fell silent.")
    assert text_of(house, "1.1.1")[0] == text_of(house, "1.2")[0] == 1


@pytest.mark.parametrize("chapters", [1, 2])
def test_a_scene_that_holds_a_break_of_its_own_comes_back_whole(cli, settings, tmp_path, chapters):
    texts = ("Rain fell.\n\n***\n\nIt fell all night.", "The lamp went out.")
    scenes = [{"level": "scene", "title": f"Scene {n}", "text": text} for n, text in enumerate(texts, 1)]
    tree = [{"level": "chapter", "title": "Rain", "parts": scenes}, *SCENES[1:]][:chapters]
    book, file = make_book(settings, tree, title="Night Watch", pen_name="A. Hand"), tmp_path / "book.docx"
    cli("export", "lamp", "--to", "docx", "--output", file)
    edited(file, "It fell all night.", "It fell all day.")

    assert cli("edit", "lamp", "--from", file, "--yes").code == 0

    assert text_of(book, "1.1.1") == (2, "Rain fell.\n\n* * *\n\nIt fell all day.")
    assert text_of(book, "1.1.2") == (1, "The lamp went out.")


@pytest.mark.parametrize("form", ["docx", "epub", "md", "txt"])
def test_the_heading_of_an_only_chapter_is_none_of_its_text(cli, settings, tmp_path, form):
    tree = [{"level": "chapter", "title": "Rain", "text": "Rain fell.\n\nShe counted the ships."}]
    book, file = make_book(settings, tree, title="Night Watch", pen_name="A. Hand"), tmp_path / f"book.{form}"
    cli("export", "lamp", "--to", form, "--output", file)
    made = json.loads(cli("edit", "lamp", "--from", file, "--yes", "--json").out)
    if form in ("md", "txt"):
        file.write_text(file.read_text("utf-8").replace("Rain fell", "Snow fell"), "utf-8")
        assert cli("edit", "lamp", "--from", file, "--yes").code == 0
        assert text_of(book, "1.1") == (2, "Snow fell.\n\nShe counted the ships.")

    assert (made["changed"], made["unchanged"], made["unclear"]) == ([], 1, [])


def test_a_change_in_the_tenth_chapter_leaves_the_first_unchanged(cli, settings, tmp_path):
    make_book(settings, [{"level": "chapter", "title": f"Night {n}", "text": f"Ship {n} came."} for n in range(1, 11)])
    file = tmp_path / "book.docx"
    cli("export", "lamp", "--to", "docx", "--output", file)
    edited(file, "Ship 10 came.", "No ship came.")

    found = json.loads(cli("edit", "lamp", "--from", file, "--dry-run", "--json").out)

    assert ([row["node"] for row in found["changed"]], found["unchanged"]) == (["1.10"], 9)


@pytest.mark.parametrize("form", ["docx", "epub", "md", "txt"])
def test_an_export_that_nobody_edited_changes_nothing(cli, house, tmp_path, form):
    file = tmp_path / f"book.{form}"
    cli("export", "lamp", "--to", form, "--output", file)

    found = json.loads(cli("edit", "lamp", "--from", file, "--yes", "--json").out)

    assert (found["changed"], found["unchanged"], found["unclear"]) == ([], 2, [])


def test_a_title_that_reads_as_a_sentence_does_not_come_back_as_text(cli, settings, tmp_path):
    book, file = make_book(settings, SCENES, title="The rain came.", pen_name=""), tmp_path / "book.txt"
    finish(book, "A keeper counts.")
    cli("export", "lamp", "--to", "txt", "--output", file)
    file.write_text(file.read_text("utf-8").replace("Rain fell", "Snow fell"), "utf-8")

    assert cli("edit", "lamp", "--from", file, "--yes").code == 0
    assert text_of(book, "1.1.1") == (2, SCENES[0]["parts"][0]["text"].replace("Rain", "Snow"))


STORY = "Rain fell on the rock.\n\nShe counted the ships.\n\n* * *\n\nThe lamp went out."


@pytest.fixture
def story(settings) -> BookStorage:
    """A story `lamp` in one piece, without headings."""
    story = make_book(settings, STORY, title="Night Watch", pen_name="A. Hand")
    finish(story, "A keeper counts. One ship is missing.")
    return story


@pytest.mark.parametrize("form", ["docx", "epub", "md", "txt"])
def test_an_export_of_a_story_without_headings_that_nobody_edited_changes_nothing(cli, story, tmp_path, form):
    file = tmp_path / f"story.{form}"
    assert cli("export", "lamp", "--to", form, "--output", file).code == 0

    found = json.loads(cli("edit", "lamp", "--from", file, "--yes", "--json").out)

    assert (found["changed"], found["unchanged"], found["unclear"]) == ([], 1, [])


def test_the_title_page_of_a_story_without_headings_does_not_come_back_as_its_text(cli, story, tmp_path):
    word, plain = tmp_path / "story.docx", tmp_path / "story.txt"
    for file in (word, plain):
        assert cli("export", "lamp", "--to", file.suffix[1:], "--output", file).code == 0
    edited(word, "She counted the ships.", "She counted the ships twice.")
    plain.write_text(plain.read_text("utf-8").replace("went out.", "went out at last."), "utf-8")

    assert cli("edit", "lamp", "--from", word, "--yes").code == 0
    assert text_of(story, "1") == (2, STORY.replace("ships.", "ships twice."))
    assert cli("edit", "lamp", "--from", plain, "--yes").code == 0
    assert text_of(story, "1") == (3, STORY.replace("went out.", "went out at last."))


@pytest.mark.parametrize("form", ["docx", "epub", "md", "txt"])
def test_a_story_comes_back_whole_however_it_begins_ends_and_is_cut_by_readers(cli, settings, tmp_path, form):
    text = "\n\n".join(
        ["It began.", "Rain fell. " * 1_000, "Slowly it stopped. " * 1_000, "The lamp went out.", "The end."]
    )
    story, file = make_book(settings, text, title="Night Watch", pen_name="A. Hand"), tmp_path / f"story.{form}"
    finish(story, "A keeper counts.")
    assert cli("export", "lamp", "--to", form, "--output", file).code == 0
    with story.write() as stores:  # as if the file had been edited
        now = text.replace("began", "ended")
        stores.documents.add(NewDocument(node=stores.nodes.root().key, kind=DocumentKind.PROSE, text=now), None)

    assert cli("edit", "lamp", "--from", file, "--yes").code == 0

    assert text_of(story, "1")[1].replace(" \n", "\n") == text.replace(" \n", "\n")


def test_an_export_of_an_earlier_version_has_the_blurb_and_an_older_one_another_length(cli, story, tmp_path):
    plain, word = tmp_path / "story.txt", tmp_path / "story.docx"
    for file in (plain, word):
        assert cli("export", "lamp", "--to", file.suffix[1:], "--output", file).code == 0
    older = plain.read_text("utf-8").replace("A. Hand\n", "A. Hand\n\nA keeper counts. One ship is missing.\n")
    plain.write_text(older.replace("Rain fell", "Hail fell and fell, for many a night and many a day"), "utf-8")

    assert cli("edit", "lamp", "--from", plain, "--yes").code == 0
    assert text_of(story, "1")[1].startswith("Hail fell and fell")
    assert cli("edit", "lamp", "--from", word, "--yes").code == 0
    assert text_of(story, "1") == (3, STORY)


def test_a_title_that_was_edited_in_the_file_is_refused(cli, story, tmp_path):
    file = tmp_path / "story.txt"
    assert cli("export", "lamp", "--to", "txt", "--output", file).code == 0
    file.write_text(file.read_text("utf-8").replace("Night Watch", "Day Watch"), "utf-8")

    done = cli("edit", "lamp", "--from", file, "--yes")

    assert done.code == 2
    assert "leave the lines before its text as they are" in done.err
    assert text_of(story, "1") == (1, STORY)


def test_emphasis_comes_back_from_word(cli, house, tmp_path):
    file = tmp_path / "book.docx"
    cli("export", "lamp", "--to", "docx", "--output", file)
    edited(file, "It was dated tomorrow.", "It was dated Monday.")

    assert cli("edit", "lamp", "--from", file, "--yes").code == 0

    assert text_of(house, "1.2") == (2, "She read her own hand, *slowly*.\n\nIt was dated Monday.")


def test_a_scene_that_is_gone_is_told_and_left_alone(cli, house, tmp_path):
    file = tmp_path / "book.md"
    cli("export", "lamp", "--to", "md", "--output", file)
    text = file.read_text("utf-8")
    file.write_text(text.replace("\n\n* * *\n\n", "\n\n").replace("dated tomorrow", "dated today"), "utf-8")

    done = cli("edit", "lamp", "--from", file, "--yes")

    assert "its scenes are others than before" in done.err
    assert text_of(house, "1.1.1")[0] == 1
    assert text_of(house, "1.2")[0] == 2


def test_another_number_of_chapters_is_refused(cli, house, tmp_path):
    file = tmp_path / "book.md"
    cli("export", "lamp", "--to", "md", "--output", file)
    file.write_text(file.read_text("utf-8") + "\n\n# 3. The Ship\n\nIt came.\n", "utf-8")

    done = cli("edit", "lamp", "--from", file, "--yes")

    assert (done.code, "has 3 chapters and the book 2" in done.err) == (2, True)


@pytest.fixture
def in_editor(home, house, prefect_forks):
    """Run `edit lamp PLACE` in a terminal, with Python as the editor; return its exit code and what it said."""

    def run(place: str, code: str, *options: str) -> tuple[int, str]:
        editor = {"VISUAL": f"{sys.executable} -c {shlex.quote(f'import sys; path = sys.argv[1]; {code}')}"}
        terminal = Terminal(["edit", "lamp", place, *options], editor, forks=prefect_forks)
        left = terminal.left()
        terminal.close()
        return left, " ".join(terminal.shown.split())

    return run


def test_a_chapter_opens_in_the_author_s_editor(in_editor, house):
    code, said = in_editor("chapter 2", "text = open(path).read(); open(path, 'w').write(text.replace('own', 'dead'))")

    assert (code, 'the prose of chapter 2 "The Log" (1.2) is now version 2' in said) == (0, True)
    assert text_of(house, "1.2")[1].startswith("She read her dead hand")


def test_an_editor_that_changes_nothing_changes_nothing(in_editor, house):
    code, said = in_editor("chapter 2", "pass")

    assert (code, said) == (0, "nothing was changed")
    assert text_of(house, "1.2")[0] == 1


def test_words_that_cannot_be_taken_are_kept(in_editor, house):
    code, said = in_editor("chapter 2", "open(path, 'w').write(' ')")

    kept = Path(said.rpartition("your words are kept in ")[2])
    assert (code, kept.read_text()) == (2, " ")
    assert text_of(house, "1.2")[0] == 1
    kept.unlink()


def test_what_the_engine_keeps_is_refused_before_an_editor_opens(in_editor, house):
    with house.write() as stores:
        chapter = stores.nodes.by_label("1.2")
        stores.documents.add(NewDocument(node=chapter.key, kind=DocumentKind.QUALITY, text="{}"), None)

    code, said = in_editor("1.2", "pass", "--kind", "quality")

    assert (code, "is kept by the engine" in said) == (2, True)


def test_a_chapter_in_scenes_names_them(in_editor):
    code, said = in_editor("chapter 1", "pass")

    assert (code, "name one of them: 1.1.1, 1.1.2" in said) == (2, True)
