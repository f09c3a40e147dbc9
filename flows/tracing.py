"""Puts spans around a held book: activities by an observer, calls by an asker, steps by a journal listener."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bookwright.agents.tracing import export
from bookwright.flows.deps import Deps, WrappedObserver
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.sdk.trace import TracerProvider

    from bookwright.agents.runtime.stream import TalkAsker
    from bookwright.agents.tracing.spans import BookSpans

Answering = Callable[[str], "AbstractContextManager[Callable[[str], None]]"]
"""Opens the span of an agent's answer; what it hands out is told why none came."""

Traced = Callable[[Deps, str], "AbstractContextManager[Deps]"]
"""Opens the span of what is done with a held book, by its name; hands out what its walk needs with spans in it."""


def untraced() -> Traced:
    """Return what makes no spans: for rehearsals, and where nobody asked for any."""
    return lambda deps, name: nullcontext(deps)


def tracing_as_set() -> Traced:
    """Return what the environment asks for: spans, or nothing; raise `InvalidSetting` if it cannot have them."""
    if not export.is_on():
        return untraced()
    return traced_by(export.provider(), captures_texts=export.captures_texts())


def traced_by(provider: "TracerProvider", *, captures_texts: bool = False) -> Traced:
    """Return what makes spans by a provider, which sends them."""
    from bookwright.agents.tracing.spans import BookSpans, attempt_listener

    @contextmanager
    def traced(deps: Deps, name: str) -> Iterator[Deps]:
        spans = BookSpans(provider, deps.desk.models, deps.storage.book, captures_texts=captures_texts)
        journal = deps.desk.journal
        journal.on_recorded = attempt_listener(spans, journal.on_recorded)
        desk = replace(deps.desk, models=spans)
        try:
            with spans.flow(name):
                yield replace(deps, desk=desk, observer=_TracedObserver(deps.observer, spans))
        finally:
            provider.force_flush(export.FLUSH_MILLIS)

    return traced


def talk_tracing_as_set(models: "TalkAsker", book: str = "") -> "tuple[TalkAsker, Answering]":
    """Return who is to be asked in a talk, and what stands around each of its answers, as the environment asks for it.

    Without spans that is the same asker, and nothing. Raises what `tracing_as_set` does.
    """
    if not export.is_on():
        return models, lambda agent: nullcontext(lambda kind: None)
    from bookwright.agents.tracing.spans import TalkSpans

    spans = TalkSpans(export.provider(), models, book, captures_texts=export.captures_texts())
    return spans, spans.answer


@dataclass
class _TracedObserver(WrappedObserver):
    """Another observer, with a span around each activity."""

    spans: "BookSpans"

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        """Do the work in a span."""
        with self.spans.activity(activity, node):
            self.inner.run(activity, node, work)
