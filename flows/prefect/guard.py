"""The guard before Prefect's server: lets in only requests to the server's own name and from its own pages.

A browser lets any page send requests to this machine, and a page whose name was rebound to it even read the
answers. What is no browser passes here and is asked for the login by Prefect.
"""

from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

_FOREIGN_NAME, _FOREIGN_PAGE = 421, 403

_POLICY = (
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; form-action 'self'"
)
"""What the UI's pages may load: nothing from elsewhere. Prefect's ask a service of analytics, whatever is set."""
_ITS_OWN = ("same-origin", "none")


class PageGuard:
    """Refuses, before `app` hears of it, what a foreign page or a foreign name sends."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = {f"{scheme}://{host}" for scheme in ("http", "https") for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on, one connection."""
        if scope["type"] in ("http", "websocket"):
            headers = Headers(scope=scope)
            refusal = self.refused_name(headers) or self.refused_page(scope, headers)
            if refusal is not None:
                await (refusal if scope["type"] == "http" else WebSocketClose(1008))(scope, receive, send)
                return
        await self._app(scope, receive, _with_policy(send))

    def refused_name(self, headers: Headers) -> PlainTextResponse | None:
        """The server is asked for by a name that is not its own, as a rebound one is."""
        name = headers.get("host", "")
        if name in self._hosts:
            return None
        known = ", ".join(sorted(self._hosts))
        advice = f"this server answers to {known}; name others as server_hosts in config.toml\n"
        return PlainTextResponse(f"{name[:100]!r} is not its name: {advice}", _FOREIGN_NAME)

    def refused_page(self, scope: Scope, headers: Headers) -> PlainTextResponse | None:
        """A page of another origin asks. A person may follow a link from there; nothing else is let in."""
        origin = headers.get("origin")
        is_foreign = origin is not None and origin not in self._origins
        if headers.get("sec-fetch-site", "none") not in _ITS_OWN:
            is_foreign |= scope.get("method") != "GET" or headers.get("sec-fetch-dest") != "document"
        return (
            PlainTextResponse("a page of another origin asks; it is not heard\n", _FOREIGN_PAGE) if is_foreign else None
        )


def _with_policy(send: Send) -> Send:
    async def send_with_policy(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Content-Security-Policy"] = _POLICY
            headers["Referrer-Policy"] = "no-referrer"
        await send(message)

    return send_with_policy
