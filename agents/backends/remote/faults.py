"""Translates exceptions of pydantic-ai and the SDKs into our two kinds of error, with one clear line each."""

import re

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelTimeoutError,
    UserError,
)

from bookwright.agents.backends.endpoints import Endpoint, on_one_line
from bookwright.models.errors import BackendError, BackendUnavailable, RequestRejected

_RETRIED_STATUSES = frozenset({408, 409, 425, 429})
_OVERFLOW = re.compile(r"context (size|length|window)|prompt is too long|too many tokens", re.IGNORECASE)
_FORM = re.compile(r"response_format|json_schema|json schema|structured|grammar|tool", re.IGNORECASE)
_COMPLAINTS = {
    "rate_limit": "asks for fewer requests",
    "overloaded": "is overloaded",
    "timeout": "did not accept a connection in time at {url}",
    "server": "had an error of its own",
    "connection": "cannot be reached at {url}",
    "broken_stream": "broke off its answer",
}


def translate(error: Exception, endpoint: Endpoint, *, has_begun: bool) -> BackendError:
    """Say what an error of the library means for us; `has_begun` where some of the answer came before it."""
    detail = on_one_line(_provider_words(error) or str(error) or type(error).__name__, endpoint.api_key)
    if isinstance(error, UserError):
        return RequestRejected(f"{_name(endpoint)} cannot be asked this way: {detail}")
    if _is_rejection(error):
        return RequestRejected(_rejection(error, endpoint, detail))
    kind = "broken_stream" if has_begun and isinstance(error, ModelConnectionError) else _kind(error)
    return BackendUnavailable(
        f"{_name(endpoint)} {_COMPLAINTS[kind].format(url=endpoint.base_url)}: {detail}",
        kind=kind,
        retry_after=error.retry_after if isinstance(error, ModelAPIError) else None,
    )


def refuses_form(error: Exception) -> bool:
    """Tell whether a provider, or the library for it, refuses the way in which JSON was asked for."""
    is_other_status = isinstance(error, ModelHTTPError) and error.status_code not in (400, 422)
    if is_other_status or isinstance(error, ModelContextWindowExceededError):
        return False
    return isinstance(error, UserError | ModelHTTPError) and _FORM.search(error.message) is not None


def _is_rejection(error: Exception) -> bool:
    if isinstance(error, ModelQuotaExceededError):
        return True
    status = error.status_code if isinstance(error, ModelHTTPError) else 0
    return 400 <= status < 500 and status not in _RETRIED_STATUSES


def _rejection(error: Exception, endpoint: Endpoint, detail: str) -> str:
    name, provider = _name(endpoint), endpoint.provider
    status = f" ({error.status_code})" if isinstance(error, ModelHTTPError) else ""
    match error:
        case ModelQuotaExceededError():
            return f"{provider.name}: the account's credit or quota is used up; top it up, then resume. {detail}"
        case ModelAuthenticationError():
            variables = " or ".join(provider.key_variables) or "the API key"
            return f"{name} refuses the API key{status}; check {variables}. {detail}"
        case ModelNotFoundError():
            return f"{provider.name} has no model {endpoint.model!r} at {endpoint.base_url}{status}. {detail}"
        case _ if isinstance(error, ModelContextWindowExceededError) or _OVERFLOW.search(detail):
            return f"the prompt does not fit the context window of {name}{status}; choose a model with more. {detail}"
        case _:
            return f"{name} refuses the request{status}. {detail}"


def _kind(error: Exception) -> str:
    match error:
        case ModelRateLimitError():
            return "rate_limit"
        case ModelOverloadedError():
            return "overloaded"
        case ModelTimeoutError():
            return "timeout"
        case ModelHTTPError():
            return "server"
        case ModelConnectionError(phase="connect" | "pool" | "write"):
            return "connection"
        case _:
            return "broken_stream"


def _provider_words(error: Exception) -> str:
    """Find the `message` in an error body, with or without an `error` around it."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        message = inner.get("message") if isinstance(inner, dict) else inner
        return message if isinstance(message, str) else ""
    return ""


def _name(endpoint: Endpoint) -> str:
    return f"{endpoint.provider.name}:{endpoint.model}"
