"""What `doctor` looks at about models: whether each role's is known, has its key, and can be reached.

A model can also be asked two tiny questions: whether it answers, what it can do, and what that cost.
"""

import asyncio
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from bookwright.agents.backends import catalogue, endpoints
from bookwright.agents.backends.catalogue import Feature
from bookwright.agents.backends.protocol import EventKind, Prompt, Request, Sampling, StreamEvent, ToolSpec
from bookwright.agents.backends.spending import prices
from bookwright.agents.backends.windows import WindowSource, can_be_asked, found_window
from bookwright.app.doctor.health import Health, first_of
from bookwright.app.model_settings import has_key, known_model, problem_of, usd_per_million, windows_of
from bookwright.models.errors import BackendError, MissingProgram
from bookwright.models.model_name import ROLES
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.tls import system_tls

if TYPE_CHECKING:
    from bookwright.agents.backends.service import ModelService

_SECONDS = 5.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

_TOKENS = 200
_SYSTEM = "You are asked to show that you can be reached. Answer as briefly as you can."
_TOOL = ToolSpec(
    "tide_table", "Tells when it is high water in a harbour.",
    {"type": "object", "properties": {"harbour": {"type": "string"}}, "required": ["harbour"]},
)  # fmt: skip


def models(settings: Settings) -> tuple[Health, str]:
    """Whether every role has a model that can be asked as things are set."""
    names = _names(settings)
    problems = [problem for name in names if (problem := problem_of(name, settings))]
    return first_of(problems, [], ", ".join(names))


def keys(settings: Settings) -> tuple[Health, str]:
    """Which providers have a key; keys themselves are never shown."""
    present = [provider.name for provider in catalogue.PROVIDERS.values() if has_key(provider)]
    return Health.OK, ", ".join(present) or "none set; models of your own machine need none"


def reach(settings: Settings) -> tuple[Health, str]:
    """Whether the servers and programs of those models answer. No key is sent and nothing is asked of a model."""
    names = [name for name in _names(settings) if not problem_of(name, settings)]  # `models` tells the others
    providers = dict.fromkeys(catalogue.split_name(name)[0] for name in names)
    addresses = {
        provider.name: endpoints.base_url(provider, settings)
        for provider in providers
        if provider.dialect is not catalogue.Dialect.OWN
    }
    silent = [f"{name} at {address}: {why}" for name, address in addresses.items() if (why := _silence(address))]
    programs = [provider.name for provider in providers if provider.runs_program]
    silent += [why for _ in programs if (why := _trouble_with_program(settings))]
    return first_of(silent, [], ", ".join([*addresses, *programs]) or "no server is in use")


def windows(settings: Settings) -> tuple[Health, str]:
    """How much each of those models takes at once, and who says so; a server that may know is asked for it."""
    found = windows_of(_names(settings), settings)
    warnings = [
        f"{name}: its server does not tell how much it takes, {own.tokens:,} tokens are assumed; "
        f'config.toml can say it under [windows], as "{name}" = 32768'
        for name, own in found.items()
        if own.source is WindowSource.ASSUMED and can_be_asked(name, settings)
    ]
    return first_of([], warnings, ", ".join(f"{name} {own.tokens:,} {own.source}" for name, own in found.items()))


def _names(settings: Settings) -> list[str]:
    fallbacks = [name for names in settings.fallbacks.values() for name in names]
    return list(dict.fromkeys([*(settings.models.get(role) or settings.model for role in ROLES), *fallbacks]))


def _trouble_with_program(settings: Settings) -> str:
    """Say why `claude` will not do; it is asked for its help and nothing else."""
    from bookwright.agents.backends.claude.program import find_program  # for this check alone

    try:
        asyncio.run(find_program(settings))
    except MissingProgram as error:
        return str(error)
    return ""


def _silence(address: str) -> str:
    """Say why a server does not answer; any answer at all is one."""
    import httpx2  # for this check alone

    is_here = urlsplit(address).hostname in _LOOPBACK
    try:
        # a proxy cannot reach this machine's own
        httpx2.head(address, timeout=_SECONDS, trust_env=not is_here, verify=system_tls())
    except httpx2.TimeoutException:
        return f"no answer in {_SECONDS:.0f} s"
    except httpx2.HTTPError as error:
        return str(error) or type(error).__name__
    return ""


class LampAnswer(BaseModel):
    """The shape that the first question asks for."""

    light: str
    """What shines, in one word."""
    hours: int
    """How long, as a number."""


@dataclass(frozen=True)
class Ability:
    """One thing that a model was asked to do."""

    name: str
    is_there: bool
    detail: str


@dataclass(frozen=True)
class ModelTrial:
    """What a model showed of itself."""

    model: str
    abilities: tuple[Ability, ...]
    window: int
    """Tokens of prompt and answer."""
    window_source: str
    usd_in: float | None
    """US dollars for a million tokens of prompt; None where no price is known."""
    usd_out: float | None
    calls: int
    input_tokens: int
    output_tokens: int
    cost_micros: int | None
    """What the questions cost, in millionths of a dollar; None where no price is known."""
    problem: str = ""
    """Why it could not be asked further; empty where it was."""

    @property
    def is_usable(self) -> bool:
        """Whether a book can be written with it."""
        return not self.problem and all(own.is_there for own in self.abilities if own.name in ("answers", "schema"))

    def facts(self) -> dict[str, Any]:
        """Return it for `--json`."""
        return asdict(self) | {"is_usable": self.is_usable}


def try_model(name: str, settings: Settings, backends: "ModelService | None" = None) -> ModelTrial:
    """Ask a model two tiny questions, which are paid, and tell what came.

    Raises:
        InvalidInput: It is unknown or cannot be asked as things are set; nothing was sent.
    """
    from bookwright.agents.backends.service import ModelService  # brings templates, which no other check needs

    name = known_model(name)
    endpoints.check_model(name, settings)
    window = found_window(name, settings)
    with closing(backends or ModelService(settings)) as service:
        asked, problem = _Asked(name, service), ""
        try:
            _ask_both(asked, name)
        except BackendError as error:
            problem = str(error)
    used = [reply.usage for reply in asked.replies]
    bills = [prices.cost(name, usage, settings) for usage in used]
    return ModelTrial(
        name, tuple(asked.abilities), window.tokens, window.source.value, *usd_per_million(name, settings),
        len(used), sum(usage.input_tokens for usage in used), sum(usage.output_tokens for usage in used),
        None if None in bills else sum(bill or 0 for bill in bills), problem,
    )  # fmt: skip


class _Asked:
    """The questions so far, with what each showed."""

    def __init__(self, model: str, service: "ModelService") -> None:
        self._model = model
        self._service = service
        self.replies: list[Reply] = []
        self.abilities: list[Ability] = []
        self.heard = 0

    def ask(self, words: str, **wanted: Any) -> Reply:
        """Ask one question."""
        self.heard = 0
        request = Request(
            model=self._model, role="doctor", name="doctor", prompt=Prompt(_SYSTEM, (words,)),
            sampling=Sampling(temperature=0.0, max_output_tokens=_TOKENS, seed=1), **wanted,
        )  # fmt: skip
        reply = self._service.ask(request, listener=self._hear)
        self.replies.append(reply)
        return reply

    def _hear(self, event: StreamEvent) -> None:
        self.heard += event.kind is EventKind.TEXT


def _ask_both(asked: _Asked, name: str) -> None:
    provider, _ = catalogue.split_name(name)
    reply = asked.ask("Name a light that sailors steer by, and how many hours it burns in a night.", output=LampAnswer)
    first = f", first word after {reply.first_event_millis:,} ms" if reply.first_event_millis is not None else ""
    said = " ".join(reply.text.split())
    asked.abilities += [
        Ability("answers", bool(reply.text.strip()), f"in {reply.duration_millis:,} ms{first}"),
        Ability("streams", asked.heard > 1, f"{asked.heard} pieces"),
        Ability("schema", _fits(reply.text), f"{catalogue.output_mode(name).value}: {said[:80]}"),
        _caching(provider, reply),
    ]
    told = "by itself" if catalogue.calls_tools(name) else "told of them in the prompt"
    from bookwright.agents.react.action import Action, read

    turn = read(asked.ask("When is it high water in Dover today? Look it up.", tools=(_TOOL,)).text)
    is_called = isinstance(turn, Action) and turn.tool == _TOOL.name
    asked.abilities.append(Ability("tools", is_called, told if is_called else f"{told}; it did not use the one it had"))


def _caching(provider: catalogue.Provider, reply: Reply) -> Ability:
    if reply.usage.cached_tokens:
        return Ability("caching", True, f"{reply.usage.cached_tokens:,} tokens of the prompt came from its cache")
    marks = {Feature.CACHE_POINTS: "marks of ours say where", Feature.CACHE_KEY: "one key a book"}
    ways = [way for feature, way in marks.items() if feature in provider.features]
    return Ability("caching", bool(ways), ", ".join(ways) or "what its server does by itself, if it does")


def _fits(text: str) -> bool:
    try:
        LampAnswer.model_validate_json(text)
    except ValidationError:
        return False
    return True
