"""Who may come in: this machine's browser alone, by the one-time address, and never a page of somebody else."""

import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 8_000_000
"""Of a request's body: a manuscript's longest unit, many times over."""
TOKEN_HEADER = "x-studio-token"
ENTRANCE = "/enter"

_READING = ("GET", "HEAD")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
}  # fmt: skip
_STRANGER = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Bookwright</title>
<h1>This address has been used</h1>
<p>The studio opens once by the address that <code>bookwright studio</code> prints, and remembers this browser from then
on. Start it again to get another one.</p></html>
"""
_NOTE = '<div class="note trouble"><p>{}</p></div>\n'
_OUTLIVED = "The studio was started again since: load this page anew. What you typed in the editor is kept."


@dataclass
class StudioKeys:
    """What opens one studio, for as long as it runs."""

    port: int
    entrance: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """Taken once; empty from then on."""
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """In the browser's cookie."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """On its pages; every write brings it."""

    @property
    def host(self) -> str:
        """The only name that the studio answers to."""
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self) -> str:
        """Where its own pages come from."""
        return f"http://{self.host}"

    @property
    def cookie(self) -> str:
        """The cookie's name: browsers keep one jar for all ports of a host."""
        return f"bookwright_{self.port}"

    @property
    def address(self) -> str:
        """The address that opens the studio, once."""
        return f"{self.origin}{ENTRANCE}?token={self.entrance}"

    def take_entrance(self, token: str) -> bool:
        """Let somebody in by the one-time token; False if it is another, or was used."""
        is_it = bool(self.entrance) and secrets.compare_digest(token.encode(), self.entrance.encode())
        if is_it:
            self.entrance = ""
        return is_it


class StudioGuard:
    """Refuses, before the pages hear of it, whatever does not come from the studio's own page."""

    def __init__(self, app: ASGIApp, keys: StudioKeys) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on, one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = self._refusal(scope, Headers(scope=scope)) or self._entrance(scope)
        told = _with_headers(send, is_kept=scope["path"].startswith("/static/"))
        await (answer or self._app)(scope, _bounded(receive), told)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        if headers.getlist("host") != [self._keys.host]:
            return PlainTextResponse(f"the studio answers to {self._keys.host} alone\n", 421)
        if scope["method"] in _READING:
            return _foreign_look(headers)
        return self._foreign_write(headers)

    def _foreign_write(self, headers: Headers) -> Response | None:
        """A page on another port is of the same site and has the cookie: origin and token tell it apart."""
        is_near = headers.get("sec-fetch-site", "same-origin") == "same-origin"
        if not is_near or headers.get("origin") != self._keys.origin:
            return PlainTextResponse("this did not come from the studio's own page\n", 403)
        if not self._is_known(headers):
            return HTMLResponse(_STRANGER, 401)
        if not secrets.compare_digest(headers.get(TOKEN_HEADER, "").encode(), self._keys.token.encode()):
            return HTMLResponse(_NOTE.format(_OUTLIVED), 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            return HTMLResponse(_NOTE.format(f"This is more than {MOST_BYTES:,} bytes."), 413)
        return None

    def _entrance(self, scope: Scope) -> Response | None:
        """Let a browser in, or turn away one that is not known."""
        headers = Headers(scope=scope)
        if scope["path"] == ENTRANCE and scope["method"] == "GET":
            return self._let_in(QueryParams(scope["query_string"]).get("token", ""), headers)
        return None if self._is_known(headers) else HTMLResponse(_STRANGER, 401)

    def _let_in(self, token: str, headers: Headers) -> Response:
        if not self._keys.take_entrance(token) and not self._is_known(headers):
            return HTMLResponse(_STRANGER, 401)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._keys.cookie, self._keys.session, path="/", httponly=True, samesite="strict")
        return answer

    def _is_known(self, headers: Headers) -> bool:
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self._keys.cookie)
        except CookieError:
            return False
        return morsel is not None and secrets.compare_digest(morsel.value.encode(), self._keys.session.encode())


def _foreign_look(headers: Headers) -> Response | None:
    """A person may follow a link from anywhere; a page elsewhere may load nothing of ours."""
    is_near = headers.get("sec-fetch-site", "none") in ("same-origin", "none")
    if is_near or headers.get("sec-fetch-dest") == "document":
        return None
    return PlainTextResponse("a page elsewhere asks; it is not heard\n", 403)


def _bounded(receive: Receive) -> Receive:
    """Stop reading a body that says less of its length than comes."""
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if taken > MOST_BYTES else message

    return bounded


def _with_headers(send: Send, *, is_kept: bool) -> Send:
    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(_HEADERS)
            headers["Cache-Control"] = "no-cache" if is_kept else "no-store"
        await send(message)

    return told
