"""Whether spans are made and where they go, by OpenTelemetry's own variables; without them nothing is imported."""

import logging
import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from bookwright import __version__
from bookwright.models.errors import InvalidSetting

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_EXPORTERS = {
    "grpc": "opentelemetry.exporter.otlp.proto.grpc.trace_exporter",
    "http/protobuf": "opentelemetry.exporter.otlp.proto.http.trace_exporter",
}
_CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_YES = ("true", "span_only", "span_and_event")
FLUSH_MILLIS = 2_000
"""What the end of a book waits for a collector at the most; the rest goes out at the end of the process."""


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
def provider() -> "TracerProvider":
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
