"""Keeping a book's style: once its first chapters are accepted, unless the author gave a sample, they set it."""

from bookwright.agents.relay.style_guide import ENOUGH, guide_of_chapters, keep_guide, praised_in
from bookwright.exports.chapters import accepted_beginning
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.profile import ProfileName
from bookwright.models.text.figures import StyleGuide
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores


def settle_style(deps: Deps) -> None:
    """Keep the style of the first chapters; does nothing while they are too short, and once there is a guide.

    Looked at before each unit is written, so that a killed book has its guide before the same unit as another.
    A weak model's prompts have no room for one.
    """
    if deps.profile.name is ProfileName.SMALL or not _wants_guide(deps):
        return
    texts = accepted_beginning(deps.storage)
    if texts:
        with deps.stores() as stores:
            praised = praised_in(stores)
        deps.desk.journal.move(_keeping(guide_of_chapters(texts, deps.brief, praised), deps))


def _keeping(guide: StyleGuide, deps: Deps) -> Move:
    def keep(stores: Stores, step: int) -> None:
        keep_guide(guide, deps.brief, stores, DocumentOrigin.STEP)

    return keep


def _wants_guide(deps: Deps) -> bool:
    with deps.stores() as stores:
        root = stores.nodes.root()
        if root.written < ENOUGH[deps.brief.length_unit]:
            return False
        return stores.documents.current(root.key, DocumentKind.STYLE_GUIDE, with_text=False) is None
