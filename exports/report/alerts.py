"""The alerts of a report: threads that nobody looks after, and secrets that did not come out."""

from bookwright.agents.relay.threads.alerts import Alert, Pacing, generate_alerts
from bookwright.agents.relay.threads.climax import climax_ahead
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores


def last_written(stores: Stores) -> TaskNode | None:
    """Return the last unit with prose of its own; None where nothing is written."""
    root = stores.nodes.root()
    written = stores.nodes.units_before(root, 1, with_own=True) or ([root] if root.written else [])
    return written[-1] if written else None


def alerts_of(stores: Stores, pacing: Pacing, *, is_finished: bool) -> list[Alert]:
    """Return the alerts of a book where its prose ends."""
    last, reading = last_written(stores), stores.codex.reading_order()
    climax = climax_ahead(_chapter_of(last, stores), stores, reading) if last else None
    return generate_alerts(
        stores.codex.threads(), last.label if last else "1", reading, pacing, is_finished=is_finished, climax=climax,
        secrets=stores.codex.secrets(),
    )  # fmt: skip


def _chapter_of(leaf: TaskNode, stores: Stores) -> TaskNode:
    above = stores.nodes.ancestors(leaf)
    return next((node for node in (leaf, *above) if node.level is Level.CHAPTER), leaf)
