"""Limits the rate of calls to a provider by a global concurrency limit of Prefect's, one for each provider.

All workers of a server share it, and a person sees it in the UI under Concurrency. Where the server does not answer,
the database hands out the turns.
"""

import math
import time

import httpx
from prefect.client.orchestration import get_client
from prefect.exceptions import PrefectHTTPStatusError
from prefect.settings import temporary_settings

from bookwright.agents.backends.spending.pace import DatabasePacer, Pacer, Permit
from bookwright.flows.prefect.flow_run import PATIENCE, reaching
from bookwright.flows.prefect.server import PrefectApi, known_server
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database

_LOCKED = 423
_SILENT_SECONDS = 30.0
_LONGEST_WAIT_SECONDS = 5.0
"""A turn that is further away is asked for again after so long: the limit may have been changed meanwhile."""


def shared_pacer(database: Database, settings: Settings) -> Pacer:
    """Return what hands out turns: the Prefect server that is known here, or the database where none is."""
    own = DatabasePacer(database, settings)
    api = known_server(settings) if settings.requests_per_minute else None
    return PrefectPacer(api, own, settings) if api else own


class PrefectPacer:
    """Hands out turns by a server's limits, which it makes where they are not there yet."""

    def __init__(self, api: PrefectApi, instead: Pacer, settings: Settings) -> None:
        self._api = api
        self._instead = instead
        self._rates = settings.requests_per_minute
        self._made: set[str] = set()
        self._ask_again = 0.0

    def take(self, provider: str) -> Permit:
        """Take a turn at the server, or at the database while that is silent."""
        if time.monotonic() < self._ask_again:
            return self._instead.take(provider)
        try:
            with temporary_settings(reaching(self._api) | PATIENCE):
                return self._taken(provider)
        except (httpx.TransportError, PrefectHTTPStatusError):
            self._ask_again = time.monotonic() + _SILENT_SECONDS
            return self._instead.take(provider)

    def _taken(self, provider: str) -> Permit:
        name, a_second = f"bookwright-{provider}", self._rates[provider] / 60.0
        with get_client(sync_client=True) as client:
            if name not in self._made:
                client.upsert_global_concurrency_limit_by_name(name, max(1, math.floor(a_second)), a_second)
                self._made.add(name)
            try:
                client.increment_concurrency_slots([name], 1, "rate_limit")
            except PrefectHTTPStatusError as error:
                if error.response.status_code != _LOCKED:
                    raise
                seconds = float(error.response.headers.get("Retry-After", 1.0))
                return Permit(min(max(seconds, 0.1), _LONGEST_WAIT_SECONDS), is_ours=False)
        return Permit()
