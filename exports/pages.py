"""A book of designs as it is read: its pages by stage, in the order in which they were made, as plain paragraphs."""

import re
from collections.abc import Iterator

from bookwright.models.document import DocumentKind
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

_KINDS = (DocumentKind.DESIGN, DocumentKind.FINDINGS)
_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*$")
_ITEM = re.compile(r"(?:[-*+]|(\d+)[.)])\s+(.+)$")
_RULE = re.compile(r"\|?(?:\s*:?-{3,}:?\s*\|?)+")
_STRONG, _LINK = re.compile(r"\*\*(.+?)\*\*"), re.compile(r"\[\[([^\[\]\n]+)\]\]")


def pages_of(root: TaskNode, stores: Stores) -> list[TaskNode]:
    """Return the tasks whose documents are the book, in reading order; none where it has prose, or nothing yet."""
    if not root.written or stores.nodes.children(root.key, TaskType.WRITE):
        return []
    if stores.documents.current(root.key, DocumentKind.PROSE, with_text=False) is not None:
        return []
    tasks = [page for task in stores.nodes.children(root.key) for page in (task, *stores.nodes.children(task.key))]
    kept = {document.node for document in stores.documents.of_nodes([task.key for task in tasks], *_KINDS)}
    return [task for task in tasks if task.key in kept]


def page_text(page: TaskNode, stores: Stores) -> str:
    """Return the Markdown of a page."""
    found = stores.documents.of_nodes([page.key], *_KINDS)
    return found[0].text if found else ""


def plain_paragraphs(markdown: str) -> Iterator[str]:
    """Yield a page's paragraphs: its headings stressed, each item and each row of a table on its own."""
    paragraph: list[str] = []
    for line in (*map(str.strip, markdown.splitlines()), ""):
        alone = _alone(line)
        if alone is None and line:
            paragraph.append(line)
            continue
        if paragraph:
            yield _unmarked(" ".join(paragraph))
            paragraph = []
        if alone:
            yield alone


def _alone(line: str) -> str | None:
    """A line that is a paragraph by itself, an empty text for one that says nothing; None for running text."""
    if heading := _HEADING.match(line):
        return f"*{_unmarked(heading.group(1)).replace('*', '')}*"
    if item := _ITEM.match(line):
        mark = f"{item.group(1)}." if item.group(1) else "•"
        return f"{mark} {_unmarked(item.group(2))}"
    if _RULE.fullmatch(line):
        return ""
    if line.startswith("|"):
        return " · ".join(_unmarked(cell.strip()) for cell in line.strip("|").split("|") if cell.strip())
    return None


def _unmarked(text: str) -> str:
    return _LINK.sub(r"\1", _STRONG.sub(r"\1", text))
