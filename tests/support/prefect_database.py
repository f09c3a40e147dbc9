"""A database of Prefect's, made once for all servers of the tests: its migrations cost more than most servers do."""

import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing, suppress
from pathlib import Path

import prefect
from prefect.client.schemas.objects import StateType

from bookwright import NO_CALLS_OUT
from tests.places import ROOT

QUIET = {"PREFECT_API_DATABASE_MIGRATE_ON_START": "false"} | {
    f"PREFECT_SERVER_SERVICES_{service}_ENABLED": "false"
    for service in (
        "CANCELLATION_CLEANUP", "EVENT_PERSISTER", "FOREMAN", "LATE_RUNS", "REPOSSESSOR", "SCHEDULER", "TRIGGERS",
    )
}  # fmt: skip
"""Prefect's own settings of a server that is given its database, for tests that look at nothing of what these do:
a good quarter of the CPU of one that shows books, and some of it locks the database just when a run arrives.
"""
_MADE = ROOT / "build" / f"prefect-{prefect.__version__}.db"
_MAKE = """
import asyncio
from prefect.server.database import provide_database_interface
asyncio.run(provide_database_interface().create_db())
"""


def give_database(home: Path) -> None:
    """Put an empty database into a `PREFECT_HOME` that no server has used yet."""
    _MADE.parent.mkdir(exist_ok=True)
    with _MADE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _MADE.exists():
            _make()
    home.mkdir(parents=True, exist_ok=True)
    shutil.copy(_MADE, home / "prefect.db")


def has_deployment(home: Path) -> bool:
    """True once a server of this `PREFECT_HOME` knows a deployment: to hand a book in before is a start for nothing."""
    with suppress(sqlite3.OperationalError), closing(
        sqlite3.connect(f"file:{home / 'prefect.db'}?mode=ro", uri=True)
    ) as looked:  # fmt: skip
        return looked.execute("SELECT count(*) FROM deployment").fetchone() != (0,)
    return False


def states_of(home: Path, name: str) -> list[StateType]:
    """The types of the states of the flow runs of a name, oldest first: each look at the server is work for it."""
    with closing(sqlite3.connect(f"file:{home / 'prefect.db'}?mode=ro", uri=True)) as looked:
        found = looked.execute("SELECT state_type FROM flow_run WHERE name = ? ORDER BY created", (name,))
        return [StateType(one) for (one,) in found if one]


def states_by_name(home: Path) -> dict[str, str]:
    """The state of each flow run by the name of the run."""
    with closing(sqlite3.connect(f"file:{home / 'prefect.db'}?mode=ro", uri=True)) as looked:
        return {run: state or "" for run, state in looked.execute("SELECT name, state_name FROM flow_run")}


def _make() -> None:
    with tempfile.TemporaryDirectory(dir=_MADE.parent) as folder:
        alone = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
        subprocess.run([sys.executable, "-c", _MAKE], env=alone | {"PREFECT_HOME": folder} | NO_CALLS_OUT, check=True)
        os.replace(Path(folder, "prefect.db"), _MADE)
