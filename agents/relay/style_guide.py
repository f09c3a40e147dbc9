"""The style guide of a book: made of a profile, kept in versions, and found again.

Source: DESIGN section 10, item 6; REQUIREMENTS S2-061.
"""

from collections.abc import Iterable

from pydantic import ValidationError

from bookwright.agents.relay.figures.ear import passages_of
from bookwright.agents.relay.figures.style import profile_of
from bookwright.models.brief import Brief
from bookwright.models.document import Document, DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.story.retelling import Retelling
from bookwright.models.text.figures import StyleGuide, StyleSource
from bookwright.prompts import render_style_page
from bookwright.storage.stores import Stores

ENOUGH = {"words": 4_000, "characters": 6_000}
"""So much of a book's beginning stands for its style, in whole chapters."""


_READINGS = 30
"""Readings of a book's beginning that are asked which lines were alive."""


def guide_of_sample(text: str, brief: Brief) -> StyleGuide:
    """Measure the style of a sample, and choose what it is heard by."""
    return StyleGuide(
        source=StyleSource.SAMPLE, profile=profile_of([text], brief.language),
        passages=passages_of([text], brief.language),
    )  # fmt: skip


def guide_of_chapters(texts: list[str], brief: Brief, praised: Iterable[str] = ()) -> StyleGuide:
    """Measure the style of a book's first chapters, and choose what it is heard by: first what readers praised."""
    return StyleGuide(
        source=StyleSource.CHAPTERS, chapters=len(texts), profile=profile_of(texts, brief.language),
        passages=passages_of(texts, brief.language, praised),
    )  # fmt: skip


def praised_in(stores: Stores) -> list[str]:
    """Return the lines that readers of the book have found alive, in the order in which they read."""
    told = stores.documents.after(0, [DocumentKind.RETELLING], _READINGS)
    kept = (stores.documents.data_of(found) for found in told)
    return [line for data in kept if data for line in Retelling.model_validate_json(data).alive]


def keep_guide(guide: StyleGuide, brief: Brief, stores: Stores, origin: DocumentOrigin) -> Document:
    """Make a guide the book's current one; its text is in the language of the book's prompts."""
    locale = (brief.prompt_language or brief.language).value
    text = render_style_page(guide, locale)
    new = NewDocument(
        node=stores.nodes.root().key, kind=DocumentKind.STYLE_GUIDE, text=text, data=guide.model_dump_json(),
        origin=origin,
    )  # fmt: skip
    return stores.documents.add(new, None)


def kept_guide(stores: Stores) -> StyleGuide | None:
    """Return the guide that the book keeps to; one in a form that this version does not know counts as none."""
    found = stores.documents.current(stores.nodes.root().key, DocumentKind.STYLE_GUIDE)
    data = stores.documents.data_of(found) if found else ""
    try:
        return StyleGuide.model_validate_json(data) if data else None
    except ValidationError:
        return None
