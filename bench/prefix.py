"""What the embedded server's reuse of a prompt's beginning saves: the time to the first token, with and without."""

from contextlib import closing
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from statistics import mean

from bench.parts import HeardAsker, held_book, make_settings, walk
from bookwright.agents.backends.protocol import Prompt, Request, Sampling
from bookwright.agents.backends.service import ModelService
from bookwright.models.step import Reply

_MODEL = "embedded:smollm2"
_WORDS = 1_500
_STEPS = 2
_FIRST_TOKENS = Sampling(temperature=0.0, max_output_tokens=4, seed=1)


def first_events(folder: Path) -> dict[str, float]:
    """Ask the real model for the steps of one activity in turn, and for the same prompts each made new.

    Returns:
        Milliseconds to the first token of the second step: `shared` in turn, `cold` made new.
    """
    asked = _one_activity(folder / "book")
    settings = make_settings(folder / "model", _MODEL)
    models = ModelService(settings)
    models.ask(_first_tokens(replace(asked[0], prompt=Prompt("", ("Say yes.",)))))  # loads the model
    cold = [models.ask(_first_tokens(_made_new(request, place))) for place, request in enumerate(asked[1:])]
    shared = [models.ask(_first_tokens(request)) for request in asked][1:]
    models.close()
    return {
        "cold": _mean_millis(cold),
        "shared": _mean_millis(shared),
        "tokens": mean(reply.usage.input_tokens for reply in shared),
    }


def _one_activity(folder: Path) -> list[Request]:
    """Write a book with the rehearsal author; return the first steps of the last unit's writing."""
    settings = make_settings(folder, "rehearsal:exact")
    requests: list[Request] = []
    with closing(ModelService(settings)) as models:
        asker = HeardAsker(models, requests.append)
        with held_book(settings, asker, with_context=True, length=_WORDS, profile="standard") as deps:
            walk(deps)
    activities = [
        list(steps) for _, steps in groupby(requests, key=lambda each: (each.facts["label"], each.facts["activity"]))
    ]
    written = [steps for steps in activities if steps[0].facts["activity"] == "write" and len(steps) >= _STEPS]
    return written[-1][:_STEPS]


def _first_tokens(request: Request) -> Request:
    return replace(request, model=_MODEL, output=None, corrections=(), fallbacks=(), sampling=_FIRST_TOKENS)


def _made_new(request: Request, place: int) -> Request:
    """Return the same prompt with another first word, which no cache has seen."""
    return replace(request, prompt=replace(request.prompt, system=f"{place} {request.prompt.system}"))


def _mean_millis(replies: list[Reply]) -> float:
    return mean(reply.first_event_millis or 0 for reply in replies)
