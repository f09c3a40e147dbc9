"""The folder of a book by a blueprint: pages by stage, reports and registers, times of what code made."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bookwright.exports.vault.progress import PATH as PROGRESS
from bookwright.exports.vault.progress import StageStatus, load_from_book
from bookwright.exports.vault.readme import readme_texts
from bookwright.flows.vault.rendering import Vault
from bookwright.models.book import BookState
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.text.language import SIMPLIFIED
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus
from tests.flows.blueprints.books import Rehearsing, begun, write_book
from tests.support.blueprint_folders import atlas, case
from tests.support.vaults import a_vault, change, contents, opened, outcomes, sync

PREMISES = {"zh": "一個守塔人在舊日誌裡讀到自己的筆跡。", SIMPLIFIED: "一个守塔人在旧日志里读到自己的笔迹。"}


@pytest.fixture(scope="module", params=list(PREMISES))
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Vault]]:
    """A finished book of designs in one of the scripts of Chinese, with its folder."""
    home = tmp_path_factory.mktemp("world")
    root, deps = begun(
        atlas(home), home, Rehearsing(home), language="zh", premise=PREMISES[request.param], length=2_000
    )
    write_book(root, deps)
    with deps.storage.write() as stores:
        stores.connection.exec_driver_sql("UPDATE books SET lease_owner = NULL")
    vault = opened(deps.storage, home)
    vault.render()
    yield request.param, vault
    deps.storage.database.dispose()


def test_a_book_of_designs_lists_its_pages_by_stage(world: tuple[str, Vault]) -> None:
    script, vault = world
    readme = contents(vault)["README.md"].decode()
    links = [link.partition(">)")[0] for link in readme.split("](<")[1:]]
    stages = [line[4:] for line in readme.splitlines() if line.startswith("### ")]

    assert stages == (["地基", "頁", "查核", "閱讀指南"] if script == "zh" else ["地基", "页", "查核", "阅读指南"])
    assert [link for link in links if not (vault.folder.root / link).exists()] == []
    pages = {
        path for path in vault.folder.files() if path.partition("/")[0] == ("地圖集" if script == "zh" else "地图集")
    }
    assert pages
    assert pages < set(links)
    assert not any("001 " in path for path in (*links, *vault.folder.files()))


def test_what_code_says_on_pages_and_in_reports_is_in_the_authors_script(world: tuple[str, Vault]) -> None:
    script, vault = world
    told = b"\n".join(contents(vault).values()).decode()

    said = {"zh": ("結論：", "程序核對過的", "裡面有什麼"), SIMPLIFIED: ("结论：", "程序核对过的", "里面有什么")}
    assert [phrase for phrases in said.values() for phrase in phrases if phrase in told] == list(said[script])


def test_what_code_writes_in_a_folder_is_in_the_authors_script(world: tuple[str, Vault]) -> None:
    script, vault = world
    readme = contents(vault)["README.md"].decode()
    folders = {path.partition("/")[0] for path in vault.folder.files() if "/" in path}

    assert readme_texts()[script]["what"] in readme
    assert readme_texts()[script]["pages"] in readme
    assert folders == ({"規劃", "地圖集", "agent-log"} if script == "zh" else {"规划", "地图集", "agent-log"})


def test_a_book_of_designs_has_no_stage_of_writing_and_every_stage_its_time(world: tuple[str, Vault]) -> None:
    script, vault = world

    stages = load_from_book(contents(vault)[PROGRESS].decode()).stages

    assert [stage.name for stage in stages] == (
        [
            "建書", "地基：已知之事", "地基：海岸", "地基：地方", "頁", "查核：第一輪", "查核：第二輪", "閱讀指南",
            "定名與簡介",
        ]
        if script == "zh"
        else [
            "建书", "地基：已知之事", "地基：海岸", "地基：地方", "页", "查核：第一轮", "查核：第二轮", "阅读指南",
            "定名与简介",
        ]
    )  # fmt: skip
    assert [stage.name for stage in stages if stage.started is None or stage.completed is None] == []


def test_every_stage_of_a_blueprint_stands_in_the_progress_file_before_anything_is_made(tmp_path: Path) -> None:
    vault = a_vault(tmp_path, blueprint="mystery", length=36_000)
    with vault.storage.write() as stores:
        book, root = stores.books.get(vault.storage.book), stores.nodes.root()
        for unit in stores.nodes.children(root.key, TaskType.WRITE):
            stores.nodes.change(unit.key, status=NodeStatus.VOID.value)
        stores.nodes.change(root.key, written=0, status=NodeStatus.OPEN.value)
        stores.books.set_state(book.id, BookState.PAUSED, "not begun")

    vault = opened(vault.storage, tmp_path)
    vault.render()
    stages = load_from_book(contents(vault)[PROGRESS].decode()).stages

    assert [stage.name for stage in stages] == [
        "book begun", "Planning", "Crime design", "Characters", "Plot architecture", "Setting", "act 1", "act 2",
        "act 3", "Validation: Validation, first round", "Validation: Validation, second round", "Polish", "publish",
    ]  # fmt: skip
    assert [stage.status for stage in stages] == [StageStatus.COMPLETED, *[StageStatus.PENDING] * 12]
    assert stages[1].notes == "not begun"


def test_the_stage_in_which_a_book_failed_says_so(tmp_path: Path) -> None:
    vault = a_vault(tmp_path, blueprint="mystery")
    with vault.storage.write() as stores:
        stores.books.change(vault.storage.book, state=BookState.PAUSED.value, reason="no answer", has_failed=True)

    opened(vault.storage, tmp_path).render()
    stages = load_from_book(contents(vault)[PROGRESS].decode()).stages

    assert [(stage.name, stage.notes) for stage in stages if stage.status is StageStatus.FAILED] == [
        ("Planning", "no answer")
    ]


def test_reports_stand_in_the_folder_and_are_only_read(world: tuple[str, Vault]) -> None:
    script, vault = world
    path = f"{'規劃' if script == 'zh' else '规划'}/1.6 第二{'輪' if script == 'zh' else '轮'}.md"
    before = contents(vault)[path].decode()
    change(vault, path, "**", "***")

    plan = sync(vault, vault.folder.root.parent.parent)

    assert 'kind: "report"' in before
    assert [(finding.path, finding.detail) for finding in plan.left] == [
        (path, "is a report, for reading alone: what is to be mended is changed in the pages that it names; "
               "delete the file to have it as it stands in the book"),
    ]  # fmt: skip
    (vault.folder.root / path).unlink()
    assert outcomes(sync(vault, vault.folder.root.parent.parent)) == {path: "restored"}


@pytest.mark.parametrize("is_there", [True, False])
def test_registers_and_reports_of_a_story_are_named_as_spoilers(tmp_path: Path, is_there: bool) -> None:
    folder = case(tmp_path) if is_there else tmp_path / "gone"
    vault = a_vault(tmp_path, blueprint=str(folder))
    _add_task(vault, "planning/clues", "Clues", DocumentKind.DESIGN, DocumentKind.REGISTER)
    _add_task(vault, "planning/crime", "The crime", DocumentKind.DESIGN)
    _add_task(vault, "validation/review", "First round", DocumentKind.REPORT)
    ending = " (spoiler)" if is_there else ""

    created = opened(vault.storage, tmp_path).render().created

    assert [path for path in created if path.startswith("planning")] == [
        "planning/1.4 register Clues (spoiler).md",  # the page of the same list is not written twice
        f"planning/1.5 The crime{ending}.md",
        f"planning/1.6 First round{'' if is_there else ' (spoiler)'}.md",
    ]  # fmt: skip


def test_links_between_pages_lead_to_files_and_are_titles_again_in_the_book(tmp_path: Path) -> None:
    vault = a_vault(tmp_path, blueprint=str(atlas(tmp_path)))
    text = "The tide of [[The Bay]] falls.\n\n| where | what |\n| --- | --- |\n| [[the bay]] | mud |\n\n[[Nowhere]]"
    _add_task(vault, "ground/places", "The Bay", DocumentKind.DESIGN)
    with vault.storage.write() as stores:
        bay = stores.nodes.by_label("1.4")
        [coast] = stores.nodes.add(
            stores.nodes.root(), [PlanNode(task_type=TaskType.DESIGN, title="The coast", goal="Say.")],
            unit=stores.nodes.root().key, level=Level.BOOK.value, stage="ground/coast", status=NodeStatus.DONE.value,
        )  # fmt: skip
        stores.documents.add(NewDocument(node=coast.key, kind=DocumentKind.DESIGN, text=text), None)
    vault = opened(vault.storage, tmp_path)
    vault.render()
    path = f"planning/{coast.label} The coast.md"

    page = contents(vault)[path].decode()
    assert "[[1.4 The Bay|The Bay]]" in page
    assert r"| [[1.4 The Bay\|the bay]] | mud |" in page
    assert "[[Nowhere]]" in page
    change(vault, path, "falls.", "rises.")
    sync(vault, tmp_path)
    with vault.storage.read() as stores:
        kept = stores.documents.current(coast.key, DocumentKind.DESIGN)
    assert kept is not None
    assert kept.text == text.replace("falls.", "rises.")

    with vault.storage.write() as stores:
        stores.nodes.change(bay.key, title="The Lagoon")
    opened(vault.storage, tmp_path).render()
    assert "[[The Bay]]" in contents(vault)[path].decode()  # no page of that title is left


def test_what_tells_of_the_whole_says_that_it_tells_the_end(tmp_path: Path) -> None:
    vault = a_vault(tmp_path)
    with vault.storage.write() as stores:
        for kind in (DocumentKind.BOOK_DESIGN, DocumentKind.GLOBAL_STATE, DocumentKind.STYLE_GUIDE):
            stores.documents.add(NewDocument(node=stores.nodes.root().key, kind=kind, text="He did it."), None)

    created = opened(vault.storage, tmp_path).render().created

    assert {path for path in created if " of " in path or "design" in path or "guide" in path} == {
        "planning/Book design (spoiler).md", "planning/State of the story (spoiler).md", "planning/Style guide.md",
    }  # fmt: skip


def test_a_register_is_changed_in_the_codex(tmp_path: Path) -> None:
    vault = a_vault(tmp_path, blueprint=str(case(tmp_path)))
    _add_task(vault, "planning/clues", "Clues", DocumentKind.DESIGN, DocumentKind.REGISTER)
    vault.render()
    change(vault, "planning/1.4 register Clues (spoiler).md", "The tide.", "The wind.")

    [finding] = sync(vault, tmp_path).left

    assert "its secrets and threads are changed in the codex" in finding.detail
    assert "The wind." in contents(vault)[finding.path].decode()


def test_a_prologue_that_an_author_brought_along_keeps_its_heading(tmp_path: Path) -> None:
    chapters = [{"level": "chapter", "title": title, "text": "Rain."} for title in ("Prologue", "The Lamp", "楔子")]
    vault = a_vault(tmp_path, chapters)
    with vault.storage.write() as stores:
        for label in ("1.1", "1.2", "1.3"):
            stores.nodes.change(stores.nodes.by_label(label).key, is_brought_in=True)

    vault.render()

    files = contents(vault)
    headings = [
        next(line for line in text.decode().splitlines() if line.startswith("# "))
        for path, text in files.items() if path.startswith("chapters/")
    ]  # fmt: skip
    assert headings == ["# Prologue", "# The Lamp", "# 楔子"]
    assert "[Prologue](<chapters/001 Prologue.md>)" in files["README.md"].decode()
    change(vault, "chapters/001 Prologue.md", "# Prologue", "# Prologue: Rain")
    assert outcomes(sync(vault, tmp_path)) == {"chapters/001 Prologue.md": "taken"}
    assert "chapters/001 Prologue Rain.md" in contents(vault)


def _add_task(vault: Vault, stage: str, title: str, *kinds: DocumentKind) -> None:
    with vault.storage.write() as stores:
        root = stores.nodes.root()
        item = PlanNode(task_type=TaskType.DESIGN, title=title, goal=title)
        [task] = stores.nodes.add(root, [item], unit=root.key, level=Level.BOOK.value, planning_round=1, stage=stage)
        for kind in kinds:
            stores.documents.add(NewDocument(node=task.key, kind=kind, text="The tide."), None)
        stores.nodes.change(task.key, status=NodeStatus.DONE.value)
