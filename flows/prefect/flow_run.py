"""What all runs of the flow share, a worker's and a terminal's: settings, final states, and a watch on their server."""

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

import httpx
import prefect.settings
from prefect import Flow
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import State, StateType
from prefect.context import FlowRunContext
from prefect.exceptions import ObjectNotFound
from prefect.settings import get_current_settings
from prefect.settings.legacy import Setting
from prefect.states import Cancelled, Failed

from bookwright.flows.prefect.server import NO_AUTHORITY, PrefectApi
from bookwright.models.errors import BookFailed, BookHeld, BookPaused, BookwrightError, GateWaiting

FLOW_NAME = "write-book"

_P = ParamSpec("_P")
_R = TypeVar("_R")

PATIENCE = {prefect.settings.PREFECT_API_REQUEST_TIMEOUT: 15.0, prefect.settings.PREFECT_CLIENT_MAX_RETRIES: 2}
"""Prefect's settings while a book is written: the walk must not wait for a server."""

Notice = Callable[[str], None]
"""Hears, as one line, that Prefect went away or came back."""

SLACK_SECONDS = 60.0
"""By how much the clocks of Prefect's server and of the database may differ."""

_ANSWER_SECONDS = 5.0
_FIRST_SILENCE_SECONDS = 5.0
_LONGEST_SILENCE_SECONDS = 60.0


def to_stderr(line: str) -> None:
    """Tell a person in a line what became of Prefect, or of a worker."""
    sys.stderr.write(f"bookwright: {line}\n")


def reaching(api: PrefectApi) -> dict[Setting, Any]:
    """Return Prefect's settings that lead to a server and let us in there."""
    login = {prefect.settings.PREFECT_API_AUTH_STRING: api.login} if api.login else {}
    has_tls = api.url.startswith("https:")
    authority = {} if has_tls else {prefect.settings.PREFECT_API_SSL_CERT_FILE: NO_AUTHORITY}
    return {prefect.settings.PREFECT_API_URL: api.url} | login | authority


class PlainFlow(Flow[_P, _R]):
    """A flow whose parameters are plain values: to tell its server of others, Prefect imports a web framework."""

    def serialize_parameters(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters as the server is told of them: as they are."""
        return dict(parameters)


def flow(**options: Any) -> Callable[[Callable[_P, _R]], PlainFlow[_P, _R]]:
    """Make a flow of a function, as Prefect's decorator of that name does, by which `prefect deploy` knows it, too."""
    return lambda function: PlainFlow(function, **options)


class RunCancelled(BookPaused):
    """The book rests because its flow run was cancelled in Prefect."""

    def __init__(self, way_on: str) -> None:
        super().__init__("the flow run was cancelled in Prefect", f"{way_on} goes on")


def ending_of(error: BookwrightError) -> State[None]:
    """Say as a state of a flow run why a walk ended before its book did.

    A book that rests because somebody wanted it to ends its run as cancelled, with the reason as the message: no
    alert on failures goes off, Completed would count it among the written books, and Prefect's own Paused would wait
    to be resumed there, while a book is resumed by any later run. What did not come about ends it as failed.
    """
    for cause in (error, error.__cause__):
        if isinstance(cause, RunCancelled):
            return Cancelled(message=str(cause))  # the only ending that Prefect takes of such a run
        if isinstance(cause, GateWaiting):
            return Cancelled(name="Waiting", message=str(cause))  # suspended where a worker would start it again
        if isinstance(cause, BookFailed):
            return Failed(name="Paused", message=str(cause))
        if isinstance(cause, BookPaused):
            return Cancelled(name="Paused", message=str(cause))
        if isinstance(cause, BookHeld):
            return Failed(name="Held", message=str(cause))  # its holder may have the same run, and would stop
    return Failed(message=str(error))


@dataclass
class ServerWatch:
    """Whether the Prefect server answers: asked before each activity, told once when it changes.

    Events for a server that is gone would pile up in this process, seven seconds of tries for
    each, so while it is silent nothing is sent and it is asked again after a while, and each time a longer one.
    """

    notice: Notice
    is_gone: bool = False
    last_error: Exception | None = None
    _ask_again: float = 0.0
    _silence: float = _FIRST_SILENCE_SECONDS
    # A health probe holds no secret and decides only what is shown.
    _probe: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=_ANSWER_SECONDS, verify=False))

    def answers(self) -> bool:
        """True if the server can be told of the next activity; a lost one is back only once it was `regained`."""
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
        return is_up

    def has_run(self, way_on: str) -> bool:
        """True if there is a flow run to show the next activity in; to be asked inside that run.

        `way_on` names what goes on with the book where it ends here. Only a wish to end is taken from the run's state.

        Raises:
            RunCancelled: Somebody cancelled it. A worker ends its process as well; a terminal's has nobody to do so.
        """
        run = own_flow_run()
        if run is None:
            return False
        try:
            state = self.client.read_flow_run(run).state
        except ObjectNotFound:
            self.forsake()
            return False
        except Exception as error:  # whatever ails Prefect, the book is written on
            self.lose(error)
            return False
        if state is not None and state.type in (StateType.CANCELLING, StateType.CANCELLED):
            raise RunCancelled(way_on)
        return True

    def lose(self, error: Exception | None) -> None:
        """Take the server for gone, and leave it alone for a while."""
        self.last_error = error
        self._ask_again = time.monotonic() + self._silence
        self._silence = min(2 * self._silence, _LONGEST_SILENCE_SECONDS)
        if not self.is_gone:
            self.is_gone = True
            reason = f" ({type(error).__name__}: {error})" if error else ""
            self.notice(f"Prefect fails{reason}; the book is written on without it")

    def insist(self) -> None:
        """Ask it now, however short a while it was left alone."""
        if not self.is_forsaken:
            self._ask_again = 0.0

    def regained(self) -> None:
        """Take the server for back, since it has taken something of what it missed."""
        self._silence = _FIRST_SILENCE_SECONDS
        if self.is_gone:
            self.is_gone = False
            self.notice("Prefect is back; what it missed is posted there")

    @property
    def is_forsaken(self) -> bool:
        """True where there is no flow run any more to show anything in."""
        return math.isinf(self._ask_again)

    @cached_property
    def client(self) -> SyncPrefectClient:
        """What the server is asked and told with, for no longer than a walk may wait."""
        return get_client(sync_client=True, httpx_settings={"timeout": _ANSWER_SECONDS})

    def forsake(self) -> None:
        """Leave the server alone for good."""
        self._ask_again = math.inf
        self.is_gone = True
        self.notice("the flow run was deleted in Prefect; the book is written on without it")


def own_flow_run() -> UUID | None:
    """Return the flow run that this is called in."""
    context = FlowRunContext.get()
    return context.flow_run.id if context is not None and context.flow_run is not None else None


def handed_in_at() -> float:
    """Return when the flow run that this is called in was made, as early as clocks may have it; 0 if nobody knows."""
    context = FlowRunContext.get()
    made = context.flow_run.created if context is not None and context.flow_run is not None else None
    return made.timestamp() - SLACK_SECONDS if made else 0.0
