"""A book of designs, by a blueprint that stands in a folder of the test."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.flows.activities.prompt_sizes import cut_to_tokens
from bookwright.flows.blueprints.mending import mend
from bookwright.flows.blueprints.opening import open_tree
from bookwright.flows.blueprints.reviewing import ReviewedDocument, reading_batches
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.faults import BlueprintReport, Fault, FoundFaults, Point, Verification
from bookwright.models.step import AMENDING_ROUNDS, Activity
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.vault_rows import VaultRows
from tests.flows.blueprints.books import Intervals, Rehearsing, begun, document, staged, write_book
from tests.support.blueprint_folders import atlas

FAULT = Fault(label="1.2", fault="Two tides contradict.", order="Say that the tide comes once.")


def found_once(request: Request) -> FoundFaults:
    """One fault, with the coast; what names a page that was not shown counts for nothing."""
    stray = Fault(label="1.9", fault="Not shown.", order="Change it.")
    return FoundFaults(findings=(FAULT, stray) if "[1.2]" in "".join(request.prompt.blocks) else ())


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Rehearsing, Intervals, Deps]]:
    """An atlas in the profile that has a model read it: one fault is found, and mended."""
    home = tmp_path_factory.mktemp("atlas")
    models = Rehearsing(home, answers={
        "review.1": found_once, "review.2": found_once, "review.3": found_once,
        "verify": lambda request: Verification(points=(Point(number=1, is_mended=True),), assessment="It holds."),
    })  # fmt: skip
    observer = Intervals()
    root, deps = begun(atlas(home), home, models, profile="standard", observer=observer)
    write_book(root, deps)
    yield models, observer, deps
    deps.storage.database.dispose()


def test_members_are_done_one_after_another_in_the_order_of_the_file(
    written: tuple[Rehearsing, Intervals, Deps],
) -> None:
    _, observer, _ = written
    intervals = sorted((start, end) for _, start, end in observer.worked)

    assert all(end < after for (_, end), (after, _) in pairwise(intervals))
    order = list(dict.fromkeys("/".join(stage.split("/")[:2]) for stage, _, _ in observer.worked))
    assert order == [
        "ground/looked_up", "ground/coast", "ground/places", "pages/overview", "validation/review",
        "validation/verify", "readme/readme",
    ]  # fmt: skip


def test_every_task_is_done_and_no_prose_stands(written: tuple[Rehearsing, Intervals, Deps]) -> None:
    _, _, deps = written

    assert {node.status for node in staged(deps)} == {NodeStatus.DONE}
    with deps.stores() as stores:
        root = stores.nodes.root()
        assert root.status is NodeStatus.DONE
        assert stores.documents.current(root.key, DocumentKind.PROSE) is None
        pages = [node.written for node in stores.nodes.children(root.key)]
    assert root.written == sum(pages) > 0.6 * 1_200


def test_a_member_is_drafted_criticised_and_refined_by_its_own_templates(
    written: tuple[Rehearsing, Intervals, Deps],
) -> None:
    models, _, _ = written
    templates = [str(request.facts["template"]) for request in models.requests if request.facts["label"] == "1.2"]

    assert list(dict.fromkeys(templates))[:3] == ["blueprint/coast", "story/blueprint/critic", "story/blueprint/refine"]
    drafted = next(request for request in models.requests if request.facts["template"] == "blueprint/coast")
    assert "You settle coast" in drafted.prompt.blocks[-1]
    assert "A page holds up when somebody can act on it." in drafted.prompt.blocks[-1]


def test_a_reviewer_has_no_tool_and_leaves_nothing_but_its_report(
    written: tuple[Rehearsing, Intervals, Deps],
) -> None:
    models, _, deps = written
    reviews = [request for request in models.requests if request.facts["activity"] == Activity.REVIEW.value]

    assert reviews
    assert not any(request.tools for request in reviews)
    with deps.stores() as stores:
        for node in (stores.nodes.by_label("1.5"), stores.nodes.by_label("1.6")):
            kinds = [kind for kind in DocumentKind if stores.documents.current(node.key, kind, with_text=False)]
            assert kinds == [DocumentKind.REPORT]


def test_each_fault_becomes_a_task_that_makes_a_new_version(written: tuple[Rehearsing, Intervals, Deps]) -> None:
    _, _, deps = written
    fixes = [node for node in staged(deps) if "/fix/" in node.stage]

    assert [node.stage for node in fixes if FAULT.order in node.instructions] == ["validation/review/fix/1.2"]
    assert document("1.2", DocumentKind.DESIGN, deps).version == 2
    assert document("1.2", DocumentKind.DESIGN, deps).note == FAULT.order


def test_a_fix_that_was_interrupted_behind_its_new_version_is_not_paid_again(
    written: tuple[Rehearsing, Intervals, Deps],
) -> None:
    models, _, deps = written
    fix = next(node for node in staged(deps) if node.stage.endswith("/fix/1.2"))
    asked, version = len(models.requests), document("1.2", DocumentKind.DESIGN, deps).version
    deps.desk.journal.move(lambda stores, _: stores.nodes.change(fix.key, status=NodeStatus.OPEN.value))

    mend(deps.fresh(fix), deps)

    assert len(models.requests) == asked
    assert document("1.2", DocumentKind.DESIGN, deps).version == version
    assert deps.fresh(fix).status is NodeStatus.DONE


def test_what_was_mended_later_is_no_part_of_a_stages_time(written: tuple[Rehearsing, Intervals, Deps]) -> None:
    _, _, deps = written
    with deps.stores() as stores:
        node = stores.nodes.by_label("1.2")
        lines = [line for line in stores.steps.lines(limit=10_000) if line.label == "1.2"]
        span = VaultRows(stores.connection, node.book).times([node.key])[node.key, Activity.EXECUTE]

    first = [line for line in lines if line.round < AMENDING_ROUNDS]
    assert len(first) < len(lines)
    assert span.last == max(line.recorded_at for line in first)


def test_the_second_round_gives_a_verdict(written: tuple[Rehearsing, Intervals, Deps]) -> None:
    _, _, deps = written
    report = document("1.6", DocumentKind.REPORT, deps)

    assert report.text.startswith("**Verdict: passed with open points**")  # no rehearsed page names another
    assert "It holds." in report.text
    assert FAULT.fault not in report.text


def test_pages_of_code_tell_what_stands_at_the_end(written: tuple[Rehearsing, Intervals, Deps]) -> None:
    _, _, deps = written
    with deps.stores() as stores:
        title = stores.nodes.root().title
        names = [node.title for node in stores.nodes.walk() if node.stage.endswith("/entry")]

    readme = document("1.7", DocumentKind.DESIGN, deps).text
    assert readme.startswith(f"**{title}**\n")
    assert names
    assert all(f"[[{name}]]" in readme for name in names)


def test_a_page_of_code_is_made_anew_when_a_page_that_it_is_of_was_mended(
    written: tuple[Rehearsing, Intervals, Deps],
) -> None:
    _, _, deps = written
    with deps.stores() as stores:
        overview = stores.documents.current(stores.nodes.by_label("1.4").key, DocumentKind.DESIGN)
        assert overview is not None
        inputs = stores.documents.inputs_of(overview.id)

    assert document("1.2", DocumentKind.DESIGN, deps).id in inputs


def test_a_reviewer_reads_in_batches_that_fit_and_a_long_page_alone(
    written: tuple[Rehearsing, Intervals, Deps],
) -> None:
    _, _, deps = written
    page = document("1.2", DocumentKind.DESIGN, deps)
    node = next(node for node in staged(deps) if node.label == "1.2")
    texts = [*("tide " * 600 for _ in range(40)), "tide " * 60_000, "tide "]
    reads = [ReviewedDocument(node, page.model_copy(update={"text": text})) for text in texts]

    batches = reading_batches(reads, deps)

    budget = deps.profile.context_budget["evaluator"]
    assert [read for batch in batches for read in batch] == reads
    short = [batch for batch in batches if reads[40] not in batch]
    assert all(sum(deps.desk.count_tokens(read.shown) for read in batch) <= budget for batch in short)
    assert [batch for batch in batches if reads[40] in batch] == [[reads[40]]]


def test_what_stands_before_a_step_is_bounded_however_much_there_is(
    written: tuple[Rehearsing, Intervals, Deps],
) -> None:
    models, _, deps = written
    most = max(deps.profile.context_budget.values())

    for request in models.requests:
        artefacts = sum(deps.desk.count_tokens(made.text) for made in request.facts["artefacts"])
        assert artefacts <= most
    assert deps.desk.count_tokens(cut_to_tokens("tide " * 60_000, 500, deps)) <= 501


def test_only_code_looks_where_no_model_may_judge_and_nothing_is_mended_for_a_weak_one(tmp_path: Path) -> None:
    models = Rehearsing(tmp_path)
    root, deps = begun(atlas(tmp_path), tmp_path, models, profile="small")

    write_book(root, deps)

    assert not any(request.facts["activity"] == Activity.REVIEW.value for request in models.requests)
    assert not any("/fix/" in node.stage or node.stage.endswith("/entry") for node in staged(deps))
    with deps.stores() as stores:
        report = BlueprintReport.model_validate_json(
            stores.documents.data_of(document("1.6", DocumentKind.REPORT, deps))
        )
    assert not report.was_read
    deps.storage.database.dispose()


@pytest.mark.parametrize(
    ("language", "title", "folder"),
    [("zh", "地方", "地圖集"), ("ja", "土地", "地図帳"), ("ko", "곳", "지도책")],
)
def test_titles_and_folders_are_in_the_books_language(language: str, title: str, folder: str, tmp_path: Path) -> None:
    root, deps = begun(atlas(tmp_path), tmp_path, Rehearsing(tmp_path), language=language)

    open_tree(root, deps)

    places = next(node for node in staged(deps) if node.stage == "ground/places")
    assert (places.title, places.folder) == (title, folder)
    deps.storage.database.dispose()


def test_an_author_who_writes_simplified_characters_gets_them(tmp_path: Path) -> None:
    premise = "一个守塔人在旧日志里读到自己的笔迹，这让她再也睡不着。"
    root, deps = begun(atlas(tmp_path), tmp_path, Rehearsing(tmp_path), language="zh", premise=premise)

    open_tree(root, deps)

    assert next(node.folder for node in staged(deps) if node.stage == "ground/places") == "地图集"
    deps.storage.database.dispose()


@pytest.mark.soak
@pytest.mark.parametrize("profile", ["small", "economy", "standard"])
@pytest.mark.parametrize("language", ["en", "zh", "ja", "ko"])
@pytest.mark.parametrize("name", ["worldbuild", "mystery"])
def test_what_comes_with_the_program_is_written_to_its_end(
    name: str, language: str, profile: str, tmp_path: Path
) -> None:
    length = 2_400 if language == "en" else 4_000
    models = Rehearsing(tmp_path)
    root, deps = begun(Path(name), tmp_path, models, language=language, profile=profile, length=length)

    write_book(root, deps)

    assert {node.status for node in staged(deps)} == {NodeStatus.DONE}
    deps.storage.database.dispose()


def test_what_the_first_pages_missed_of_the_length_is_asked_of_the_later_ones(tmp_path: Path) -> None:
    models = Rehearsing(tmp_path, answers={"search": lambda request: "Land ends where the reeds begin."})
    root, deps = begun(atlas(tmp_path), tmp_path, models, length=1_400)

    write_book(root, deps)

    asked = {request.facts["label"]: request.facts["card"].word_allowance for request in models.requests}
    missed = 200 - document("1.1", DocumentKind.FINDINGS, deps).length
    assert missed > 180
    assert asked["1.1"] == 200
    assert asked["1.2"] == round(400 + missed / 3)


def test_the_planners_title_is_the_books_and_its_description_goes_to_the_blurb(tmp_path: Path) -> None:
    page = "## 題名\n\n『引き潮の地図』\n\n## 紹介\n\n岸は毎年ずれる。\n\n## 違い\n\n地図が給料になる。"
    models = Rehearsing(tmp_path, answers={"draft": lambda request: page})
    folder = atlas(tmp_path)
    toml = (folder / "blueprint.toml").read_text("utf-8")
    toml = toml.replace('prompt = "coast"', 'prompt = "coast"\nnames_book = true')
    (folder / "blueprint.toml").write_text(toml, "utf-8")
    root, deps = begun(folder, tmp_path, models, language="ja")

    write_book(root, deps)

    asked = next(request for request in models.requests if request.name.endswith("title_and_blurb"))
    with deps.stores() as stores:
        titles = (stores.nodes.root().title, stores.books.get(root.book).title)
    assert titles == ("引き潮の地図", "引き潮の地図")
    assert asked.facts["card"].book.title == "引き潮の地図"
    assert [made.text for made in asked.facts["artefacts"] if made.tag == "description"] == ["岸は毎年ずれる。"]
    deps.storage.database.dispose()


def test_a_title_of_the_authors_own_stays(tmp_path: Path) -> None:
    models = Rehearsing(tmp_path, answers={"draft": lambda request: "## Title\n\nOther\n\n## Description\n\nTides."})
    folder = atlas(tmp_path)
    toml = (folder / "blueprint.toml").read_text("utf-8")
    (folder / "blueprint.toml").write_text(
        toml.replace('prompt = "coast"', 'prompt = "coast"\nnames_book = true'), "utf-8"
    )
    root, deps = begun(folder, tmp_path, models, title="The Map")

    write_book(root, deps)

    with deps.stores() as stores:
        assert stores.books.get(root.book).title == "The Map"
    deps.storage.database.dispose()
