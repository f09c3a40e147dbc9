"""Every way in which a provider can fail, through both SDKs."""

import asyncio
from collections.abc import Callable

import pytest
from pydantic import BaseModel
from pydantic_ai.exceptions import UserError

from bookwright.agents.backends.catalogue import PROVIDERS
from bookwright.agents.backends.protocol import EventKind, FailedAttempt, Prompt, StreamEvent
from bookwright.agents.backends.remote import faults
from bookwright.agents.backends.remote.provider import ProviderBackend
from bookwright.agents.backends.service import ModelService
from bookwright.models.errors import BackendUnavailable, RequestRejected
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from tests.agents.backends.conftest import BOTH, OPENAI, Rests, ask_for
from tests.support.fake_provider import FakeProvider

Make = Callable[..., ModelService]


class Verdict(BaseModel):
    """A shape."""

    reasoning: str
    score: int


def failures_of(service: ModelService, model: str) -> tuple[list[FailedAttempt], list[StreamEvent]]:
    failures: list[FailedAttempt] = []
    heard: list[StreamEvent] = []
    service.ask(ask_for(model), listener=heard.append, on_failure=failures.append)
    return failures, heard


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        ("429", "rate_limit"),
        ("500", "server"),
        ("502", "server"),
        ("503", "server"),
        ("504", "server"),
        ("529", "overloaded"),
        ("408", "server"),
    ],
)
def test_a_passing_status_is_tried_again(
    model: str, trouble: str, kind: str, provider: FakeProvider, make_service: Make, rests: Rests
) -> None:
    provider.script = {0: trouble}

    failures, _ = failures_of(make_service(), model)

    assert [getattr(f.error, "kind", "") for f in failures] == [kind]
    assert len(provider.ledger) == 2
    assert len(rests) == 1


@pytest.mark.parametrize("model", BOTH)
def test_retry_after_reaches_the_rest(model: str, provider: FakeProvider, make_service: Make, rests: Rests) -> None:
    provider.script = {0: "429:7", 1: "529:3"}

    make_service().ask(ask_for(model))

    assert rests == [7, 3]


@pytest.mark.parametrize("model", BOTH)
def test_retry_after_as_a_date_is_understood(
    model: str, provider: FakeProvider, make_service: Make, rests: Rests
) -> None:
    provider.script = {0: "429:Fri, 01 Jan 2100 00:00:00 GMT"}

    with pytest.raises(BackendUnavailable, match="retry_after_cap_seconds"):
        make_service().ask(ask_for(model))
    assert rests == []


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("trouble", ["reset", "eof", "error_event"])
def test_a_broken_stream_is_asked_for_again_and_its_text_kept(
    model: str, trouble: str, provider: FakeProvider, make_service: Make
) -> None:
    provider.script = {0: trouble}

    failures, heard = failures_of(make_service(), model)

    kinds = [event.kind for event in heard]
    whole = "".join(e.text for e in heard[kinds.index(EventKind.RESTARTED) :] if e.kind is EventKind.TEXT)
    assert len(failures) == 1
    assert 0 < len(failures[0].reply.text) < len(whole)
    assert whole.startswith(failures[0].reply.text)
    assert failures[0].reply.usage.is_estimate
    assert failures[0].reply.usage.output_tokens > 0
    assert kinds[-1] is EventKind.FINISHED
    assert [entry.is_whole for entry in provider.wait_closed(2)] == [False, True]


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize(
    ("trouble", "changes", "message"),
    [
        ("hang", {"first_event_seconds": 1}, "gave no answer within 1 s"),
        ("hang_mid", {"idle_seconds": 0.3}, "fell silent for 0.3 s"),
        ("drip", {"total_seconds": 2}, "did not finish within 2 s"),
    ],
)
def test_each_deadline_holds_and_the_provider_sees_the_client_leave(
    model: str, trouble: str, changes: dict[str, float], message: str, provider: FakeProvider, make_service: Make
) -> None:
    provider.script = {-1: trouble}
    failures: list[FailedAttempt] = []

    with pytest.raises(BackendUnavailable, match=message) as caught:
        make_service(max_attempts=1, **changes).ask(ask_for(model), on_failure=failures.append)

    assert caught.value.kind == "timeout"
    assert bool(failures[0].reply.text) == (trouble != "hang")
    assert not provider.wait_closed(1)[0].is_whole


def test_slow_pieces_are_no_silence(provider: FakeProvider, make_service: Make) -> None:
    provider.script = {-1: "drip"}
    provider.author = lambda prompt, schema: "Rain fell."

    reply = make_service(idle_seconds=5, first_event_seconds=5).ask(ask_for(OPENAI))

    assert reply.text == "Rain fell."


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        ("400", "refuses the request \\(400\\)"),
        ("401", "refuses the API key \\(401\\); check (OPENAI|ANTHROPIC)_API_KEY"),
        ("403", "refuses the API key \\(403\\)"),
        ("404", "has no model 'claude-sonnet-4-6'|has no model 'gpt-4.1'"),
        ("402", "credit or quota is used up"),
        ("413", "refuses the request \\(413\\)"),
        ("overflow", "does not fit the context window"),
    ],
)
def test_a_refused_request_is_not_sent_twice(
    model: str, trouble: str, message: str, provider: FakeProvider, make_service: Make
) -> None:
    provider.script = {-1: trouble}

    with pytest.raises(RequestRejected, match=message) as caught:
        make_service().ask(ask_for(model))

    assert len(provider.ledger) == 1
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize(("trouble", "finish"), [("truncate", "length"), ("refuse", "refusal"), ("empty", "stop")])
def test_the_end_of_a_reply_is_told(
    model: str, trouble: str, finish: str, provider: FakeProvider, make_service: Make
) -> None:
    provider.script = {0: trouble}

    reply = make_service().ask(ask_for(model))

    assert reply.finish_reason == finish
    assert (reply.text == "") == (trouble == "empty")
    assert len(provider.ledger) == 1


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("trouble", ["truncate", "refuse", "wrong_schema", "empty"])
def test_json_that_is_no_result_comes_back_as_it_is(
    model: str, trouble: str, provider: FakeProvider, make_service: Make
) -> None:
    provider.script = {0: trouble}

    reply = make_service().ask(ask_for(model, output=Verdict))

    with pytest.raises(ValueError, match="validation error"):
        Verdict.model_validate_json(reply.text)
    assert len(provider.ledger) == 1


@pytest.mark.parametrize("trouble", ["fence", "prose", "echo"])
def test_nothing_is_parsed_or_mended_here(trouble: str, provider: FakeProvider, make_service: Make) -> None:
    provider.script = {0: trouble}

    reply = make_service().ask(ask_for(OPENAI, output=Verdict))

    assert {"fence": "```", "prose": "Gladly.", "echo": "You write books."}[trouble] in reply.text


@pytest.mark.parametrize("model", BOTH)
def test_missing_counts_are_estimated_and_marked(model: str, provider: FakeProvider, make_service: Make) -> None:
    provider.script = {0: "no_usage"}

    usage = make_service().ask(ask_for(model)).usage

    assert usage.is_estimate
    assert usage.input_tokens > 0
    assert usage.output_tokens > 0


@pytest.mark.parametrize("model", BOTH)
def test_a_reply_without_end_is_cut_off(model: str, provider: FakeProvider, make_service: Make) -> None:
    provider.script = {0: "huge"}

    reply = make_service().ask(ask_for(model))

    assert reply.finish_reason == "length"
    assert 400 < len(reply.text) < 200_000
    assert not provider.wait_closed(1)[0].is_whole


def test_a_server_without_a_schema_mode_is_asked_in_words_from_then_on(
    provider: FakeProvider, make_service: Make
) -> None:
    provider.script = {-1: "no_schema"}
    service = make_service()

    replies = [service.ask(ask_for("compatible:any", output=Verdict)) for _ in range(2)]

    assert ["response_format" in entry.body for entry in provider.ledger] == [True, False, False]
    assert [entry.status for entry in provider.ledger] == [400, 200, 200]
    for reply in replies:
        Verdict.model_validate_json(reply.text)


def test_a_mode_that_the_library_refuses_is_given_up_as_well() -> None:
    assert faults.refuses_form(UserError("Native structured output is not supported by this model."))
    assert not faults.refuses_form(UserError("something else"))


def test_nobody_at_the_address_is_unavailable(
    provider: FakeProvider, make_service: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:1/v1")

    with pytest.raises(
        BackendUnavailable, match=r"compatible:any cannot be reached at http://127\.0\.0\.1:1/"
    ) as caught:
        make_service(max_attempts=1).ask(ask_for("compatible:any"))
    assert caught.value.kind == "connection"


def test_a_key_in_a_providers_message_is_not_passed_on(
    provider: FakeProvider, make_service: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "ordered")  # the fake's error message says this word
    provider.script = {0: "401"}

    with pytest.raises(RequestRejected) as caught:
        make_service().ask(ask_for(OPENAI))
    assert "ordered" not in str(caught.value)


@pytest.mark.parametrize("echoed", ["Ines walked", ""])
def test_a_prefill_is_never_in_the_reply(echoed: str, provider: FakeProvider, make_service: Make) -> None:
    provider.author = lambda prompt, schema: echoed + " to the pier."
    heard: list[StreamEvent] = []

    reply = make_service().ask(
        ask_for("llamacpp:any", prompt=Prompt("", ("Go on.",), prefill="Ines walked")), listener=heard.append
    )

    assert reply.text == " to the pier."
    assert "".join(event.text for event in heard if event.kind is EventKind.TEXT) == " to the pier."


def test_a_backend_of_our_own_can_stand_on_this_one(provider: FakeProvider, settings: Settings) -> None:
    backend = ProviderBackend(PROVIDERS["embedded"], settings, base_url=provider.url)

    async def ask() -> Reply:
        try:
            return await backend.complete(ask_for("embedded:smollm2", output=Verdict), lambda event: None)
        finally:
            await backend.close()

    reply = asyncio.run(ask())

    Verdict.model_validate_json(reply.text)
    assert provider.ledger[0].model == "smollm2"
