"""What `doctor` looks at about models: whether each role's is known, has its key, and can be reached."""

import asyncio
from urllib.parse import urlsplit

from bookwright.agents.backends import catalogue, endpoints
from bookwright.agents.backends.windows import WindowSource, can_be_asked
from bookwright.app.doctor.health import Health, first_of
from bookwright.app.orders.role_models import problem_of, provider_state, windows_of
from bookwright.models.errors import MissingProgram
from bookwright.models.model_name import ROLES
from bookwright.models.settings import Settings
from bookwright.tls import system_tls

_SECONDS = 5.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def models(settings: Settings) -> tuple[Health, str]:
    """Whether every role has a model that can be asked as things are set."""
    names = _names(settings)
    problems = [problem for name in names if (problem := problem_of(name, settings))]
    return first_of(problems, [], ", ".join(names))


def keys(settings: Settings) -> tuple[Health, str]:
    """Which providers have a key; keys themselves are never shown."""
    states = [provider_state(provider, settings) for provider in catalogue.PROVIDERS.values()]
    present = [state.provider for state in states if state.has_key]
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
    untold = [
        name for name, own in found.items() if own.source is WindowSource.ASSUMED and can_be_asked(name, settings)
    ]
    warnings = [
        f"{name}: its server does not tell how much it takes, {found[name].tokens:,} tokens are assumed; "
        f'config.toml can say it under [windows], as "{name}" = 32768'
        for name in untold
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
