"""The example of docs/blueprints.md is a blueprint: it is written down, checked, and a book is made by it."""

import re
from pathlib import Path

from bookwright.agents.blueprints.checks import CHECKS
from bookwright.agents.blueprints.loading import check_folder
from bookwright.agents.blueprints.pages import PAGES
from bookwright.models.blueprint import MemberKind
from bookwright.models.tree.task import NodeStatus
from tests.flows.blueprints.books import Rehearsing, begun, staged, write_book
from tests.places import ROOT

PAGE = ROOT / "docs" / "blueprints.md"
_FILE = re.compile(r"\*\*`(bestiary/[^`]+)`\*\*\n\n```\w+\n(.*?)```", re.DOTALL)


def example(folder: Path) -> Path:
    for name, text in _FILE.findall(PAGE.read_text(encoding="utf-8")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "bestiary"


def test_the_example_of_the_documentation_makes_a_book_and_no_code_knows_of_it(tmp_path: Path) -> None:
    folder = example(tmp_path)
    found = check_folder(folder)

    root, deps = begun(folder, tmp_path, Rehearsing(tmp_path), length=found.plan.words)
    write_book(root, deps)

    assert {node.status for node in staged(deps)} == {NodeStatus.DONE}
    assert sum(node.stage == "ground/creatures/entry" for node in staged(deps)) >= 2
    deps.storage.database.dispose()


def test_every_kind_check_and_page_is_documented() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert [name for name in (*CHECKS, *PAGES, *MemberKind) if f"`{name}`" not in text] == []
