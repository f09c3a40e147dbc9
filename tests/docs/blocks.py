"""The shell blocks of the documentation, line by line, with the marks that stand above them in comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.places import ROOT

DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(page for page in DOCS.rglob("*.md") if "prose" not in page.parts))
PROGRAMS = (
    "bookwright", ".venv/bin/bookwright", "make", "python", "prefect", "podman", "docker", "sudo", "sh", "export",
    "set", "pip", "pipx", "uv", "uvx", "install",
)  # fmt: skip
"""With one of these the first line of a shell block begins, or with a variable before it."""

_FENCE = re.compile(r"```(\w*)\s*$")
_MARK = re.compile(r"<!-- ([a-z ]+): (.+) -->$")
_DESCRIBED = re.compile(r"\s{2,}")


@dataclass(frozen=True)
class Block:
    """A fenced block, with what is said of it above."""

    page: Path
    line: int
    language: str
    lines: tuple[str, ...]
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def is_shell(self) -> bool:
        """Whether it holds commands for a shell, rather than what a program prints, or a drawing."""
        words = re.sub(r"^([A-Z_]+=\S* )+", "", "".join(self.lines[:1])).split()
        return self.language in ("sh", "bash", "shell") or (not self.language and "".join(words[:1]) in PROGRAMS)

    def commands(self) -> Iterator[str]:
        """Yield each command; what stands behind it after two spaces describes it, and may name another one."""
        for line in "\n".join(self.lines).replace("\\\n", " ").split("\n"):
            line = re.sub(r"(^|\s)#.*", "", line).strip()
            first, *described = _DESCRIBED.split(line) if line.startswith("bookwright") else [line]
            more = (part.rstrip(",;") for part in described if part.startswith("bookwright "))
            yield from filter(None, (first, *more))


def blocks(page: Path) -> list[Block]:
    """Return all fenced blocks of a page."""
    found, marks, opened, lines = [], {}, None, []
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if opened is not None:
            if line.strip() == "```":
                found.append(Block(page, opened[0], opened[1], tuple(lines), marks))
                opened, marks = None, {}
            else:
                lines.append(line)
        elif fence := _FENCE.match(line):
            opened, lines = (number, fence[1]), []
        elif mark := _MARK.match(line):
            marks[mark[1]] = mark[2]
        elif line.strip():
            marks = {}
    return found
