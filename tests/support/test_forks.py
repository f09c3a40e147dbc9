"""A fork is to its test what a process of its own is: files, folder, environment, group, signals, exit code."""

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import execnet
import pytest

from bookwright.flows.prefect.server import CHILD
from tests.support.forking import LateContext
from tests.support.forks import ADDRESS, SHARING, Forks, forking_python, sharing


def test_a_fork_reads_writes_and_ends_as_a_process_of_its_own_does(prefect_forks: Forks, tmp_path: Path) -> None:
    (tmp_path / "lamp.json").write_text("[2]")

    given = prefect_forks.run(["json.tool", "--compact"], b"[1]")
    found = prefect_forks.run(["json.tool", "--compact", "lamp.json"], cwd=tmp_path)
    refused = prefect_forks.run(["json.tool"], b"no JSON")

    assert (given.returncode, given.stdout, given.stderr) == (0, b"[1]\n", b"")
    assert (found.returncode, found.stdout) == (0, b"[2]\n")
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert b"Expecting value" in refused.stderr


def test_a_fork_has_its_own_environment_and_no_more_of_ours(prefect_forks: Forks, tmp_path: Path) -> None:
    told = prefect_forks.run(["bookwright", "status", "--json"], environment={"BOOKWRIGHT_HOME": str(tmp_path / "new")})

    assert (told.returncode, told.stdout, told.stderr) == (0, b"[]\n", b"")
    assert "PATH" in os.environ


def test_a_fork_leads_a_group_of_its_own_and_dies_of_a_signal(prefect_forks: Forks, tmp_path: Path) -> None:
    command = ["http.server", "0", "--bind", "127.0.0.1", "--directory", str(tmp_path)]

    with prefect_forks.talking(command, {"PYTHONUNBUFFERED": "1"}) as (fork, said):
        begun = said.readline()
        is_running, group = fork.poll() is None, os.getpgid(fork.pid)
        fork.kill()
        code = fork.wait(60)

    assert begun.startswith("Serving HTTP on 127.0.0.1")
    assert (is_running, group) == (True, fork.pid)
    assert code == -signal.SIGKILL


def test_what_a_fork_starts_of_ours_is_a_fork_that_ends_as_its_starter_sees(
    prefect_forks: Forks, tmp_path: Path
) -> None:
    """`--apart` starts a module in a process of its own, hands SIGTERM on to it and takes its exit code over."""
    apart, environment = [CHILD, "--apart", "http.server", "0"], {"BOOKWRIGHT_HOME": str(tmp_path)}

    missing = prefect_forks.run([CHILD, "--apart", "bookwright", "read", "nobody"], environment=environment)
    with prefect_forks.talking(apart, {"PYTHONUNBUFFERED": "1"}) as (fork, said):
        begun = said.readline()
        fork.terminate()
        code, left = fork.wait(60), said.read()

    assert (missing.returncode, missing.stdout) == (2, b"")
    assert b"'nobody'" in missing.stderr
    assert begun.startswith("Serving HTTP on")
    assert (code, left) == (128 + signal.SIGTERM, "")


def test_whoever_kills_what_stands_for_a_fork_kills_the_fork(prefect_forks: Forks) -> None:
    python = Path(os.environ[ADDRESS]).with_name("python")
    command = [python, "-m", CHILD, "http.server", "0"]

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as standing:
        assert standing.stdout is not None
        begun = standing.stdout.readline()
        standing.kill()
        left = standing.stdout.read()  # to the end, which comes once nobody can write there any more

    assert begun.startswith("Serving HTTP on")
    assert left == ""
    assert prefect_forks.run(["json.tool"], b"[]").returncode == 0


def test_whoever_is_gone_before_its_answer_leaves_the_forks_to_the_others(prefect_forks: Forks, tmp_path: Path) -> None:
    command = ["http.server", "0", "--bind", "127.0.0.1", "--directory", str(tmp_path)]

    with prefect_forks.talking(command, {"PYTHONUNBUFFERED": "1"}) as (fork, said):
        begun = said.readline()
        for _ in range(50):
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(os.environ[ADDRESS])
                line.sendall(f"{json.dumps({'look': fork.pid})}\n".encode())
        is_running = fork.poll() is None

    assert begun.startswith("Serving HTTP on 127.0.0.1")
    assert is_running


def test_what_shares_the_tests_is_a_fork_whose_python_is_a_real_one() -> None:
    gateways = execnet.Group()
    with nullcontext() if "PYTEST_XDIST_WORKER" in os.environ else sharing(is_for_all=False):
        gateway = gateways.makegateway(f"popen//execmodel=main_thread_only//python={forking_python()} -m {SHARING}")

        ask = "import os, sys; channel.send((os.getpid(), 'tests.support.forking' in sys.modules, sys.executable))"
        pid, is_fork, executable = gateway.remote_exec(ask).receive(60)
        gateways.terminate(60)

    assert (is_fork, executable) == (True, sys.executable)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_python_that_runs_anything_else_is_one_of_its_own() -> None:
    python = Path(os.environ[ADDRESS]).with_name("python")

    said = subprocess.run(
        [python, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True, check=True
    )

    assert said.stdout.strip() == sys.executable


def test_threads_that_ask_while_settings_are_read_wait_for_them() -> None:
    asked = []

    def read() -> None:
        asked.append(module.GLOBAL_SETTINGS_CONTEXT.url)  # as Prefect does on the way
        time.sleep(0.05)
        module.GLOBAL_SETTINGS_CONTEXT = SimpleNamespace(url="own")

    module = SimpleNamespace(
        GLOBAL_SETTINGS_CONTEXT=SimpleNamespace(url="before"), refresh_global_settings_context=read
    )
    late = LateContext(module)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: late.url, range(4)))

    assert found == ["own"] * 4
    assert asked == ["before"]


def test_a_fork_of_this_process_leaves_its_garbage_alone() -> None:
    class Server:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            os.write(inner, b"ended")

    outer, inner = os.pipe()
    gc.disable()
    try:
        Server()
        pid = os.fork()
        gc.collect(0)
        if pid == 0:
            os._exit(0)
    finally:
        gc.enable()
    os.waitpid(pid, 0)
    os.close(inner)

    with open(outer, "rb") as said:
        assert said.read() == b"ended"  # once, by this process
