"""DBOS on SQLite: the tree as one workflow, each step a `@DBOS.step`."""

from collections.abc import Sequence
from pathlib import Path

from dbos import DBOS, DBOSConfig, SetWorkflowID

from bench.peers.ledger import Ledger


def walk(home: Path, keys: Sequence[str], ledger: Ledger) -> None:
    """Start the workflow, or join the one that DBOS has recovered."""
    config: DBOSConfig = {
        "name": "tree", "system_database_url": f"sqlite:///{home / 'dbos.sqlite'}", "run_admin_server": False,
        "log_level": "CRITICAL",
    }  # fmt: skip
    DBOS(config=config)

    @DBOS.step()
    def step(key: str) -> str:
        return ledger.step(key)

    @DBOS.workflow()
    def tree() -> None:
        for key in keys:
            step(key)

    DBOS.launch()
    with SetWorkflowID("book"):
        handle = DBOS.start_workflow(tree)
    handle.get_result()
    DBOS.destroy()
