"""Puts spans around a held book: activities by an observer, calls by an asker, steps by a journal listener.

Whether spans are made and where they go is said by OpenTelemetry's own variables; without them nothing is imported.
"""

import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from bookwright import __version__
from bookwright.flows.deps import Deps, WrappedObserver
from bookwright.models.errors import InvalidSetting
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

    from bookwright.agents.runtime.stream import TalkAsker
    from bookwright.agents.tracing.spans import BookSpans

Answering = Callable[[str], "AbstractContextManager[Callable[[str], None]]"]
"""Opens the span of an agent's answer; what it hands out is told why none came."""

Traced = Callable[[Deps, str], "AbstractContextManager[Deps]"]
"""Opens the span of what is done with a held book, by its name; hands out what its walk needs with spans in it."""

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_EXPORTERS = {
    "grpc": "opentelemetry.exporter.otlp.proto.grpc.trace_exporter",
    "http/protobuf": "opentelemetry.exporter.otlp.proto.http.trace_exporter",
}
_CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_YES = ("true", "span_only", "span_and_event")
_FLUSH_MILLIS = 2_000
"""What the end of a book waits for a collector at the most; the rest goes out at the end of the process."""


def untraced() -> Traced:
    """Return what makes no spans: for rehearsals, and where nobody asked for any."""
    return lambda deps, name: nullcontext(deps)


def tracing_as_set() -> Traced:
    """Return what the environment asks for: spans, or nothing; raise `InvalidSetting` if it cannot have them."""
    return traced_by(provider_as_set(), captures_texts=captures_texts()) if is_on() else untraced()


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
            provider.force_flush(_FLUSH_MILLIS)

    return traced


def talk_tracing_as_set(models: "TalkAsker", book: str = "") -> "tuple[TalkAsker, Answering]":
    """Return who is to be asked in a talk, and what stands around each of its answers, as the environment asks for it.

    Without spans that is the same asker, and nothing. Raises what `tracing_as_set` does.
    """
    if not is_on():
        return models, lambda agent: nullcontext(lambda kind: None)
    from bookwright.agents.tracing.spans import TalkSpans

    spans = TalkSpans(provider_as_set(), models, book, captures_texts=captures_texts())
    return spans, spans.answer


@dataclass
class _TracedObserver(WrappedObserver):
    """Another observer, with a span around each activity."""

    spans: "BookSpans"

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        """Do the work in a span."""
        with self.spans.activity(activity, node):
            self.inner.run(activity, node, work)


def is_on(environment: Mapping[str, str] = os.environ) -> bool:
    """True where the environment names a collector, or asks for the OTLP exporter.

    Raises:
        InvalidSetting: It asks for another exporter, which we have not.
    """
    exporter = environment.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true" or exporter == "none":
        return False
    if exporter not in ("", "otlp"):
        raise InvalidSetting(f"OTEL_TRACES_EXPORTER is {exporter!r}; spans go out by 'otlp', or nowhere with 'none'")
    return bool(exporter) or any(environment.get(name) for name in ENDPOINTS)


def protocol(environment: Mapping[str, str] = os.environ) -> str:
    """Return how the collector is spoken to; where nothing is said gRPC, as OpenTelemetry for Python does.

    Raises:
        InvalidSetting: Nobody knows it.
    """
    chosen = next((environment[name] for name in _PROTOCOLS if environment.get(name)), "grpc")
    if chosen not in _EXPORTERS:
        raise InvalidSetting(f"OTEL_EXPORTER_OTLP_PROTOCOL is {chosen!r}; there are {' and '.join(_EXPORTERS)}")
    return chosen


def captures_texts(environment: Mapping[str, str] = os.environ) -> bool:
    """True where prompts and answers are wanted in the spans."""
    return environment.get(_CAPTURE, "").strip().lower() in _YES


@cache
def provider_as_set() -> "TracerProvider":
    """Return what makes this process's spans and sends them, set up by the environment when first asked for.

    Raises:
        InvalidSetting: A package is missing, or a variable means nothing.
    """
    name = protocol()
    try:
        exporter: SpanExporter = import_module(_EXPORTERS[name]).OTLPSpanExporter()
    except ImportError as error:
        raise InvalidSetting(
            f"spans cannot be sent by {name}: {error.name} is not installed; `pip install 'bookwright[tracing]'` "
            "brings it, and OTEL_SDK_DISABLED=true does without"
        ) from error
    from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    logging.getLogger("opentelemetry").addHandler(logging.NullHandler())  # a collector that is away is no news a call
    ours = {SERVICE_VERSION: __version__}
    if "OTEL_SERVICE_NAME" not in os.environ and "service.name" not in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", ""):
        ours[SERVICE_NAME] = "bookwright"
    made = TracerProvider(resource=Resource.create(ours))
    made.add_span_processor(BatchSpanProcessor(exporter))
    return made
