"""Contexts keep within their rooms, however large the book."""

import json
from collections.abc import Callable

import pytest
from sqlalchemy import event

from bookwright.agents.context.builder import ContextBuilder
from bookwright.models.document import DocumentKind
from bookwright.models.profile import PROFILES, ProfileName, fitted
from bookwright.models.step import Activity
from bookwright.models.tree.level import Level
from bookwright.storage.stores import BookStorage
from tests.agents.context.books import Library, block, count_words, make_library, room, size

STEPS = [(Activity.PLAN, "planner"), (Activity.BRIEF, "write_plan"), (Activity.WRITE, "write_plan")]


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[int], Library]:
    """A book of 700 nodes, and what its prompts took when it had 250, which are enough to fill every room."""
    library = make_library(tmp_path_factory.mktemp("nodes"))
    library.keep(DocumentKind.BOOK_DESIGN, library.sentences(150))
    library.keep(DocumentKind.GLOBAL_STATE, library.sentences(80))
    library.grow(250)
    sizes = [size(library.build(library.last, *step)) for step in STEPS]
    library.grow(700)
    library.index.catch_up(library.journal)
    return sizes, library


def test_a_very_long_premise_is_cut_to_its_room(tmp_path):
    library = make_library(tmp_path, premise="Ines keeps a lighthouse. " + "She counts the ships that pass. " * 1_500)
    with library.storage.read() as stores:
        root = stores.nodes.root()

    context = library.build(root)

    assert block(context, "book_level_design").startswith("<brief>\nInes keeps a lighthouse.")
    assert size(context) <= room("planner")


@pytest.mark.parametrize("profile", [ProfileName.ECONOMY, ProfileName.STANDARD, ProfileName.FINE])
@pytest.mark.parametrize("role", ["planner", "write_plan", "writer", "critic", "evaluator", "judge"])
def test_no_context_exceeds_its_budget_however_large_the_book(grown, profile, role):
    _, library = grown
    activity = {"judge": Activity.JUDGE, "writer": Activity.WRITE}.get(role, Activity.BRIEF)

    context = library.build(library.last, activity, role, profile=profile)

    assert size(context) <= room(role, profile)


@pytest.mark.parametrize("step", range(len(STEPS)), ids=["plan", "brief", "write"])
def test_the_prompt_does_not_grow_with_the_book(grown, step):
    small, library = grown

    assert size(library.build(library.last, *STEPS[step])) <= small[step] * 1.1


def test_building_asks_the_database_a_bounded_number_of_times(grown):
    _, library = grown
    builder = library.builder()
    statements = count_statements(library.storage)

    builder.build(library.last, library.last, Activity.PLAN, "planner")

    assert statements() <= 100


def count_statements(storage: BookStorage) -> Callable[[], int]:
    """Return a function that tells how many statements the database has been given since."""
    seen: list[str] = []
    event.listen(storage.database.engine, "before_cursor_execute", lambda *values: seen.append(values[2]))
    return lambda: len(seen)


def test_two_builds_are_the_same_bytes(grown):
    _, library = grown
    chapter = library.last

    first, second = (library.build(chapter, Activity.WRITE, "writer") for _ in range(2))

    assert first == second


def test_a_huge_task_is_cut_and_its_goal_stands(library):
    with library.storage.write() as stores:
        unit = library.add_unit(stores, stores.nodes.root(), Level.CHAPTER)
        stores.nodes.change(unit.key, spec=json.dumps({"instructions": [library.sentences(40) for _ in range(20)]}))

    context = library.build(unit)

    assert unit.goal in block(context, "current_task")
    assert size(context) <= room("planner")


def test_a_large_room_is_filled_from_more_of_the_book(grown):
    _, library = grown
    usual = PROFILES[ProfileName.STANDARD]

    sizes = []
    for profile in (usual, fitted(usual, 1_000_000, 10)):
        builder = ContextBuilder(library.storage, library.index, profile, "en", count_words)
        context = builder.build(library.last, library.last, Activity.WRITE, "writer")
        sizes.append(sum(map(count_words, context.blocks)))

    assert sizes[0] <= 9_000
    assert 3 * sizes[0] < sizes[1] <= 90_000
