"""The spans of a book: what they tell, what they keep to themselves, and that a book without them is the same."""

import json
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.trace import SpanKind, StatusCode

from bench.parts import counted_queries
from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.flows.stopping import Limits
from bookwright.flows.tracing import Traced, traced_by, untraced
from bookwright.models.amount import MICROS
from bookwright.models.book import Book
from bookwright.models.brief import make_brief
from bookwright.models.errors import BackendError, BookPaused
from bookwright.models.settings import Settings
from bookwright.models.step import CODE
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import BookStorage
from tests.support import novelist
from tests.support.books import make_settings
from tests.support.fake_provider import FakeProvider

BRIEF = {
    "premise": "A keeper reads a log in her own hand.", "length": 1_500, "profile": "economy", "title": "The Log",
    "max_planning_rounds": 1,
}  # fmt: skip


class Watch:
    """A provider of spans that keeps them."""

    def __init__(self, *, captures_texts: bool = False) -> None:
        self._kept = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self._kept))
        self._captures_texts = captures_texts

    def tracing(self) -> Traced:
        return traced_by(self.provider, captures_texts=self._captures_texts)

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self._kept.get_finished_spans()

    def named(self, beginning: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name.startswith(beginning)]


def settings_of(home: Path, **values: Any) -> Settings:
    return make_settings(home, free_megabytes=0, **values)


def written(
    settings: Settings, tracing: Callable[[], Traced], limits: Limits | None = None
) -> tuple[Book, list[StepLine], str]:
    """Write the book, or as far as it comes; return it with its calls and all that was answered."""
    database = open_library(settings)
    book = find_or_create(database, make_brief(BRIEF))
    with closing(ModelService(settings)) as models, suppress(BookPaused, BackendError):
        run_book(book.id, RunConfig(settings, database, models, limits=limits or Limits(), tracing=tracing))
    with BookStorage(database, book.id, book.brief.language).read() as stores:
        lines = [line for line in stores.steps.lines() if line.model != CODE]
        answers = "\n".join(stores.steps.reply(line.id) for line in lines)
        found = stores.books.get(book.id)
    database.dispose()
    return found, lines, answers


def told(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def above(span: ReadableSpan, watch: Watch) -> ReadableSpan | None:
    return next((each for each in watch.spans if span.parent and each.context.span_id == span.parent.span_id), None)


@dataclass(frozen=True)
class Watched:
    """A book that was written with spans, and how often the database was asked meanwhile."""

    watch: Watch
    book: Book
    lines: list[StepLine]
    text: str
    queries: Any


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    watch = Watch()
    with counted_queries() as queries:
        book, lines, text = written(settings_of(tmp_path_factory.mktemp("watched") / "home"), watch.tracing)
    return Watched(watch, book, lines, text, queries)


def test_flow_activity_step_and_call_stand_inside_one_another(watched: Watched) -> None:
    watch, book, lines = watched.watch, watched.book, watched.lines

    calls, [flow] = watch.named("chat "), watch.named("invoke_workflow ")
    assert len(calls) == book.calls == len(lines) > 10
    assert {span.context.trace_id for span in watch.spans} == {flow.context.trace_id}
    assert flow.parent is None
    assert told(flow)["gen_ai.workflow.name"] == "write-book"
    for call in calls:
        step = above(call, watch)
        assert step is not None
        assert step.name == "invoke_agent " + told(call)["bookwright.step"].rpartition("/")[2]
        around = above(step, watch)
        assert around is not None
        assert around is flow or "bookwright.activity" in told(around)
    in_activities = Counter(
        told(span)["bookwright.activity"] for span in watch.spans if "bookwright.activity" in told(span)
    )
    assert set(in_activities) >= {"plan", "write", "close"}
    assert {told(span)["bookwright.book"] for span in watch.spans} == {book.id}


def test_a_call_tells_its_bill_by_the_conventions_for_generative_ai(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch()
    with FakeProvider(author=novelist.write) as provider:
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        book, lines, _ = written(settings_of(tmp_path, model="openai:gpt-6.1-terra"), watch.tracing)

    calls = [told(span) for span in watch.named("chat gpt-6.1-terra")]
    known = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI_") and name.isupper()}
    assert {key for call in calls for key in call if key.startswith("gen_ai.")} <= known
    assert {span.kind for span in watch.named("chat ")} == {SpanKind.CLIENT}
    assert {call["gen_ai.provider.name"] for call in calls} == {"openai"}
    assert {call["gen_ai.operation.name"] for call in calls} == {"chat"}
    assert sum(call["gen_ai.usage.input_tokens"] for call in calls) == book.input_tokens > 0
    assert sum(call["gen_ai.usage.output_tokens"] for call in calls) == book.output_tokens > 0
    assert sum(call["gen_ai.usage.cache_read.input_tokens"] for call in calls) == book.cached_tokens
    assert round(sum(call["bookwright.cost_usd"] for call in calls) * MICROS) == book.cost > 0
    assert all(0 <= call["bookwright.cache_share"] <= 1 for call in calls)
    assert all(call["gen_ai.response.time_to_first_chunk"] >= 0 for call in calls)
    assert Counter(call["gen_ai.agent.name"] for call in calls) == Counter(line.role for line in lines)


def test_tries_that_failed_are_counted_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch()
    troubles = {1: "429:0", 2: "reset", 5: "empty"}
    with FakeProvider(author=novelist.write, script=troubles) as provider:
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        _, lines, _ = written(settings_of(tmp_path, model="openai:gpt-6.1-terra"), watch.tracing)

    told_of = Counter(told(span)["bookwright.retries"] for span in watch.named("chat "))
    undelivered = [line for line in lines if line.failure in ("unavailable", "broken_stream")]
    events = [event for span in watch.named("chat ") for event in span.events]
    assert sum(count * retries for retries, count in told_of.items()) == len(undelivered) == len(events) > 0
    assert {event.name for event in events} == {"try failed"}
    answered = [event for span in watch.named("invoke_agent ") for event in span.events]
    no_results = [line for line in lines if line.is_failed and line not in undelivered]
    assert Counter((event.attributes or {})["error.type"] for event in answered) == Counter(
        line.failure for line in [*no_results, *undelivered]
    )


def test_a_call_that_brings_nothing_ends_all_spans_around_it_as_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch()
    with FakeProvider(author=novelist.write, script={2: "401", 3: "401"}) as provider:
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        written(settings_of(tmp_path, model="openai:gpt-6.1-terra"), watch.tracing)

    failed = [span for span in watch.spans if span.status.status_code is StatusCode.ERROR]
    assert [span.name.split()[0] for span in failed][:2] == ["chat", "invoke_agent"]
    assert failed[-1].name == "invoke_workflow write-book"
    assert all(span.status.description is None for span in failed)
    assert {event.name for span in failed for event in span.events} == {"try failed", "attempt failed"}


@pytest.mark.parametrize("captures_texts", [False, True])
def test_texts_are_told_only_where_they_are_wanted(tmp_path: Path, captures_texts: bool) -> None:
    watch = Watch(captures_texts=captures_texts)

    _, _, answers = written(settings_of(tmp_path), watch.tracing, Limits(words_today=1))

    everything = json.dumps([[span.name, told(span), [str(event) for event in span.events]] for span in watch.spans])
    sentences = [line for line in answers.splitlines() if len(line) > 60]
    shown = [line for line in sentences if json.dumps(json.dumps(line)[1:-1])[1:-1] in everything]
    assert len(sentences) > 10
    assert bool(shown) is captures_texts
    assert (BRIEF["premise"] in everything) is captures_texts
    assert ("gen_ai.input.messages" in everything) is captures_texts


def test_a_book_with_spans_is_the_same_and_asks_the_database_no_more(watched: Watched, tmp_path: Path) -> None:
    book = watched.book

    with counted_queries() as without:
        plain, plain_lines, plain_text = written(settings_of(tmp_path / "plain"), untraced)

    assert watched.text == plain_text
    assert (book.calls, book.input_tokens, book.cost) == (plain.calls, plain.input_tokens, plain.cost)
    assert [(line.label, line.step) for line in watched.lines] == [(line.label, line.step) for line in plain_lines]
    assert watched.queries == without
    assert watched.watch.spans
