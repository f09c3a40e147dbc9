"""Lines of a kept document that bind every later page, and the guard that none is lost in silence.

A line that begins with `§` binds. A new version carries it on, or releases it by name: a line
`§- the old line -> why`. Source: DESIGN section 8, "Maintainers"; CRAFT section 5.
"""

import re
import unicodedata

MARK = "§"
RELEASE = "§-"

_LEAD = re.compile(r"^[\s>*+-]*(?=§)")
_NOT_TOLD = re.compile(r"[\W_]+")
_ARROW = re.compile(r"\s*(?:->|→|⇒|=>)\s*")


def binding_lines(text: str) -> list[str]:
    """Return the lines of a text that bind, without bullets, in their order."""
    lines = (_LEAD.sub("", line).strip() for line in text.splitlines())
    return [line for line in lines if line.startswith(MARK) and not line.startswith(RELEASE) and _same(line)]


def released_lines(text: str) -> list[str]:
    """Return what a text releases, without marks and reasons."""
    lines = (_LEAD.sub("", line).strip() for line in text.splitlines())
    return [_ARROW.split(line.removeprefix(RELEASE))[0] for line in lines if line.startswith(RELEASE)]


def lost_lines(before: str, after: str) -> list[str]:
    """Return the binding lines of `before` that `after` neither holds nor releases.

    Wording counts letter by letter, and so does every figure; marks, spaces, width and case do not.
    """
    held = {_same(line) for line in (*binding_lines(after), *released_lines(after))}
    return [line for line in binding_lines(before) if _same(line) not in held]


def without_releases(text: str) -> str:
    """Return a text as it is kept: what was released has been said, and stands in the journal."""
    kept = [line for line in text.splitlines() if not _LEAD.sub("", line).strip().startswith(RELEASE)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _same(line: str) -> str:
    """The line as far as it tells anything; combining marks and signs of other scripts are kept."""
    return _NOT_TOLD.sub("", unicodedata.normalize("NFKC", line)).casefold()
