"""The manuscript as Markdown for Pandoc, with its metadata in front."""

import json
from collections.abc import Iterator

from bookwright.exports.manuscript import Chapter, Cover, Manuscript
from bookwright.exports.markup import to_markdown

SCENE_BREAK = "* * *"


def markdown(manuscript: Manuscript) -> Iterator[str]:
    """Yield the manuscript as Markdown, piece by piece."""
    cover = manuscript.cover()
    yield _front_matter(cover)
    for section in manuscript.sections():
        if section.heading:
            yield f"\n{'#' * (section.depth + 1)} {to_markdown(section.heading)}\n"
        if isinstance(section, Chapter):
            yield _body(section, manuscript)


def _front_matter(cover: Cover) -> str:
    values = {
        "title": cover.title,
        "author": cover.author,
        "lang": cover.language.value,
        "description": " ".join(cover.blurb.split()),
    }
    lines = [f"{key}: {_quoted(to_markdown(value))}" for key, value in values.items() if value]
    return "\n".join(["---", *lines, "---", ""])


def _quoted(value: str) -> str:
    """A YAML string: JSON's is one, but for two line separators that YAML would fold."""
    return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _body(chapter: Chapter, manuscript: Manuscript) -> str:
    scenes = ("\n\n".join(map(to_markdown, scene)) for scene in manuscript.scenes(chapter))
    return "\n" + f"\n\n{SCENE_BREAK}\n\n".join(scenes) + "\n"
