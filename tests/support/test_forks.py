"""A fork is to its test what a process of its own is: files, folder, environment, group, signals, exit code."""

import os
import signal
from pathlib import Path

from tests.support.forks import Forks


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
