"""LangGraph's graph: one node, the place in the tree and the last text as its state."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from bench.peers.ledger import Ledger


class State(TypedDict):
    """Small on purpose: with all texts in it a checkpoint grows with the book."""

    done: int
    text: str


def walk(home: Path, keys: Sequence[str], ledger: Ledger) -> None:
    """Go on from the thread's last checkpoint."""

    def work(state: State) -> State:
        return {"done": state["done"] + 1, "text": ledger.step(keys[state["done"]])}

    graph = StateGraph(State)
    graph.add_node("work", work)
    graph.add_edge(START, "work")
    graph.add_conditional_edges("work", lambda state: "work" if state["done"] < len(keys) else END)
    config = {"configurable": {"thread_id": "book"}, "recursion_limit": len(keys) + 10}
    with SqliteSaver.from_conn_string(str(home / "langgraph.db")) as saver:
        begin = State(done=0, text="") if saver.get_tuple(config) is None else None
        graph.compile(checkpointer=saver).invoke(begin, config, durability="sync")
