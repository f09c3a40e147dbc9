"""The journal: every reply of a model, recorded with all that follows from it, in one transaction."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection

from bookwright.failpoints import Failpoint
from bookwright.models.errors import StorageError
from bookwright.models.step import CODE, Reply, StepKey, StepRecord, ToolUse
from bookwright.storage.lease import HolderNews, Lease
from bookwright.storage.repositories.texts import text_hash
from bookwright.storage.steps.attempts import Attempt, attempts_beside, insert_attempt, mark_moved
from bookwright.storage.stores import BookStorage, Stores

Move = Callable[[Stores, int], object]
"""What a step does to the tree and the documents: gets the stores and the step's id; what it returns is not used."""

_KNOWN_TEXTS, _KNOWN_NODES = 512, 512


class Journal:
    """Records the steps of one book under its lease and finds what is recorded already.

    Whatever writes raises `LeaseLost` where another worker holds the book, and then nothing was written, and
    `StorageError` where the database could not take it: only if the server went away it may have been written.
    """

    def __init__(self, storage: BookStorage, lease: Lease, way_on: str = "") -> None:
        """Begin with nothing known; `way_on` names what goes on where this work is interrupted, if not the walk."""
        self._storage = storage
        self._lease = lease
        self.way_on = way_on or f"`bookwright resume {storage.book}`"
        """Names, within a message, what goes on with this work once it was interrupted."""
        self._known: OrderedDict[str, None] = OrderedDict()
        self._activity: tuple[Any, ...] | None = None
        self._recorded: dict[str, list[StepRecord]] = {}
        self._new: OrderedDict[int, set[tuple[Any, ...]]] = OrderedDict()
        """Of nodes that this worker has made, what activities it has recorded a step of: all that there are."""
        self.stop_requested = False
        """True once somebody asked this book to rest, here or in the database."""
        self.edits_wait = True
        """False if no edit of the author's waited when this worker last wrote; at first nobody has looked."""
        self._deferred: list[Callable[[Stores], None]] = []
        self.last_renewed = time.monotonic()
        """When the lease was last renewed, by this process's monotonic clock."""
        self._longest_silence = 0.0
        self.on_recorded: Callable[[Attempt, int], None] | None = None
        """Told of each attempt once it is on record, with its id; must not raise."""

    def attempts(self, key: StepKey) -> list[StepRecord]:
        """Return the recorded attempts at a step, oldest first; one query for a whole activity.

        What was found for an activity is kept until the next one is asked about: its steps are
        recorded by this worker alone.
        """
        activity = _activity_of(key)
        if activity != self._activity:
            is_new = activity not in self._new.get(key.node, {activity})
            self._activity, self._recorded = activity, {} if is_new else self._recorded_beside(key)
        return list(self._recorded.get(key.step, ()))

    def _recorded_beside(self, key: StepKey) -> dict[str, list[StepRecord]]:
        with self._storage.database.look() as connection:
            return attempts_beside(connection, key)

    def record(self, attempt: Attempt, move: Move | None = None, intent: str = "", *, is_again: bool = False) -> int:
        """Record an attempt, its bill, what it does to the book, and what comes next; one commit.

        Returns the step's id, which grows with every step of the database. With `is_again`, after a
        commit whose answer was lost, this very attempt may be on record and is then only found.
        """
        told = (*attempt.prompt, *attempt.card)
        all_hashes = [text_hash(text) for text in told]
        hashes, card = all_hashes[: len(attempt.prompt)], all_hashes[len(attempt.prompt) :]
        reply_hash = text_hash(attempt.reply.text)
        blocks = dict(zip(all_hashes, told, strict=True)) if attempt.stores_prompt else {}
        fresh = {key: block for key, block in blocks.items() if key not in self._known}
        fresh[reply_hash] = attempt.reply.text
        with self._written(Failpoint.RECORD_STEP) as stores:
            if is_again and (found := self._found_again(stores, attempt)) is not None:
                return found
            self._renewed(self._lease.fence_step(stores.connection, _bill(attempt.reply, intent)))
            stores.texts.put(fresh)
            step = insert_attempt(
                stores.connection, attempt, hashes, card, reply_hash,
                has_move=move is not None, lease_token=self._lease.token,
            )  # fmt: skip
            if move is not None:
                move(stores, step)
            done = self._write_deferred(stores)
        self._remember(blocks)
        self._note(attempt, step, hashes, move is not None)
        del self._deferred[:done]
        if self.on_recorded is not None:
            self.on_recorded(attempt, step)
        return step

    @contextmanager
    def _written(self, point: Failpoint) -> Iterator[Stores]:
        """A transaction that may have arrived even where it fails, so that what was found before is looked for anew."""
        try:
            with self._storage.write(point) as stores:
                yield stores
        except StorageError:
            self._activity = None
            self._new.clear()
            raise
        for node in stores.nodes.added:
            self._new[node.key] = set()
        while len(self._new) > _KNOWN_NODES:
            self._new.popitem(last=False)

    def _found_again(self, stores: Stores, attempt: Attempt) -> int | None:
        """Look for an attempt that may be on record; the fence first waits for a commit that is still under way."""
        self._renewed(self._lease.fence(stores.connection))
        recorded = attempts_beside(stores.connection, attempt.key).get(attempt.key.step, ())
        same = (old for old in recorded if (old.attempt, old.reply.text) == (attempt.attempt, attempt.reply.text))
        return next((old.id for old in same), None)

    def _note(self, attempt: Attempt, step: int, prompt: list[str], has_move: bool) -> None:
        """Keep what was just recorded beside what was found of its activity."""
        if attempt.key.node in self._new:
            self._new[attempt.key.node].add(_activity_of(attempt.key))
        if _activity_of(attempt.key) == self._activity:
            record = StepRecord(
                id=step, key=attempt.key, attempt=attempt.attempt, failure=attempt.failure, detail=attempt.detail,
                reply=attempt.reply, prompt=tuple(prompt), has_move=has_move,
            )  # fmt: skip
            self._recorded.setdefault(attempt.key.step, []).append(record)

    def record_tool_use(self, use: ToolUse) -> None:
        """Record what a tool brought that an attempt had asked for; what is on record already stays."""
        with self._written(Failpoint.RECORD_TOOL_USE) as stores:
            self._renewed(self._lease.fence(stores.connection))
            stores.tool_uses.add(use, self._lease.token)
        for recorded in self._recorded.values():
            recorded[:] = [
                record.model_copy(update={"tool_use": use}) if record.id == use.step else record for record in recorded
            ]

    def move(self, move: Move, point: Failpoint = Failpoint.MOVE) -> None:
        """Make a move that no model call stands behind, in a fenced transaction of its own."""
        with self._written(point) as stores:
            self._renewed(self._lease.fence(stores.connection))
            move(stores, 0)
            done = self._write_deferred(stores)
        del self._deferred[:done]

    def move_late(self, record: StepRecord, move: Move) -> None:
        """Make the move of a step that was recorded without one, as when what follows it has changed since."""

        def late(stores: Stores, _: int) -> None:
            move(stores, record.id)
            mark_moved(stores.connection, record.id)

        self.move(late)
        self._activity = None

    def defer(self, write: Callable[[Stores], None]) -> None:
        """Have `write` run inside the next record's or move's transaction, so that it costs no commit.

        It is kept until such a transaction has committed, so it may run more than once and must not
        mind; a paid reply stands in the same transaction, so it must not fail either.
        """
        self._deferred.append(write)

    def _write_deferred(self, stores: Stores) -> int:
        for write in self._deferred:
            write(stores)
        return len(self._deferred)

    def renew(self) -> None:
        """Renew the lease during a long call, and hear whether a stop was asked for."""
        with self.fenced(Failpoint.RENEW_LEASE):
            pass

    def keep(self) -> None:
        """Renew the lease if it has not been for long, as after a sleep, so that nothing is paid for a lost book."""
        if time.monotonic() - self.last_renewed > self._lease.seconds / 2:  # awake, the heartbeat is sooner
            self.renew()

    @contextmanager
    def fenced(self, point: Failpoint) -> Iterator[Connection]:
        """A transaction under the lease that touches none of the book's steps; from any thread."""
        with self._storage.database.write(point) as connection:
            self._renewed(self._lease.fence(connection))
            yield connection

    @property
    def silence(self) -> float:
        """Seconds, the longest time for which the lease was not renewed, until it is forgotten."""
        return max(self._longest_silence, time.monotonic() - self.last_renewed)

    def forget_silence(self) -> None:
        """Measure anew from here."""
        self._longest_silence = 0.0

    def _renewed(self, heard: HolderNews) -> None:
        self.stop_requested = self.stop_requested or heard.is_stop_asked
        self.edits_wait = heard.edits_wait
        self._longest_silence = self.silence
        self.last_renewed = time.monotonic()

    def _remember(self, hashes: dict[str, str]) -> None:
        for key in hashes:
            self._known[key] = None
            self._known.move_to_end(key)
        while len(self._known) > _KNOWN_TEXTS:
            self._known.popitem(last=False)


def _activity_of(key: StepKey) -> tuple[Any, ...]:
    return key.book, key.node, key.revision, key.activity, key.round


def _bill(reply: Reply, intent: str) -> dict[str, Any]:
    return {
        "intent": intent,
        "calls": int(reply.model != CODE),
        "input_tokens": reply.usage.input_tokens,
        "cached_tokens": reply.usage.cached_tokens,
        "output_tokens": reply.usage.output_tokens,
        "cost": reply.cost or 0,
        "unpriced_calls": int(reply.cost is None),
    }
