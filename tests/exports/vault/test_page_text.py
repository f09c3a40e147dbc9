"""A page: sealed, taken apart, and what is said where it was damaged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.exports.vault.page_text import OPEN, Ref, decoded, is_untouched, parsed, rendered, sealed
from bookwright.models.errors import InvalidInput

REFS = (Ref("1.2.1", "prose", 3, "0" * 24), Ref("1.2.2", "prose", 1, "a" * 24))
LINES = st.sampled_from(
    ["Rain.", "# no heading", "---", "<!-- bookwright: 1.2.2 -->", "\\<!-- bookwright: 1.2.1 -->", "seal: " + "0" * 16,
     "parts:", "", "灯。", "- 1 prose 1 " + "b" * 24]
)  # fmt: skip
TEXTS = st.lists(LINES, min_size=1, max_size=8).map("\n".join).map(str.strip).filter(bool)


def page(*texts: str, title: str = "The Log", refs: tuple[Ref, ...] = REFS) -> str:
    return rendered({"node": "1.2", "title": title}, refs[: len(texts)], f"Chapter 2: {title}", texts)


@given(one=TEXTS, other=TEXTS, title=TEXTS.map(lambda text: " ".join(text.split())))
def test_a_page_reads_back_as_it_was_written(one, other, title):
    found = parsed(decoded(sealed(page(one, other, title=title))))

    assert found.texts == (one, other)
    assert (found.refs, found.title, found.heading) == (REFS, title, f"Chapter 2: {title}")


@given(text=TEXTS, title=TEXTS)
def test_a_sealed_page_is_untouched_until_a_byte_changes(text, title):
    content = sealed(page(text, title=title))

    assert is_untouched(content)
    assert not is_untouched(content.replace(b"Chapter", b"chapter"))
    assert not is_untouched(content + b"\n")
    assert not content.startswith(b"---\n" + OPEN.encode())


def test_an_editors_yaml_reads_as_ours():
    text = page("Rain.").replace('title: "The Log"', "title: The Log").replace("- 1.2.1", "  - '1.2.1") + "x"
    text = text.replace("0" * 24, "0" * 24 + "'")

    found = parsed(text)

    assert (found.title, found.refs) == ("The Log", REFS[:1])


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text.split("---\n", 2)[2], "front matter"),
        (lambda text: text.replace("---\n", "", 1), "front matter"),
        (lambda text: text.replace("parts:\n", "tags: sea\nparts:\n"), "cannot be kept: 'tags: sea'"),
        (lambda text: text.replace("- 1.2.1 prose 3", "- 1.2.1 prose"), "says nothing"),
        (lambda text: text.replace("<!-- bookwright: 1.2.2 -->", ""), "marks between its parts"),
        (
            lambda text: text.replace("<!-- bookwright: 1.2.1 -->", "Mine.\n<!-- bookwright: 1.2.1 -->"),
            "above its first",
        ),
        (lambda text: "", "front matter"),
    ],
)
def test_a_damaged_page_is_refused_with_what_is_wrong(damage, said):
    with pytest.raises(InvalidInput, match=said):
        parsed(damage(page("Rain.", "Wind.")))


@pytest.mark.parametrize(
    ("content", "said"), [(b"\xff\xfeR\x00", "not UTF-8"), (b"Rain\x00", "zero bytes"), (b"x" * 4_000_001, "more than")]
)
def test_what_is_no_text_is_refused(content, said):
    with pytest.raises(InvalidInput, match=said):
        decoded(content)


def test_a_byte_order_mark_and_foreign_line_ends_change_nothing():
    assert decoded(b"\xef\xbb\xbfa\r\nb\rc") == "a\nb\nc"
