"""What was found in a manuscript: its parts and chapters, and what a person should know of them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mark:
    """A heading that counts."""

    index: int
    """The block that it is."""
    title: str
    """Without its number; empty if it is a number alone."""
    heading: str
    """As it stands in the manuscript."""
    blocks: int = 1
    """Of how many blocks it consists: a title may stand below its number."""
    is_part: bool = False
    is_matter: bool = False
    """What stands below it is no part of the story, such as a table of contents."""
    is_named: bool = True
    """It says what it is, such as "Chapter 3"; False for a number alone."""
    leaves_part: bool = False
    """A chapter that stands beside the parts and not in one."""


@dataclass(frozen=True)
class FoundChapter:
    """One chapter."""

    heading: str
    """As it stands in the manuscript; empty for one without."""
    title: str
    paragraphs: tuple[str, ...]
    part: int | None = None
    """The place of its part, from 0; None where it stands in none."""
    is_named: bool = True
    """Its heading says what it is, such as "Chapter 3"; False for a number alone."""

    @property
    def text(self) -> str:
        """Its prose, paragraphs set apart by a blank line."""
        return "\n\n".join(self.paragraphs)

    @property
    def name(self) -> str:
        """What it is called: its heading with its title; a bare number is no name."""
        if not self.title or self.title in self.heading:
            return self.heading if self.is_named else self.title
        return f"{self.heading.rstrip('.:：')}: {self.title}" if self.is_named else self.title

    @property
    def size(self) -> int:
        """Its characters."""
        return sum(map(len, self.paragraphs))


@dataclass(frozen=True)
class FoundPart:
    """A volume or part."""

    heading: str
    title: str

    @property
    def name(self) -> str:
        """What it is called: its heading with its title."""
        return self.heading if self.title in self.heading else f"{self.heading.rstrip('.:：')}: {self.title}"


@dataclass(frozen=True)
class FoundBook:
    """A manuscript with its chapters told apart."""

    chapters: tuple[FoundChapter, ...]
    parts: tuple[FoundPart, ...] = ()
    notes: tuple[str, ...] = ()
    title: str = ""
    """What stands on its title page, before the first heading; empty if nothing does."""
    author: str = ""
    has_headings: bool = True
    """False where it was cut by its length, since nothing in it is a heading."""
