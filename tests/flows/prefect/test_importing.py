"""The flow in a process that begins with it: no telemetry, no web framework, and its parameters told as they are."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from bookwright import NO_CALLS_OUT
from tests.places import ROOT

PARAMETERS = {"book": None, "brief": {"premise": "A lamp.", "length": 900}}
PROGRAM = """
import json, os, sys
from bookwright.flows.write_book import write_book
from bookwright import NO_CALLS_OUT
variables = {name: os.environ[name] for name in NO_CALLS_OUT}
print(json.dumps([variables, write_book.serialize_parameters(json.loads(sys.argv[1])), list(sys.modules)]))
"""


@dataclass(frozen=True)
class Begun:
    """What such a process finds in itself."""

    variables: dict[str, str]
    told: dict[str, Any]
    modules: list[str]
    """All that it has imported, in this order, once it has told of its parameters."""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Begun:
    """A process of somebody who has telemetry switched on."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "BOOKWRIGHT_"))}
    kept = {name: value for name, value in kept.items() if name not in NO_CALLS_OUT}
    home = {"HOME": str(tmp_path_factory.mktemp("begun")), "PYTHONPATH": str(ROOT)}
    telling = {"DO_NOT_TRACK": "0", "PREFECT_SERVER_ANALYTICS_ENABLED": "true"}
    command = [sys.executable, "-c", PROGRAM, json.dumps(PARAMETERS)]
    done = subprocess.run(command, env=kept | home | telling, cwd=ROOT, check=True, capture_output=True, text=True)
    return Begun(*json.loads(done.stdout.splitlines()[-1]))


def test_telemetry_is_off_before_prefect_is_imported(begun: Begun) -> None:
    """As tests/safety/test_no_calls_out.py has it of other modules that a program begins with."""
    assert begun.variables == NO_CALLS_OUT
    theirs = [begun.modules.index(name) for name in ("prefect", "chromadb") if name in begun.modules]
    assert len(theirs) > 0
    assert all(begun.modules.index("bookwright") < place for place in theirs)


def test_the_flow_tells_of_its_parameters_as_they_are_and_without_a_web_framework(begun: Begun) -> None:
    assert begun.told == PARAMETERS
    assert "fastapi" not in begun.modules
