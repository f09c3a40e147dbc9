"""The page that answers the sources line by line names places, tests and reasons that are there."""

import ast
import re
import tomllib
from functools import cache
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "requirements.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| S[0-4]-\d{3} \|", line)
]
"""Id, what is asked, state, where, test."""


def named(cell: str) -> list[str]:
    """Return what stands in code marks."""
    return re.findall(r"`([^`]+)`", cell)


@cache
def functions_in(path: Path) -> frozenset[str]:
    """Return the names of a file's functions."""
    tree = ast.parse(path.read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_no_item_stands_twice_and_each_line_has_its_five_cells() -> None:
    ids = [row[0] for row in ROWS]

    assert len(ids) > 90
    assert sorted(set(ids)) == sorted(ids)
    assert [row for row in ROWS if len(row) != 5] == []


def test_each_place_is_there() -> None:
    assert [(row[0], place) for row in ROWS for place in named(row[3]) if not (ROOT / place).exists()] == []


def test_each_test_is_there() -> None:
    missing = []
    for row in ROWS:
        for test in named(row[4]):
            path, _, name = test.partition("::")
            if not (ROOT / path).is_file() or name not in functions_in(ROOT / path):
                missing.append((row[0], test))

    assert missing == []


def test_each_state_is_yes_with_a_place_or_open_or_a_reason_that_is_given() -> None:
    reasons = set(re.findall(r"^- \*\*(C-\d\d)\*\*", PAGE, re.MULTILINE))
    states = {row[0]: (row[2], bool(named(row[3]))) for row in ROWS}

    assert {key: state for key, (state, _) in states.items() if state not in {"yes", "open", *reasons}} == {}
    assert [key for key, (state, has_place) in states.items() if state == "yes" and not has_place] == []
    assert reasons == {state for state, _ in states.values() if state.startswith("C-")}


def test_the_sdks_are_named_with_the_bounds_that_they_are_driven_with() -> None:
    """S1-004, and the design card: what pydantic-ai asks for of `anthropic` and `openai`."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    ours = {(wanted := Requirement(line)).name: wanted.specifier for line in listed}
    theirs = {
        (wanted := Requirement(line)).name: wanted.specifier
        for line in requires("pydantic-ai-slim") or ()
        if re.search(r"extra == ['\"](anthropic|openai)['\"]", line)
    }

    assert {name: ours[name] for name in ("anthropic", "openai")} == {
        name: theirs[name] for name in ("anthropic", "openai")
    }
