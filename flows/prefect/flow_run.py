"""What all runs of the flow share, a worker's and a terminal's: settings, parameters, cancelling, final states."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import prefect.settings
from prefect import Flow
from prefect.client.schemas.objects import State
from prefect.settings.legacy import Setting
from prefect.states import Cancelled, Failed

from bookwright.flows.prefect.server import PrefectApi
from bookwright.models.errors import BookFailed, BookHeld, BookPaused, BookwrightError, GateWaiting

FLOW_NAME = "write-book"

_P = ParamSpec("_P")
_R = TypeVar("_R")

PATIENCE = {prefect.settings.PREFECT_API_REQUEST_TIMEOUT: 15.0, prefect.settings.PREFECT_CLIENT_MAX_RETRIES: 2}
"""Prefect's settings while a book is written: the walk must not wait for a server."""


def reaching(api: PrefectApi) -> dict[Setting, Any]:
    """Return Prefect's settings that lead to a server and let us in there."""
    login = {prefect.settings.PREFECT_API_AUTH_STRING: api.login} if api.login else {}
    return {prefect.settings.PREFECT_API_URL: api.url} | login


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
