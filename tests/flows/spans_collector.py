"""A collector on 127.0.0.1 that takes spans by OTLP over gRPC and over HTTP, and keeps them."""

import gzip
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import (
    TraceServiceServicer,
    add_TraceServiceServicer_to_server,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.support.local_server import Asked, Canned, LocalServer


@dataclass
class Collector(TraceServiceServicer):
    """What was sent."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    resources: list[dict[str, str]] = field(default_factory=list)

    def Export(self, request: ExportTraceServiceRequest, context: Any) -> ExportTraceServiceResponse:
        """Take in what a program sends; the name is the protocol's."""
        for sent in request.resource_spans:
            self.resources.append({each.key: each.value.string_value for each in sent.resource.attributes})
            self.spans += [span for scope in sent.scope_spans for span in scope.spans]
        return ExportTraceServiceResponse()


@contextmanager
def grpc_collector() -> Iterator[Collector]:
    collector = Collector()
    server = grpc.server(ThreadPoolExecutor(2))
    add_TraceServiceServicer_to_server(collector, server)  # type: ignore[no-untyped-call]
    collector.url = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield collector
    finally:
        server.stop(0).wait()


@contextmanager
def http_collector() -> Iterator[Collector]:
    collector = Collector()

    def take(asked: Asked) -> Canned:
        body = gzip.decompress(asked.body) if asked.headers.get("content-encoding") == "gzip" else asked.body
        collector.asked.append(asked)
        answer = collector.Export(ExportTraceServiceRequest.FromString(body), None)
        return Canned(answer.SerializeToString(), headers={"Content-Type": "application/x-protobuf"})

    with LocalServer(take).running() as server:
        collector.url = server.url
        yield collector
