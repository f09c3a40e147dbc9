"""The table of contents of a file: what is listed, and lists within lists."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class ContentsEntry:
    """A part or chapter as the contents list it; `depth` counts what stands above it."""

    number: int
    title: str
    depth: int

    @property
    def identity(self) -> str:
        """What names its place in the file."""
        return f"section-{self.number:05}"


def nested(
    entries: Iterable[ContentsEntry], level: tuple[str, str], item_end: str, item: Callable[[ContentsEntry], str]
) -> Iterator[str]:
    """Yield the items that have a title, each with the deeper ones in it; depth grows by one at most."""
    depth = -1
    for entry in entries:
        if not entry.title:
            continue
        if entry.depth > depth:
            yield level[0]
        else:
            yield item_end + f"{level[1]}{item_end}" * (depth - entry.depth)
        yield item(entry)
        depth = entry.depth
    yield f"{item_end}{level[1]}" * (depth + 1)
