"""What stands before a manuscript's first heading, read as a title page: its title and who wrote it."""

import re
from collections.abc import Sequence

_MOST_LINES = 12
_MOST_TITLE = 60
_AUTHOR = re.compile(
    r"^(?:by\s+|(?:author|作者|著者|作|著|지은이|글쓴이|저자)\s*[:：]\s*|[著作]\s+)(?P<name>\S.{0,60}?)(?:\s*著)?$",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(
    r"https?:|www\.|\.(?:com|net|org)\b|copyright|©|all rights|版权|版權|著作権|저작권|下载|下載|"
    r"^(?:a\s+(?:novel|story)|(?:(?:长篇|長篇|長編)?小[说説說])|(?:장편\s*)?소설)$|"
    r"\d[\d,.]*\s*(?:words|characters|字|자)\b|[.。,，、;；:：…]$",
    re.IGNORECASE,
)
"""Addresses, notices, figures, sentences, and what says only of which kind a book is."""
_MARKS = re.compile(r"^[\s《〈「『【\[#*=“\"]+|[\s》〉」』】\]#*=”\"]+$")


def title_and_author(lines: Sequence[str]) -> tuple[str, str]:
    """Return what a title page says, each empty where it does not: the first line is the title unless it names none.

    A page of many lines, or whose first line is a sentence, an address or a notice, is no title page.
    """
    if not lines or len(lines) > _MOST_LINES:
        return "", ""
    author = next((found["name"] for line in lines if (found := _AUTHOR.match(line.strip()))), "")
    title = _MARKS.sub("", lines[0])
    if not title or len(title) > _MOST_TITLE or _NO_TITLE.search(title) or _AUTHOR.match(title):
        return "", author
    return title, author
