"""Names of files and folders: which language, and that every file system takes them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.exports.vault.names import FOLDERS, LONGEST, brief_locale, safe_name, titled, unique_name
from bookwright.models.brief import Brief
from bookwright.models.text.language import Language

HOSTILE = [
    "", ".", "..", " . ", "../../etc/passwd", "a/b\\c", "CON", "con.txt", "LPT1", "nul", "a\x00b", "a\nb", "trailing. ",
    "\u202egnp.exe", "x" * 400, "章" * 200, "e\u0301" * 100, "🦊" * 60, "a<b>c:d\"e|f?g*h", "\ud800", "~", "-rf",
    "\u200d", "-:0", "-.hidden",
]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "sample", "roots"),
    [
        (Language.EN, "A keeper.", ("worldview", "planning", "chapters")),
        (Language.ZH, "燈塔管理員發現一本日誌", ("世界觀", "規劃", "章節")),
        (Language.ZH, "灯塔管理员发现一本日志", ("世界观", "规划", "章节")),
        (Language.JA, "灯台守は日誌を見つける", ("世界観", "企画", "章")),
        (Language.KO, "등대지기가 일지를 찾는다", ("세계관", "기획", "장")),
    ],
)
def test_folders_are_named_in_the_books_language_and_script(language, sample, roots):
    names = FOLDERS[brief_locale(Brief(premise=sample, language=language, length=900))]

    assert (names.world, names.planning, names.chapters) == roots


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("make", [safe_name, lambda text: titled("1.2", text), unique_name])
def test_a_hostile_text_makes_a_harmless_name(text, make):
    _check(make(text))


@given(text=st.text(max_size=200))
def test_any_text_makes_a_harmless_name(text):
    for name in (safe_name(text), titled("001", text), unique_name(text)):
        _check(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Mira", "mira"), ("STRASSE", "straße"), ("e\u0301a", "éa"), ("a" * 300, "a" * 301), ("con", "_con")],
)
def test_ids_that_a_file_system_takes_for_one_have_two_names(one, other):
    names = [unicodedata.normalize("NFC", unique_name(name)).casefold() for name in (one, other)]

    assert names[0] != names[1]


def test_an_ending_stands_behind_a_name_once_however_long_that_is():
    assert titled("1.2", "Clue index", " (spoiler)") == "1.2 Clue index (spoiler)"
    assert titled("1.2", "Clue index (spoiler)", " (spoiler)") == "1.2 Clue index (spoiler)"
    for title in ("x" * 400, "章" * 200):
        name = titled("1.2", title, "（劇透）")
        assert name.endswith("（劇透）")
        assert len(name.encode()) <= LONGEST


def test_an_ordinary_id_is_its_own_name():
    assert unique_name("mira-of-the-dock") == "mira-of-the-dock"
    assert unique_name("裴照野") == "裴照野"


def _check(name: str) -> None:
    assert len(name.encode()) <= LONGEST + 1  # an underline before a reserved one
    assert name not in (".", "..")
    assert name == name.strip(" .")
    assert not set(name) & set('<>:"/\\|?*')
    assert all(unicodedata.category(each) not in ("Cc", "Cs") for each in name)
    assert name.partition(".")[0].casefold() not in ("con", "prn", "aux", "nul", "com1", "lpt1")
