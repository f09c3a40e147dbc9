"""What changes while somebody looks on: one look a half second for all listeners, told as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from sqlalchemy.exc import DBAPIError

from bookwright.agents.runtime.events.event_file import event_path
from bookwright.models.errors import BookwrightError
from bookwright.studio.state import StudioState

router = APIRouter()

LOOK_SECONDS = 0.5
_QUIET_LOOKS = 30
"""After so many looks without news a line is sent all the same, so that a broken connection is found."""
_MOST_WAITING = 50


class Broadcast:
    """Looks for what has changed, for as long as anybody listens, and tells every listener."""

    def __init__(self, studio: StudioState) -> None:
        self._studio = studio
        self._listeners: set[asyncio.Queue[str]] = set()
        self._task: asyncio.Task[None] | None = None
        self._stamps: dict[str, object] = {}
        self._said: dict[str, object] = {}

    async def listen(self) -> AsyncIterator[str]:
        """Yield events until the listener leaves."""
        queue: asyncio.Queue[str] = asyncio.Queue(_MOST_WAITING)
        self._listeners.add(queue)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look_on())
        try:
            yield _event({"hello": True})
            while True:
                yield await queue.get()
        finally:
            self._listeners.discard(queue)

    async def _look_on(self) -> None:
        await run_in_threadpool(self._news)  # what stands now is no news
        quiet = 0
        while self._listeners:
            await asyncio.sleep(LOOK_SECONDS)
            news = await run_in_threadpool(self._news)
            quiet = 0 if news else quiet + 1
            if news or quiet % _QUIET_LOOKS == 0:
                self._tell(_event(news) if news else ": nothing new\n\n")

    def _tell(self, event: str) -> None:
        for queue in self._listeners:
            with suppress(asyncio.QueueFull):  # it will look again with the next one that it takes
                queue.put_nowait(event)

    def _news(self) -> dict[str, list[str]]:
        """Return the books that changed since the last look, and those whose workers said something."""
        try:
            statuses = self._studio.library.statuses()
        except (BookwrightError, DBAPIError):
            return {}
        runs = self._studio.runs
        stamps: dict[str, object] = {status.id: (*status.stamp, runs.is_starting(status.id)) for status in statuses}
        said = {status.id: self._size(status.id) for status in statuses if status.is_held}
        changed = [book for book in stamps.keys() | self._stamps.keys() if stamps.get(book) != self._stamps.get(book)]
        speaking = [book for book, size in said.items() if size != self._said.get(book)]
        self._stamps, self._said = stamps, said
        for status in statuses:
            if status.id in changed and not status.is_held:
                self._studio.take_in(status.id)
        news = {"changed": sorted(changed), "said": sorted(speaking)}
        return {name: books for name, books in news.items() if books}

    def _size(self, book: str) -> object:
        try:
            stat = event_path(self._studio.settings.home, book).stat()
        except OSError:
            return None
        return stat.st_ino, stat.st_size


@router.get("/live")
async def live(request: Request) -> StreamingResponse:
    """Tell what changes, for as long as the connection lasts."""
    broadcast: Broadcast = request.app.state.broadcast
    return StreamingResponse(broadcast.listen(), media_type="text/event-stream")


def _event(news: object) -> str:
    return f"data: {json.dumps(news)}\n\n"
