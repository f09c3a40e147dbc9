"""Takes off the heading that `read` printed above a unit, from a text that its author gives back."""

from itertools import islice

from bookwright.exports.manuscript import Manuscript
from bookwright.storage.stores import BookStorage


def without_heading(text: str, storage: BookStorage, label: str) -> str:
    """Return a text without the heading that a manuscript prints above a unit, if it begins with that.

    A chapter that was printed, edited and given back would otherwise have its heading twice.
    """
    headings = {section.heading.strip() for section in islice(Manuscript(storage).sections(label), 1)}
    first, _, rest = text.lstrip().partition("\n")
    return rest.lstrip("\n") if first.lstrip("#").strip() in headings - {""} else text
