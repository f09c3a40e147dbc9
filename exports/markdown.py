"""The manuscript as Markdown for Pandoc, with its metadata in front."""

import json
from collections.abc import Iterator, Sequence

from bookwright.exports.manuscript import Chapter, Cover, Manuscript
from bookwright.exports.markup import to_markdown
from bookwright.models.document import Source

SCENE_BREAK = "* * *"


def markdown(manuscript: Manuscript) -> Iterator[str]:
    """Yield the manuscript as Markdown, piece by piece."""
    cover = manuscript.cover()
    yield _front_matter(cover, manuscript.sources())
    for section in manuscript.sections():
        if section.heading:
            yield f"\n{'#' * (section.depth + 1)} {to_markdown(section.heading)}\n"
        if isinstance(section, Chapter):
            yield _body(section, manuscript)


def _front_matter(cover: Cover, sources: Sequence[Source]) -> str:
    """Metadata, which readers do not see: what the book rests on is for those who check it."""
    values = {
        "title": cover.title,
        "author": cover.author,
        "lang": cover.language.value,
        "description": " ".join(cover.blurb.split()),
    }
    lines = [f"{key}: {_quoted(to_markdown(value))}" for key, value in values.items() if value]
    pages = [line for source in sources for line in _page(source)]
    return "\n".join(["---", *lines, *(["sources:"] if pages else []), *pages, "---", ""])


def _page(source: Source) -> tuple[str, ...]:
    address, accessed = _quoted(source.address), source.accessed.isoformat()
    return f"- title: {_quoted(to_markdown(source.title))}", f"  url: {address}", f"  accessed: {accessed}"


def _quoted(value: str) -> str:
    """A YAML string: JSON's is one, but for two line separators that YAML would fold."""
    return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _body(chapter: Chapter, manuscript: Manuscript) -> str:
    scenes = ("\n\n".join(map(to_markdown, scene)) for scene in manuscript.scenes(chapter))
    return "\n" + f"\n\n{SCENE_BREAK}\n\n".join(scenes).lstrip("\n") + "\n"
