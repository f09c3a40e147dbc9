"""The providers as data: address, keys and features of each; and what is known of a model by its name."""

import re
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from bookwright.models.errors import UnknownModel
from bookwright.models.text.hints import did_you_mean


class OutputMode(StrEnum):
    """How a reply of a given shape is asked for."""

    NATIVE = "native"
    """The provider's own JSON schema mode, not strict."""
    TOOL = "tool"
    """The arguments of a tool that must be called, not strict."""
    PROMPTED = "prompted"
    """The schema stands at the end of the prompt."""


class Dialect(StrEnum):
    """Which API a provider speaks."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    OWN = "own"
    """A backend of ours, in process."""


class Feature(StrEnum):
    """What a provider takes beyond the common core."""

    SEED = "seed"
    EXTRA = "extra"
    """llama.cpp's own sampling fields."""
    PREFILL = "prefill"
    """Goes on from an unfinished assistant message."""
    CACHE_KEY = "cache_key"
    CACHE_POINTS = "cache_points"
    JSON_OBJECT = "json_object"
    """A mode for JSON of any shape, for use beside a prompted schema."""
    NEW_LIMIT = "new_limit"
    """`max_completion_tokens` in place of `max_tokens`."""
    TOOLS = "tools"
    """Models call tools by themselves; where there is none, the text form is asked for in the prompt."""


class WindowRoute(StrEnum):
    """Where a server tells how much its models take."""

    OLLAMA = "ollama"
    """`/api/show` and `/api/ps`."""
    LLAMACPP = "llamacpp"
    """`/props`."""
    LIST = "list"
    """`/v1/models`."""
    ANY = "any"
    """Whichever of the last two answers."""


@dataclass(frozen=True)
class Provider:
    """A provider and what holds for all its models, but for those that a pattern names."""

    name: str
    dialect: Dialect
    base_url: str = ""
    url_variables: tuple[str, ...] = ()
    """Environment variables that may hold another address; the first one set wins."""
    key_variables: tuple[str, ...] = ()
    needs_key: bool = False
    is_free: bool = False
    """Runs on the author's own machine; every call costs 0."""
    output_mode: OutputMode = OutputMode.NATIVE
    output_overrides: tuple[tuple[str, OutputMode], ...] = ()
    """Patterns of model names that need another mode; the first match wins."""
    without_tools: tuple[str, ...] = ()
    """Patterns of model names that call no tools, or want their thoughts back with each answer of one."""
    context_window: int = 32_768
    """Tokens, for models of which nobody knows better."""
    window_route: WindowRoute | None = None
    """Where its servers tell how much a model takes; None where that is not asked."""
    price_lists: tuple[str, ...] = ()
    """Providers of genai-prices to look the model up at, in order."""
    features: frozenset[Feature] = frozenset()
    runs_program: bool = False
    """Is a program on this machine; `claude_path` says where."""
    max_attempts: int | None = None
    """The most tries of a call, where the provider tries again by itself."""
    overhead_tokens: int = 0
    """What it may put before a prompt on its own account."""

    @property
    def is_remote(self) -> bool:
        """Whether a server stands behind it; what runs in process or as a program is ours to know."""
        return self.dialect is not Dialect.OWN


_CLAUDE_KINDS = ("fable", "opus", "sonnet", "haiku")
_LOCAL = frozenset({Feature.SEED, Feature.EXTRA, Feature.PREFILL})
_LIST = (
    Provider(
        "anthropic", Dialect.ANTHROPIC, "https://api.anthropic.com", ("ANTHROPIC_BASE_URL",), ("ANTHROPIC_API_KEY",),
        needs_key=True, output_mode=OutputMode.TOOL, context_window=200_000, price_lists=("anthropic",),
        # these think, and while they do no tool can be forced; one that may be left out often is
        output_overrides=tuple((f"claude-{kind}-5*", OutputMode.PROMPTED) for kind in _CLAUDE_KINDS),
        without_tools=tuple(f"claude-{kind}-5*" for kind in _CLAUDE_KINDS),
        features=frozenset({Feature.CACHE_POINTS, Feature.TOOLS}),
    ),
    Provider(
        "openai", Dialect.OPENAI, "https://api.openai.com/v1", ("OPENAI_BASE_URL",), ("OPENAI_API_KEY",),
        needs_key=True, context_window=128_000, price_lists=("openai",),
        features=frozenset(
            {Feature.SEED, Feature.CACHE_KEY, Feature.JSON_OBJECT, Feature.NEW_LIMIT, Feature.TOOLS}
        ),
    ),
    Provider(
        "deepseek", Dialect.OPENAI, "https://api.deepseek.com", ("DEEPSEEK_BASE_URL",), ("DEEPSEEK_API_KEY",),
        needs_key=True, output_mode=OutputMode.PROMPTED, context_window=64_000, price_lists=("deepseek",),
        without_tools=("deepseek-v4*", "deepseek-flash*", "deepseek-reasoner*", "*r1*"),
        features=frozenset({Feature.JSON_OBJECT, Feature.TOOLS}),
    ),
    Provider(
        "qwen", Dialect.OPENAI, "https://dashscope.aliyuncs.com/compatible-mode/v1", ("DASHSCOPE_BASE_URL",),
        ("DASHSCOPE_API_KEY",), needs_key=True, output_mode=OutputMode.PROMPTED, context_window=131_072,
        features=frozenset({Feature.SEED, Feature.TOOLS}),
    ),
    Provider(
        "zhipu", Dialect.OPENAI, "https://open.bigmodel.cn/api/paas/v4", ("GLM_BASE_URL", "ZHIPU_BASE_URL"),
        ("GLM_API_KEY", "ZHIPU_API_KEY"), needs_key=True, output_mode=OutputMode.PROMPTED, context_window=128_000,
        price_lists=("zhipuai", "zai"), features=frozenset({Feature.JSON_OBJECT, Feature.TOOLS}),
    ),
    Provider(
        "openrouter", Dialect.OPENAI, "https://openrouter.ai/api/v1", ("OPENROUTER_BASE_URL",),
        ("OPENROUTER_API_KEY",), needs_key=True, output_mode=OutputMode.TOOL, price_lists=("openrouter",),
        output_overrides=tuple((f"anthropic/claude-{kind}-5*", OutputMode.PROMPTED) for kind in _CLAUDE_KINDS),
        without_tools=(*(f"anthropic/claude-{kind}-5*" for kind in _CLAUDE_KINDS), "deepseek/*"),
        features=frozenset({Feature.SEED, Feature.CACHE_POINTS, Feature.TOOLS}),
    ),
    Provider(
        "ollama", Dialect.OPENAI, "http://127.0.0.1:11434/v1", ("OLLAMA_BASE_URL",), ("OLLAMA_API_KEY",),
        is_free=True, context_window=8_192, window_route=WindowRoute.OLLAMA,
        features=frozenset({Feature.SEED, Feature.TOOLS}),
        output_overrides=(("*-cloud", OutputMode.PROMPTED),),  # takes a schema there and does not keep to it
    ),
    Provider(
        "vllm", Dialect.OPENAI, "http://127.0.0.1:8000/v1", ("VLLM_BASE_URL",), ("VLLM_API_KEY",),
        is_free=True, window_route=WindowRoute.LIST, features=frozenset({Feature.SEED}),
    ),
    Provider(
        "llamacpp", Dialect.OPENAI, "http://127.0.0.1:8080/v1", ("LLAMACPP_BASE_URL",), ("LLAMACPP_API_KEY",),
        is_free=True, context_window=8_192, window_route=WindowRoute.LLAMACPP, features=_LOCAL,
    ),
    Provider(
        "compatible", Dialect.OPENAI, "", ("LLM_BASE_URL",), ("LLM_API_KEY",), window_route=WindowRoute.ANY,
        features=frozenset({Feature.SEED}),
    ),
    Provider(
        "claude-cli", Dialect.OWN, output_mode=OutputMode.PROMPTED, context_window=200_000,
        price_lists=("anthropic",), features=frozenset({Feature.CACHE_POINTS}), runs_program=True, max_attempts=2,
        overhead_tokens=20_000,
    ),
    Provider("embedded", Dialect.OWN, is_free=True, context_window=8_192, features=_LOCAL),
    Provider("rehearsal", Dialect.OWN, is_free=True, context_window=200_000, features=frozenset({Feature.SEED})),
)  # fmt: skip
PROVIDERS = {provider.name: provider for provider in _LIST}
_UNKNOWN = Provider("unknown", Dialect.OWN)

_THINKS = re.compile(
    r"(^|/)(claude-[a-z]+-5|gpt-5\.[5-9]|gpt-5($|-)|gpt-[6-9]|o[1-9]($|-)|deepseek-(v4|flash|reasoner|r1)"
    r"|glm-(4\.[5-9]|[5-9])|qwen3(?!.*(coder|instruct|max))|qwq|.*thinking|.*reasoning)",
    re.IGNORECASE,
)


def provider_of(name: str) -> Provider:
    """Return the provider of a model; one without any feature or price where nobody knows it."""
    return PROVIDERS.get(name.partition(":")[0], _UNKNOWN)


def split_name(name: str) -> tuple[Provider, str]:
    """Tell a model's provider and its name there.

    Raises:
        UnknownModel: The provider is unknown or the name has no `provider:` part.
    """
    provider, _, model = name.partition(":")
    if not model:
        raise UnknownModel(f"a model is named provider:model, such as anthropic:claude-sonnet-5-5, not {name!r}")
    if provider not in PROVIDERS:
        hint = did_you_mean(provider, PROVIDERS, f"; providers are {', '.join(PROVIDERS)}")
        raise UnknownModel(f"no provider is called {provider!r}{hint}")
    return PROVIDERS[provider], model


def output_mode(name: str) -> OutputMode:
    """Tell how this model is asked for JSON."""
    provider, model = split_name(name)
    overrides = (mode for pattern, mode in provider.output_overrides if fnmatchcase(model.lower(), pattern))
    return next(overrides, provider.output_mode)


def calls_tools(name: str) -> bool:
    """Tell whether this model is given tools in its provider's own way."""
    provider, model = split_name(name)
    if Feature.TOOLS not in provider.features:
        return False
    return not any(fnmatchcase(model.lower(), pattern) for pattern in provider.without_tools)


def thinks(name: str) -> bool:
    """Tell whether this model thinks before it answers."""
    return provider_of(name).is_remote and _THINKS.search(name.partition(":")[2]) is not None
