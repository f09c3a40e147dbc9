"""A book of designs in every format: its pages under their stages, as readers read them."""

import pytest

from bookwright.exports.files import export
from bookwright.exports.manuscript import Chapter, Manuscript, ManuscriptPart
from bookwright.exports.markup import plain_paragraphs
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus
from tests.support.books import finish, make_book, make_settings

PAGE = """It ends *here*, in **salt** & [[The Bay]].

## Who <lives> there

- first
1. second

| a | b |
| --- | --- |
| x | y |

# 1 < 2
"""


@pytest.fixture
def atlas(tmp_path):
    """A world of two stages."""
    return make_atlas(make_settings(tmp_path))


def make_atlas(settings):
    """Store a world of two stages, one page of which has entries; the spoiler stands in it, too."""
    storage = make_book(settings, [], title="Atlas & <Coast>")
    with storage.write() as stores:
        root = stores.nodes.root()
        for stage, title, kind in (
            ("Ground", "What is known", TaskType.SEARCH), ("Ground", "The coast", TaskType.DESIGN),
            ("Clues", "Spoilers <all>", TaskType.DESIGN),
        ):  # fmt: skip
            task = _page(stores, root, stage, title, kind, root)
        _page(stores, task, "Clues", "One entry", TaskType.DESIGN, root)
    finish(storage, "A blurb.")
    return storage


def _page(stores, parent, stage, title, task_type, root):
    plan = PlanNode(task_type=task_type, title=title, goal="Say it.")
    node = stores.nodes.add(
        parent, [plan], unit=root.key, level="book", status=NodeStatus.DONE.value, stage=f"{stage.lower()}/page",
        stage_title=stage,
    )[0]  # fmt: skip
    kind = DocumentKind.FINDINGS if task_type is TaskType.SEARCH else DocumentKind.DESIGN
    document = stores.documents.add(NewDocument(node=node.key, kind=kind, text=PAGE), None)
    stores.nodes.add_written(node, document.length)
    return node


def test_pages_stand_under_their_stages_in_the_order_in_which_they_were_made(atlas):

    sections = [(type(section), section.heading, section.depth) for section in Manuscript(atlas).sections()]

    assert sections == [
        (ManuscriptPart, "Ground", 0), (Chapter, "What is known", 1), (Chapter, "The coast", 1),
        (ManuscriptPart, "Clues", 0), (Chapter, "Spoilers <all>", 1), (Chapter, "One entry", 1),
    ]  # fmt: skip


def test_the_marks_of_a_page_become_paragraphs():
    assert list(plain_paragraphs(PAGE)) == [
        "It ends *here*, in salt & The Bay.", "*Who <lives> there*", "• first", "1. second", "a · b", "x · y",
        "*1 < 2*",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["md", "txt", "html", "docx", "json"])
def test_every_other_format_takes_it(atlas, tmp_path, name):

    path = export(atlas, name, tmp_path / f"atlas.{name}")

    assert path.stat().st_size > 400
