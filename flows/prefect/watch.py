"""What a walk asks Prefect between two activities: whether its server answers, and whether its run was cancelled."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import StateType
from prefect.context import FlowRunContext
from prefect.exceptions import ObjectNotFound
from prefect.settings import get_current_settings

from bookwright.flows.prefect.flow_run import RunCancelled

Notice = Callable[[str], None]
"""Hears, as one line, that Prefect went away or came back."""

_ANSWER_SECONDS = 5.0
_SILENT_SECONDS = 60.0


@dataclass
class ServerWatch:
    """Whether the Prefect server answers: asked before each activity, told once when it changes.

    Events for a server that is gone would pile up in this process, seven seconds of tries for
    each, so while it is silent nothing is sent and it is asked again only now and then.
    """

    notice: Notice
    is_gone: bool = False
    _ask_again: float = 0.0
    # A health probe holds no secret and decides only what is shown.
    _probe: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=_ANSWER_SECONDS, verify=False))
    _client: SyncPrefectClient | None = None

    def answers(self) -> bool:
        """True if the server can be told of the next activity."""
        if time.monotonic() < self._ask_again:
            return False
        url = get_current_settings().api.url
        try:
            is_up = url is not None and not self._probe.get(f"{url}/health").is_server_error
        except httpx.HTTPError as error:
            self.lose(error)
            return False
        if not is_up:
            self.lose(None)
        elif self.is_gone:
            self.is_gone = False
            self.notice("Prefect is back; what is done from here on is shown there")
        return is_up

    def has_run(self, book: str) -> bool:
        """True if there is a flow run to show the next activity in; to be asked inside that run.

        Nothing but a person's wish to end it is taken from the run's state.

        Raises:
            RunCancelled: Somebody cancelled it. A worker ends its process as well; a terminal's has nobody to do so.
        """
        context = FlowRunContext.get()
        if context is None or context.flow_run is None:
            return False
        try:
            state = self._asker().read_flow_run(context.flow_run.id).state
        except ObjectNotFound:
            self._forsake()
            return False
        except Exception as error:  # whatever ails Prefect, the book is written on
            self.lose(error)
            return False
        if state is not None and state.type in (StateType.CANCELLING, StateType.CANCELLED):
            raise RunCancelled(book)
        return True

    def lose(self, error: Exception | None) -> None:
        """Take the server for gone, and leave it alone for a while."""
        self._ask_again = time.monotonic() + _SILENT_SECONDS
        if not self.is_gone:
            self.is_gone = True
            reason = f" ({type(error).__name__}: {error})" if error else ""
            self.notice(f"Prefect fails{reason}; the book is written on without it")

    def _forsake(self) -> None:
        """Leave the server alone for good."""
        self._ask_again = math.inf
        self.is_gone = True
        self.notice("the flow run was deleted in Prefect; the book is written on without it")

    def _asker(self) -> SyncPrefectClient:
        if self._client is None:
            self._client = get_client(sync_client=True, httpx_settings={"timeout": _ANSWER_SECONDS})
        return self._client
