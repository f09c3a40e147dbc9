"""The flow's tasks: one for each activity, which shows it and has no say in it."""

import ast

import pytest
from prefect.cache_policies import NO_CACHE

from bookwright.flows.tasks import TASKS
from bookwright.models.errors import BackendUnavailable
from bookwright.models.step import Activity
from tests.places import ROOT


def test_each_activity_has_one_task_of_its_name_that_neither_caches_nor_repeats() -> None:
    assert [task.name for task in TASKS.values()] == [activity.value for activity in Activity]
    assert len({id(task) for task in TASKS.values()}) == len(Activity)
    assert all(task.cache_policy == NO_CACHE for task in TASKS.values())
    assert {(task.retries, task.persist_result) for task in TASKS.values()} == {(0, False)}


def test_an_error_that_the_author_is_told_ends_a_task_as_a_state_and_a_fault_is_raised() -> None:
    def rests() -> None:
        raise BackendUnavailable("nobody answers")

    def breaks() -> None:
        raise ZeroDivisionError

    state = TASKS[Activity.PLAN].fn("plan 1", rests)

    assert state is not None
    assert (state.is_failed(), state.message) == (True, "nobody answers")
    with pytest.raises(ZeroDivisionError):
        TASKS[Activity.PLAN].fn("plan 1", breaks)


def test_the_package_has_one_flow_and_one_place_of_tasks() -> None:
    found = [
        (getattr(decorator.func, "id", ""), path.relative_to(ROOT).as_posix())
        for folder in ("agents", "app", "cli", "exports", "flows", "manuscripts", "models", "prompts", "storage")
        for path in (ROOT / folder).rglob("*.py")
        if "@flow(" in (code := path.read_text("utf-8")) or "@task(" in code  # parsing takes long
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
    ]

    prefects = [(name, place) for name, place in found if name in ("flow", "task")]
    assert sorted(prefects) == [("flow", "flows/write_book.py"), ("task", "flows/tasks.py")]
