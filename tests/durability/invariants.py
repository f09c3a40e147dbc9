"""What must hold of a book at every moment, however its workers ended: I1 to I9.

Judged from outside the engine: by SQL through the tables, and by the provider's own ledger.
Source: facts/durability-performance.md section 5.1. I5, I7 and I8 are about whole runs and stand
where those are at hand, in `trials.py`.
"""

import hashlib
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from sqlalchemy import CompoundSelect, Connection, Row, Select, String, Table, cast, literal_column, select, union_all

from bookwright.models.step import CODE
from bookwright.storage.branches.lineage import words_of
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.texts import text_hash
from bookwright.storage.tables import (
    books,
    document_inputs,
    documents,
    nodes,
    passages,
    steps,
    texts,
    tool_uses,
    vectors,
)

Entry = dict[str, Any]
"""A line of the provider's ledger."""

_UNDELIVERED = ("unavailable", "broken_stream")
_LOOK = "tool_use"
_CLOSED = "done"
_REPLACED = "void"


@dataclass(frozen=True)
class Evidence:
    """Everything of one database that tells what happened, read at once."""

    books: Sequence[Row[Any]]
    nodes: Sequence[Row[Any]]
    steps: Sequence[Row[Any]]
    documents: Sequence[Row[Any]]
    tool_uses: Sequence[Row[Any]]
    texts: dict[str, str]
    calls: Sequence[Entry]
    """What the provider was asked, whether it could answer or not."""
    deaths: int
    """How many workers ended while a call may have been in flight or not yet recorded."""

    @classmethod
    def gather(cls, database: Database, calls: Sequence[Entry], deaths: int) -> "Evidence":
        with database.read() as connection:
            return cls(
                books=_rows(connection, books),
                nodes=_rows(connection, nodes),
                steps=_rows(connection, steps),
                documents=_rows(connection, documents),
                tool_uses=_rows(connection, tool_uses),
                texts={row.hash: _unpacked(row.body) for row in _rows(connection, texts)},
                calls=calls,
                deaths=deaths,
            )

    @property
    def answered(self) -> list[Row[Any]]:
        """The attempts on record that the provider answered wholly."""
        return [step for step in self.asked if step.failure not in _UNDELIVERED]

    @property
    def asked(self) -> list[Row[Any]]:
        """The attempts on record for which somebody was asked; what code did by itself has a step and no call."""
        return [step for step in self.steps if step.role != CODE and step.lease_token]  # 0: its origin's journal has it


def violations(database: Database, calls: Sequence[Entry], deaths: int) -> list[str]:
    """Return what does not hold, each with the name of its invariant; nothing of one that is yet to be migrated."""
    with database.read() as connection:
        if migrate.current_revision(connection) != migrate.HEAD:
            return []
    evidence = Evidence.gather(database, calls, deaths)
    found = [f"{name}: {text}" for name, check in _CHECKS.items() for text in check(evidence)]
    return [*found, *(f"I9: {text}" for text in _unsound(database))]


def _no_text_is_lost(evidence: Evidence) -> Iterator[str]:
    """I1: what is on record is what the provider said, byte for byte, and whatever it said is on record."""
    for key, text in evidence.texts.items():
        if text_hash(text) != key:
            yield f"text {key} is not what its name says"
    for document in evidence.documents:
        if document.text_hash not in evidence.texts:
            yield f"document {document.id} has no text"
    replies = Counter(_provider_hash(evidence.texts.get(step.reply, "")) for step in evidence.answered)
    answers = Counter(call["reply_hash"] for call in evidence.calls if call["is_whole"])
    for reply in replies - answers:
        yield f"reply {reply} is on record and was never given"
    lost = answers - replies
    if lost.total() > evidence.deaths:
        yield f"{lost.total()} answers are not on record after {evidence.deaths} deaths"


def _nothing_is_paid_twice(evidence: Evidence) -> Iterator[str]:
    """I2: a prompt is asked once more for each death in mid-call and for each answer that was no result."""
    unrecorded = len(evidence.calls) - len(evidence.asked)
    if not 0 <= unrecorded <= evidence.deaths:
        yield f"{len(evidence.calls)} calls, {len(evidence.asked)} on record, {evidence.deaths} deaths"
    failed = sum(step.failure is not None for step in evidence.asked)
    asked = Counter(call["prompt_hash"] for call in evidence.calls)
    again = sum(count - 1 for count in asked.values())
    anew: dict[str, set[str]] = defaultdict(set)  # a branch may ask what its origin has asked
    for step in evidence.asked:
        anew[step.prompt].add(step.book)
    if again > evidence.deaths + failed + sum(len(found) - 1 for found in anew.values()):
        yield f"{again} calls repeat a prompt after {evidence.deaths} deaths and {failed} failed answers"


def _one_result_each(evidence: Evidence) -> Iterator[str]:
    """I3: attempts count up from 1, only the last may stand; one current version; sums agree with the bill."""
    attempts = defaultdict(list)
    looked = {use.step for use in evidence.tool_uses if use.response in evidence.texts}
    for step in evidence.steps:
        attempts[step.node, step.revision, step.activity, step.round, step.step].append(step)
    for key, tries in attempts.items():
        if [step.attempt for step in tries] != list(range(1, len(tries) + 1)):
            yield f"attempts of {key} are {[step.attempt for step in tries]}"
        if any(step.failure is None for step in tries[:-1]):
            yield f"{key} was asked again after it stood"
        unseen = [step.id for step in tries[:-1] if step.failure == _LOOK and step.id not in looked]
        if unseen:
            yield f"{key} was asked again before it was on record what steps {unseen} brought"
    versions = defaultdict(list)
    for document in evidence.documents:
        versions[document.node, document.kind].append(document)
    for kind, kept in versions.items():
        if [one.version for one in kept] != list(range(1, len(kept) + 1)) or [one.is_current for one in kept] != [
            *([False] * (len(kept) - 1)), True,
        ]:  # fmt: skip
            yield f"versions of {kind} are {[(one.version, one.is_current) for one in kept]}"
    yield from _sums(evidence)


def _sums(evidence: Evidence) -> Iterator[str]:
    for book in evidence.books:
        of_book = [step for step in evidence.asked if step.book == book.id]
        if book.calls != len(of_book):
            yield f"book {book.id} counts {book.calls} calls and has {len(of_book)}"
        for name in ("input_tokens", "cached_tokens", "output_tokens"):
            if getattr(book, name) != sum(getattr(step, name) for step in of_book):
                yield f"book {book.id} has a wrong sum of {name}"
    billed = defaultdict(set)
    for call in evidence.calls:
        billed[call["reply_hash"]].add((call["input_tokens"], call["output_tokens"]))
    for step in evidence.answered:
        told = billed[_provider_hash(evidence.texts.get(step.reply, ""))]
        if not step.is_estimate and (step.input_tokens, step.output_tokens) not in told:
            yield f"step {step.id} is billed {step.input_tokens}, {step.output_tokens}; the provider told {told}"


def _the_tree_is_whole(evidence: Evidence) -> Iterator[str]:
    """I4: every parent is there, children count from 1, what is closed holds nothing open, one path is begun."""
    by_key = {node.key: node for node in evidence.nodes}
    begun = {step.node for step in evidence.steps} | {node.parent for node in evidence.nodes}
    children = defaultdict(list)
    for node in evidence.nodes:
        if node.parent is not None and node.parent not in by_key:
            yield f"node {node.label} has no parent"
        elif node.parent is not None:
            children[node.parent].append(node)
    for parent, below in children.items():
        below.sort(key=lambda node: node.ordinal)
        above = by_key[parent]
        if [node.label for node in below] != [f"{above.label}.{place + 1}" for place in range(len(below))]:
            yield f"children of {above.label} are {[node.label for node in below]}"
        living = [node for node in below if node.status != _REPLACED]
        open_ones = [node for node in living if node.status != _CLOSED]
        if above.status == _CLOSED and open_ones:
            yield f"{above.label} is closed and {open_ones[0].label} is not"
        ahead = [node.label for node in open_ones[1:] if node.key in begun or node.status != "open"]
        if ahead or [node.status == _CLOSED for node in living] != sorted(
            (node.status == _CLOSED for node in living), reverse=True
        ):
            yield f"below {above.label} the work is not done in order: {[(n.label, n.status) for n in living]}"


def _no_stale_worker_wrote(evidence: Evidence) -> Iterator[str]:
    """I6: no row written under a lease follows one of a newer lease."""
    for book in evidence.books:
        tokens = [step.lease_token for step in evidence.steps if step.book == book.id]
        if any(earlier > later for earlier, later in pairwise(tokens)):
            yield f"book {book.id} was written under leases {tokens}"
        if tokens and tokens[-1] > book.lease_token:
            yield f"book {book.id} has steps of a lease that was never taken"


def _unsound(database: Database) -> Iterator[str]:
    """I9: the database is sound, nothing in it hangs in the air, and there is nothing left to migrate."""
    with database.read() as connection:
        if database.is_sqlite:
            yield from (row[0] for row in connection.exec_driver_sql("PRAGMA integrity_check") if row[0] != "ok")
        yield from _orphans(connection)
        revision = migrate.current_revision(connection)
    if revision != migrate.HEAD or migrate.upgrade(database):
        yield f"it stands at revision {revision}"


_CHECKS: dict[str, Callable[[Evidence], Iterator[str]]] = {
    "I1": _no_text_is_lost,
    "I2": _nothing_is_paid_twice,
    "I3": _one_result_each,
    "I4": _the_tree_is_whole,
    "I6": _no_stale_worker_wrote,
}


def _orphans(connection: Connection) -> list[str]:
    """Rows that refer to what is not there; of foreign keys, and of what refers without one."""
    return [f"{column} has no {value!r} in {referred}" for column, referred, value in connection.execute(_MISSING)]


def _missing() -> CompoundSelect[Any]:
    """Every value that refers to nothing, as text, with the names of its column and of the one it refers to."""
    keys = [(key.parent, key.column) for table in books.metadata.sorted_tables for key in table.foreign_keys]
    keys += [(passages.c.vector_hash, vectors.c.hash), (document_inputs.c.input, documents.c.id)]
    return union_all(
        *(
            select(literal_column(f"'{column}'"), literal_column(f"'{referred}'"), cast(column, String)).where(
                column.is_not(None), column.not_in(select(referred))
            )
            for column, referred in keys
        )
    )


_MISSING = _missing()


def _rows(connection: Connection, table: Table) -> Sequence[Row[Any]]:
    return connection.execute(_all_of(table)).all()


@cache
def _all_of(table: Table) -> Select[Any]:
    return select(*map(words_of, table.c)).order_by(*table.primary_key)


def _unpacked(body: bytes) -> str:
    return zlib.decompress(body).decode("utf-8", "surrogatepass")


def _provider_hash(text: str) -> str:
    """What the provider's ledger calls a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
