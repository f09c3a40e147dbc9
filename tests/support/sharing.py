"""`python -m tests.support.sharing`: the process that those are forked from who share the tests; `all` are to be run.

It imports them once, as pytest does. In a new clone most of that is compiling them: another process does half of it.
"""

import importlib
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.machinery import ModuleSpec
from threading import Thread

import pytest

# What pytest calls while it collects, so that no test waits for it: it reads the constants of all that is imported.
from hypothesis.internal.conjecture.providers import _get_local_constants

from tests.places import ROOT
from tests.support import forking
from tests.support.forks import ADDRESS, SHARING

ALL, COMPILE = "all", "compile"

_LATE = (
    "anthropic", "openai.lib.streaming.chat", "pydantic_ai.models.anthropic", "pydantic_ai.models.openai",
    "chromadb.api.rust", "bookwright.app.assistants.server", "trafilatura", "prefect.deployments.runner",
)  # fmt: skip
"""What tests import only once they run: the slowest of it, which each of those who share them would import anew."""


class Importing:
    """A plugin that has pytest import tests and run none."""

    def __init__(self, modules: Sequence[str]) -> None:
        self.modules = modules

    def pytest_collection(self) -> bool:
        for module in self.modules:
            with suppress(Exception, pytest.skip.Exception):  # collecting tells of it
                importlib.import_module(module)
        return True


class Compiling(Importing):
    """Has it find nothing but tests, so that each is compiled and none gets any further."""

    def pytest_collection(self) -> bool:
        sys.meta_path.insert(0, self)
        return super().pytest_collection()

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name.partition(".")[0] != "tests":
            raise ImportError(name)
        return None


def main(order: str = "") -> None:
    """Carry out orders; or compile all tests, from the last one on."""
    if order == COMPILE:
        return _have_pytest(Compiling(_tests()[::-1]))
    get_ready = cache(_import_all) if order == ALL else lambda: None
    forking.main(f"{os.environ[ADDRESS]}-{SHARING}", get_ready)


def _have_pytest(do: Importing) -> None:
    options = ("--noconftest", "-o", "addopts=", "-p", "no:terminal", "-p", "no:cacheprovider")
    pytest.main([str(ROOT), *options], [do])


def _tests() -> list[str]:
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]


def _import_all() -> None:
    with subprocess.Popen([sys.executable, "-m", __spec__.name, COMPILE], stdin=subprocess.DEVNULL) as compiling:
        next_one = Thread(target=_have_forks_ready, args=(compiling,))
        next_one.start()
        _have_pytest(Importing([*_tests(), *_LATE]))
        next_one.join()  # no fork has a thread of ours
    _get_local_constants()
    forking.warm_up()


def _have_forks_ready(compiling: subprocess.Popen[bytes]) -> None:
    """Have the process that programs are forked from import what they take, once all tests are compiled.

    From then on one processor would have nothing to do. Nobody waits for its answer.
    """
    compiling.wait()
    with suppress(OSError), socket.socket(socket.AF_UNIX) as line:
        line.connect(os.environ[ADDRESS])
        line.sendall(b"{}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
