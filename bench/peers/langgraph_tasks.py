"""LangGraph's functional form: the tree as an `@entrypoint`, each step a `@task`."""

from collections.abc import Sequence
from pathlib import Path

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.func import entrypoint, task

from bench.peers.ledger import Ledger


def walk(home: Path, keys: Sequence[str], ledger: Ledger) -> None:
    """Run the entrypoint again; finished tasks are answered from the checkpoint."""

    @task
    def step(key: str) -> str:
        return ledger.step(key)

    config = {"configurable": {"thread_id": "book"}}
    with SqliteSaver.from_conn_string(str(home / "langgraph.db")) as saver:

        @entrypoint(checkpointer=saver)
        def tree(count: int) -> int:
            for key in keys[:count]:
                step(key).result()
            return count

        begin = len(keys) if saver.get_tuple(config) is None else None
        tree.invoke(begin, config, durability="sync")
