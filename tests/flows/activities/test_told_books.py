"""Books that are told instead of planned: which they are, and what their writer has in view."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.relay.style_guide import kept_guide
from bookwright.agents.workflows import plan_workflow
from bookwright.flows.activities.close import close
from bookwright.flows.activities.decide import next_round
from bookwright.flows.activities.recall import wants_questions
from bookwright.flows.activities.told_books import is_free, is_plotted, memories, pages_before
from bookwright.flows.activities.unit_facts import begin_activity, is_one_sitting
from bookwright.flows.deps import Deps
from bookwright.flows.stopping import Limits
from bookwright.models.codex.entries import CodexEntry, EntryKind
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.profile import PROFILES, ProfileName, fitted
from bookwright.models.step import Activity
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from tests.flows.activities.told import Told
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

WINDOW = 200_000
ITS_PLAN = Limits(until_level=Level.CHAPTER, until_count=1)
PLANNED = (
    "story", "story.again", "plot", "forecast", "doubts", "plot.again",
    "forecast.again", "doubts.again", "plot.again.again",
)  # fmt: skip
"""Who plans a book in acts, in this order."""
READERS = ("cold_read", "review")
BRIEF = {"length": 6_000, "profile": "economy", "max_unit_length": 2_000, "max_planning_rounds": None}


def begun(home: Path, window: int = WINDOW, **values: Any) -> tuple[TaskNode, Deps]:
    """Begin a book whose models have a window of so many tokens."""
    root, deps = begin(home, ScriptedBackend(lines={"*": ["It rained."]}), **BRIEF | values)
    profile = fitted(PROFILES[deps.desk.profile.name], window)
    return root, replace(deps, desk=replace(deps.desk, profile=profile))


@pytest.mark.parametrize(
    ("values", "is_told"),
    [
        ({}, True),
        ({"profile": "standard"}, True),
        ({"profile": "fine"}, True),
        ({"profile": "small"}, False),
        ({"max_planning_rounds": 1}, False),  # the author wants it planned
        ({"gates": ["book_design"]}, False),  # and to see the design
        ({"gates": ["chapter"]}, True),
        ({"length": 14_000}, True),
        ({"length": 50_000, "max_unit_length": 3_000}, True),
        ({"length": 59_999, "max_unit_length": 3_000, "window": 240_000}, True),
        ({"length": 60_000, "max_unit_length": 3_000, "window": 240_000}, True),  # in acts
        ({"length": 60_000, "max_unit_length": 3_000, "window": 110_000}, False),  # none of which a prompt would hold
        ({"length": 400_000, "max_unit_length": 3_000}, True),  # in volumes
        (
            {"length": 400_000, "max_unit_length": 3_000, "gates": ["volume_design"]},
            False,
        ),  # and its author, to see their designs
        ({"length": 14_000, "max_unit_length": 500}, False),  # as is one of more chapters than one plan holds
        ({"length": 4_000}, False),  # its author wants scenes of 2,000 words
        ({"length": 4_000, "max_unit_length": None}, True),
        ({"length": 5_800, "max_unit_length": None, "language": "zh"}, True),
        ({"length": 1_500}, False),  # is one sitting, and told from its order alone
        ({"window": 20_000}, False),  # the pages would not fit
    ],
)
def test_which_books_of_several_chapters_are_told_from_plots(
    tmp_path: Path, values: dict[str, Any], is_told: bool
) -> None:
    root, deps = begun(tmp_path, **values)

    assert is_plotted(root, deps) is is_told
    assert is_free(root, deps) is (values.get("length") == 1_500)
    deps.storage.database.dispose()


@pytest.mark.parametrize(
    ("values", "is_story"),
    [
        ({"length": 3_000}, True),
        ({"length": 4_000}, False),
        ({"length": 4_000, "language": "ja"}, True),  # 2,400 words
        ({"length": 4_000, "language": "ko"}, True),
        ({"length": 4_000, "language": "ja", "max_unit_length": 3_000}, False),  # its author's word
        ({"length": 4_000, "language": "ja", "max_planning_rounds": 1}, False),
    ],
)
def test_a_story_in_characters_is_as_long_as_one_in_words(
    tmp_path: Path, values: dict[str, Any], is_story: bool
) -> None:
    root, deps = begun(tmp_path, **{"max_unit_length": None, **values})

    assert (is_free(root, deps), is_one_sitting(root, deps)) == (is_story, is_story)
    deps.storage.database.dispose()


def test_a_book_of_many_chapters_that_was_begun_told_stays_so(tmp_path: Path) -> None:
    root, deps = begun(tmp_path, length=9_000, max_unit_length=300)
    before = is_plotted(root, deps)
    with deps.storage.write() as stores:
        stores.nodes.change(root.key, planning_round=1)

    assert (before, is_plotted(deps.fresh(root), deps)) == (False, True)
    deps.storage.database.dispose()


def test_a_book_about_which_its_author_has_said_more_is_planned(tmp_path: Path) -> None:
    root, deps = begun(tmp_path)
    with deps.storage.write() as stores:
        stores.codex.add(CodexEntry(id="keeper", kind=EntryKind.CHARACTER, name="Ada"), Origin.AUTHOR)

    assert not is_plotted(root, deps)
    deps.storage.database.dispose()


@pytest.fixture(scope="module", params=["economy", "standard"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    book = Told(tmp_path_factory.mktemp("home"), length=6_000, profile=request.param, max_unit_length=2_000)
    yield book
    book.close()


def test_its_chapters_come_of_one_plan_and_no_model_is_asked_to_design_or_divide(told: Told) -> None:
    asked = {request.name.partition(" ")[2].partition("/")[0] for request in told.requests}
    with told.storage.read() as stores:
        chapters = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        tasks = stores.nodes.children(stores.nodes.root().key, TaskType.DESIGN, TaskType.SEARCH)
        plan = stores.documents.latest(DocumentKind.BOOK_DESIGN)

    assert asked == {"plan", "write", "review", "close", "publish"}
    assert [chapter.level for chapter in chapters] == [Level.CHAPTER] * 3
    assert [chapter.is_last for chapter in chapters] == [False, False, True]
    assert not tasks
    assert plan is not None
    assert all(chapter.title in plan.text for chapter in chapters)


def test_whoever_writes_a_chapter_has_the_plan_and_every_page_before_it(told: Told) -> None:
    with told.storage.read() as stores:
        chapters = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        plan = stores.documents.latest(DocumentKind.BOOK_DESIGN)
        pages = [stores.documents.versions(chapter.key, DocumentKind.PROSE)[0].text for chapter in chapters]

    assert plan is not None
    for number, chapter in enumerate(chapters):
        for step in ("draft", "critic", "refine"):
            [prompt, *_] = told.prompts(f"{chapter.label} write/{step}")
            assert plan.text in prompt
            assert [page in prompt for page in pages[:number]] == [True] * number


def test_what_is_asked_for_a_chapter_begins_with_all_that_was_asked_before_it_began_with(told: Told) -> None:
    with told.storage.read() as stores:
        chapters = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
    asked = [
        next(own.prompt for own in told.requests if own.name == f"{chapter.label} write/{step}")
        for chapter in chapters
        for step in ("draft", "critic", "refine")
    ]
    asked += [next(own.prompt for own in told.requests if own.name == f"1 review/{reader}") for reader in READERS]
    served = [prompt.blocks[: prompt.unit_blocks] for prompt in asked]

    assert [len(pages) for pages in served] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]
    assert all(after[: len(before)] == before for before, after in pairwise(served))
    assert {prompt.system for prompt in asked} == {asked[0].system}


@pytest.mark.parametrize("told", ["standard"], indirect=True)
def test_whoever_chooses_between_two_drafts_of_a_chapter_has_read_the_pages_before_it(told: Told) -> None:
    with told.storage.read() as stores:
        chapters = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        pages = [stores.documents.versions(chapter.key, DocumentKind.PROSE)[0].text for chapter in chapters]
    [last] = [own.prompt for own in told.requests if own.name == f"{chapters[-1].label} review/choose"]

    assert last.unit_blocks == 2
    assert [page in block for page, block in zip(pages, last.blocks[:2], strict=False)] == [True, True]
    assert "left empty" not in last.user


def test_pages_stand_in_the_order_of_reading_though_an_early_one_was_written_anew(tmp_path: Path) -> None:
    root, deps = begun(tmp_path)
    with deps.storage.write() as stores:
        planned = [PlanNode(task_type=TaskType.WRITE, title=title, goal="Tell it.") for title in "ABC"]
        stores.nodes.add(root, planned, level="chapter", length=2_000, unit_index=lambda place: place + 1)
        chapters = stores.nodes.children(root.key, TaskType.WRITE)
        for chapter, text in ((chapters[0], "One."), (chapters[1], "Two."), (chapters[0], "One again.")):
            stores.documents.add(NewDocument(node=chapter.key, kind=DocumentKind.PROSE, text=text), None)
            stores.nodes.change(chapter.key, written=2_000)

    assert [page.text for page in pages_before(chapters[2], deps)] == ["One again.", "Two."]
    deps.storage.database.dispose()


def test_a_long_book_that_rests_in_the_middle_of_its_first_plan_is_planned_to_its_end(tmp_path: Path) -> None:
    root, deps = begun(tmp_path, length=60_000, max_unit_length=3_000, profile="standard")
    before = is_plotted(root, deps)
    planner = plan_workflow(Level.BOOK, deps.brief.length_class, ProfileName.STANDARD)[0]
    begin_activity(Activity.PLAN, root, deps, planner.context, round_=1).run(planner)

    assert (before, is_plotted(deps.fresh(root), deps)) == (True, False)
    deps.storage.database.dispose()


def test_a_part_remembers_what_was_told_before_it_the_nearest_chapter_by_chapter(tmp_path: Path) -> None:
    root, deps = begun(tmp_path, length=400_000, profile="standard")
    with deps.storage.write() as stores:
        stores.nodes.change(root.key, planning_round=1)
        planned, above = [PlanNode(task_type=TaskType.WRITE, title=title, goal="Tell it.") for title in "AB"], [root]
        for level in ("volume", "act", "chapter"):
            above = [
                part
                for own in above
                for part in stores.nodes.add(own, planned, level=level, length=3_000, unit_index=lambda i: i + 1)
            ]
        for unit in stores.nodes.walk(TaskType.WRITE):
            for kind in (DocumentKind.PROSE, DocumentKind.SUMMARY):
                stores.documents.add(NewDocument(node=unit.key, kind=kind, text=f"{kind} of {unit.label}"), None)
            stores.nodes.change(unit.key, written=3_000)
        parts = {unit.label: unit for unit in stores.nodes.walk(TaskType.WRITE)}

    def remembered(label: str) -> list[str]:
        return [summary.text.removeprefix("summary of ") for summary in memories(parts[label], deps)]

    assert [remembered(label) for label in ("1.1", "1.1.1")] == [[], []]
    assert remembered("1.1.2") == ["1.1.1.1", "1.1.1.2"]
    assert remembered("1.2.1") == ["1.1.1", "1.1.2"]
    assert remembered("1.2.2") == ["1.1", "1.2.1.1", "1.2.1.2"]
    assert [page.text for page in pages_before(parts["1.2.2.2"], deps)] == ["prose of 1.2.1.2", "prose of 1.2.2.1"]
    assert [page.text for page in pages_before(parts["1.2.2.1"], deps)] == ["prose of 1.2.1.2"]
    unwritten = [parts[label].model_copy(update={"written": 0}) for label in ("1.1.1.2", "1.1.2.1", "1.1.2")]
    assert [wants_questions(unit, deps) for unit in unwritten] == [False, True, False]
    longer = [parts[label].model_copy(update={"length": 30_000}) for label in ("1.1.2", "1.1.2.1")]
    assert [next_round(unit, deps) for unit in longer] == [1, None]  # no chapter is cut into chapters
    deps.storage.database.dispose()


@pytest.mark.parametrize(("window", "length"), [(128_000, 32_000), (200_000, 41_000)])
def test_an_act_grows_by_what_the_one_before_fell_short_to_what_can_be_told_at_once(
    tmp_path: Path, window: int, length: int
) -> None:
    root, deps = begun(tmp_path, window, length=62_000, profile="economy")
    planned = [PlanNode(task_type=TaskType.WRITE, title=title, goal="Tell it.") for title in "AB"]
    with deps.storage.write() as stores:
        first, second = stores.nodes.add(root, planned, level="act", length=31_000, is_last=lambda i: i == 1)
        stores.nodes.change(root.key, planning_round=1, written=21_000)
        stores.nodes.change(first.key, planning_round=1, written=21_000)

    close(deps.fresh(first), deps)

    assert deps.fresh(first).status is NodeStatus.DONE
    assert deps.fresh(second).length == length
    deps.storage.database.dispose()


@pytest.fixture(scope="module")
def in_acts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """A book in two acts, told until a chapter of the second is."""
    limits = Limits(until_level=Level.CHAPTER, until_count=12)
    book = Told(tmp_path_factory.mktemp("acts"), limits=limits, length=60_000, profile="economy")
    yield book
    book.close()


def test_a_book_in_acts_is_plotted_act_by_act_and_each_is_told_with_the_whole_in_view(in_acts: Told) -> None:
    asked = [request.name for request in in_acts.requests]
    with in_acts.storage.read() as stores:
        root = stores.nodes.root()
        acts = stores.nodes.child_units(root.key)
        plots = [stores.documents.current(own.key, DocumentKind.DESIGN) for own in acts]
        whole = stores.documents.latest(DocumentKind.BOOK_DESIGN)
        chapters = [stores.nodes.child_units(act.key) for act in acts]
        told = [stores.documents.current(own.key, DocumentKind.SUMMARY) for own in chapters[0]]
        page = stores.documents.current(chapters[0][-1].key, DocumentKind.PROSE)
        rests_on = set(stores.documents.inputs_of(plots[1].id if plots[1] else 0))
    [plan, *_], [draft] = in_acts.prompts("1.2 plan/plot"), in_acts.prompts("1.2.1 write/draft")
    [request] = [own.prompt for own in in_acts.requests if own.name == "1.2.1 write/draft"]

    assert asked[:9] == [f"1 plan/{step}" for step in PLANNED]
    assert asked[9:12] == [f"1.1 plan/{step}" for step in ("plot", "doubts", "plot.again")]
    assert not [name for name in asked if name.partition(" ")[2].partition("/")[0] in ("divide", "decide", "brief")]
    assert [(act.level, act.is_last) for act in acts] == [(Level.ACT, False), (Level.ACT, True)]
    assert all(len(own) >= 10 for own in chapters)
    assert whole is not None
    assert page is not None
    assert plots[0] is not None
    assert plots[1] is not None
    for prompt in (plan, draft):
        assert [text.text in prompt for text in told if text] == [True] * len(chapters[0])
        assert whole.text in prompt
        assert plots[0].text not in prompt
    assert page.text in draft
    assert plots[1].text in draft
    assert whole.text in request.blocks[0]
    assert {whole.id, *(text.id for text in told if text)} <= rests_on


def test_each_of_its_documents_knows_what_it_rests_on(told: Told) -> None:
    with told.storage.read() as stores:
        chapters = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        plan = stores.documents.latest(DocumentKind.BOOK_DESIGN)
        last = stores.documents.versions(chapters[-1].key, DocumentKind.PROSE)[0]
        first = stores.documents.versions(chapters[0].key, DocumentKind.PROSE)[0]
        inputs = set(stores.documents.inputs_of(last.id))

    assert plan is not None
    assert {plan.id, first.id} <= inputs


@pytest.mark.parametrize("sample", ["", "I am here. I stay. " * 80])
def test_its_writer_hears_the_style_in_its_pages_or_in_a_sample_that_its_author_gave(
    tmp_path: Path, sample: str
) -> None:
    book = Told(tmp_path, sample, length=9_000, profile="economy", max_unit_length=3_000)
    drafts = book.prompts("1.3 write/draft")
    with book.storage.read() as stores:
        is_kept = kept_guide(stores) is not None
    book.close()

    assert is_kept
    assert len(drafts) == 1
    assert ("<style_guide>" in drafts[0]) is bool(sample)


def test_who_tells_a_chapter_again_has_the_room_of_its_draft(told: Told) -> None:
    for label in ("1.1", "1.2", "1.3"):
        asked = [told.prompts(f"{label} write/{step}")[0] for step in ("draft", "refine")]
        draft, again = (re.findall(r"(\d{3,}) to (\d{3,})", prompt) for prompt in asked)
        assert draft == again != []


def test_the_plan_of_a_book_in_acts_is_doubted_and_made_once_more_twice(in_acts: Told) -> None:
    asked = [each.name.partition(" ")[2] for each in in_acts.requests if each.name.startswith("1 plan/")]
    again, last = in_acts.prompts("1 plan/plot.again")
    with in_acts.storage.read() as stores:
        acts = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        plan = stores.documents.latest(DocumentKind.BOOK_DESIGN)
    guesses = [guess for step in ("forecast", "forecast.again") for guess in in_acts.prompts(f"1 plan/{step}")]

    assert asked == [f"plan/{step}" for step in PLANNED]
    for prompt in (again, last):
        assert "<doubts>" in prompt
        assert "<story_a>" not in prompt
        assert "<forecast>" not in prompt
    assert ["This is the last time" in prompt for prompt in (again, last)] == [False, True]
    assert len(acts) == 2
    assert plan is not None
    assert "Seen early, understood late" in plan.text
    assert guesses
    assert not [guess for guess in guesses if "Seen early" in guess]  # it tells what counts in the end


def test_the_plan_of_a_novel_has_a_second_story_and_room_for_all_its_chapters(tmp_path: Path) -> None:
    book = Told(tmp_path, limits=ITS_PLAN, length=24_000, profile="economy", max_unit_length=1_200)
    plans = {name: next(own for own in book.requests if own.name == f"1 plan/{name}") for name in ("story", "plot")}
    with book.storage.read() as stores:
        chapters = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
    book.close()

    assert len(chapters) == 20
    assert "Beside it runs a second story" in plans["story"].prompt.user
    assert "2400 words in all at most" in plans["plot"].prompt.user
    assert plans["plot"].sampling.max_output_tokens == 10_000


def test_whoever_orders_its_repairs_knows_what_it_was_to_tell(told: Told) -> None:
    with told.storage.read() as stores:
        plan = stores.documents.latest(DocumentKind.BOOK_DESIGN)
    [review] = told.prompts("1 review/review")

    assert plan is not None
    assert f"<meant>\n{plan.text}" in review
