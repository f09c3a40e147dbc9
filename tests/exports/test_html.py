"""The one HTML page: stands alone, can be gone through by keys and by ear, and holds prose as text."""

from html.parser import HTMLParser

from bookwright.exports.files import export
from tests.support.books import finish, make_book, make_settings

RAIN = "Rain <script>alert(1)</script> & *fell*.\n\n***\n\nSun."
PARTS = [
    {"level": "act", "title": "Night", "parts": [{"level": "chapter", "title": "A <b>", "text": RAIN}] * 2},
    {"level": "act", "title": "Day", "parts": [{"level": "chapter", "title": "C", "text": "Sun."}]},
]
VOID = {"meta", "hr", "br", "link", "img"}


class Page(HTMLParser):
    """What stands where: open elements, headings, ids, links."""

    def __init__(self, text):
        super().__init__()
        self.open, self.headings, self.ids, self.links, self.names, self.faults = [], [], [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.names.append(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values[name] for name in ("href", "src") if name in values]
        if tag not in VOID:
            self.open.append(tag)
        if tag in {"h1", "h2", "h3", "h4"}:
            self.headings.append([int(tag[1]), ""])

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] in {"h1", "h2", "h3", "h4"}:
            self.headings[-1][1] += data


def page(tmp_path, parts=PARTS, **brief):
    storage = make_book(make_settings(tmp_path), parts, title="Lamp", pen_name="A. Hand", **brief)
    finish(storage, "A <keeper>.")
    text = export(storage, "html", tmp_path / "book.html").read_text("utf-8")
    return Page(text), text


def test_every_element_is_closed_and_every_link_leads_into_the_page(tmp_path):
    found, _ = page(tmp_path)

    assert (found.faults, found.open) == ([], [])
    assert len(set(found.ids)) == len(found.ids)
    assert {link for link in found.links if not link.startswith("#")} == set()
    assert {link[1:] for link in found.links} <= set(found.ids)


def test_headings_go_down_by_one_and_the_contents_name_them(tmp_path):
    found, _ = page(tmp_path)

    assert found.headings == [
        [1, "Lamp"], [2, "Contents"], [2, "Part 1: Night"], [3, "Chapter 1: A <b>"], [3, "Chapter 2: A <b>"],
        [2, "Part 2: Day"], [3, "Chapter 3: C"],
    ]  # fmt: skip
    assert len([link for link in found.links if link.startswith("#section-")]) == 5


def test_html_in_prose_is_text_and_nothing_is_fetched_or_run(tmp_path):
    found, text = page(tmp_path)

    assert "script" not in found.names
    assert "Rain &lt;script&gt;alert(1)&lt;/script&gt; &amp; <em>fell</em>." in text
    assert "default-src 'none'" in text
    assert "prefers-color-scheme: dark" in text


def test_a_page_says_its_language_and_how_to_skip_the_contents(tmp_path):
    found, text = page(tmp_path, [{"level": "chapter", "title": "灯", "text": "雨落了。"}], language="zh")

    assert '<html lang="zh">' in text
    assert '<a class="skip" href="#text">跳到正文</a>' in text
    assert "text-indent: 2em" in text
    assert "main" in found.names
    assert "nav" in found.names


def test_a_book_of_one_piece_has_no_contents(tmp_path):
    found, text = page(tmp_path, "Rain fell.")

    assert "nav" not in found.names
    assert "<p>Rain fell.</p>" in text
