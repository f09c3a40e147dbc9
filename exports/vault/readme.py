"""The README of a vault: what the book is, what lies where, and every chapter or page by a link."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from bookwright.exports.markup import to_markdown
from bookwright.exports.vault.names import LOG, NOTES, FolderNames, HeadedUnit, chapter_path
from bookwright.exports.vault.page_text import OPEN
from bookwright.exports.vault.progress import PATH as PROGRESS
from bookwright.models.book import Book
from bookwright.models.document import DocumentKind

PATH = "README.md"
_HOLDS: tuple[tuple[str, AbstractSet[DocumentKind | None]], ...] = (
    ("chapters", {DocumentKind.PROSE}),
    ("planning", {kind for kind in DocumentKind if kind not in (DocumentKind.PROSE, DocumentKind.SUMMARY)}),
    ("world", {None}),
    ("summaries", {DocumentKind.SUMMARY}),
)
"""What a folder is said to hold, by what stands in it; None is a record of the codex."""
_OF_URLS = str.maketrans({sign: f"%{ord(sign):02X}" for sign in "%#&"})
"""What a link reads as something else than the letter of a name: a coded letter, a place in a page, an entity."""


@dataclass(frozen=True)
class Shown:
    """What of a book its README shows."""

    folders: Mapping[str, AbstractSet[DocumentKind | None]]
    """Those that there are, with what stands in each; None is a record of the codex."""
    places: Sequence[HeadedUnit]
    stages: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    """Of a book of designs: its stages, each with the titles and files of its pages; empty for any other."""
    written: int


@cache
def readme_texts() -> dict[str, dict[str, str]]:
    """Return what a README says, by the locale of the folders' names; the words stand in `readme.toml`."""
    return tomllib.loads((files(__package__) / "readme.toml").read_text("utf-8"))


def readme_page(book: Book, shown: Shown, names: FolderNames, locale: str, blurb: str) -> str:
    """Lay the README out, its seal still open. `locale` is that of the folders' names."""
    texts = readme_texts()[locale]
    length = texts["length"].format(written=shown.written, length=book.brief.length)
    edit = texts["edit_pages" if shown.stages else "edit"]
    lines = [
        f"<!-- bookwright {OPEN} -->", "", f"# {to_markdown(' '.join(book.title.split()))}", "",
        f"- {length}", f"- {texts['state'].format(state=texts[book.state])}", "", *([blurb, ""] if blurb else []),
        texts["what"], "", edit.format(book=book.id, notes=NOTES), "",
        *_folders(shown, names, texts), f"- {_link(PROGRESS, LOG)}/: {texts['log']}", "", *_index(shown, names, texts),
    ]  # fmt: skip
    return "\n".join(lines).rstrip() + "\n"


def _folders(shown: Shown, names: FolderNames, texts: Mapping[str, str]) -> Iterator[str]:
    """A line for each folder that is there: the usual ones first, then those that a blueprint names."""
    usual = [names.chapters, names.planning, names.world, names.summaries]
    pages = {path.partition("/")[0] for _, some in shown.stages for _, path in some}
    for name in [*(name for name in usual if name in shown.folders), *sorted(set(shown.folders) - set(usual))]:
        told = [texts["pages"]] if name in pages else []
        told += [
            texts[key] for key, kinds in _HOLDS if kinds & shown.folders[name] and not (told and key == "planning")
        ]
        yield f"- {_link(name, name)}/: {'; '.join(told)}"


def _index(shown: Shown, names: FolderNames, texts: Mapping[str, str]) -> Iterator[str]:
    if shown.places:
        yield from (f"## {texts['index']}", "")
        for place in shown.places:
            heading = place.heading or place.unit.title
            entry = to_markdown(heading) if place.number is None else _link(chapter_path(place, names), heading)
            yield f"{'  ' * place.depth}- {entry}"
    elif shown.stages:
        yield f"## {texts['page_index']}"
        for stage, pages in shown.stages:
            yield from ("", f"### {to_markdown(stage)}", "", *(f"- {_link(path, title)}" for title, path in pages))


def _link(path: str, text: str) -> str:
    return f"[{to_markdown(text)}](<{path.translate(_OF_URLS)}>)"  # no name of ours holds an angle bracket
