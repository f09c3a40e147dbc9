"""A session of `requests` that takes an answer only up to a size and a time."""

from time import monotonic
from typing import Any

import requests

_LARGEST = 4_000_000
_AT_ONCE = 65_536


class BoundedSession(requests.Session):
    """For clients that take a session and read whole answers. It follows no redirects: an API has none."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self.headers["Accept-Encoding"] = "gzip"

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
        """Send, and read the answer within the bounds.

        Raises:
            requests.RequestException: It is too long, too slow, broken off, or a redirect.
        """
        end = monotonic() + self._seconds
        response = super().send(request, **kwargs | {"stream": True, "allow_redirects": False})
        with response:
            if response.is_redirect:
                raise requests.TooManyRedirects("the server sends on to another address", response=response)
            body = bytearray()
            for chunk in response.iter_content(_AT_ONCE):
                body += chunk
                if len(body) > _LARGEST:
                    raise requests.exceptions.ContentDecodingError("the answer is too long", response=response)
                if monotonic() > end:
                    raise requests.ReadTimeout("the answer takes too long", response=response)
            response._content = bytes(body)  # what `requests` itself keeps a read body in
        return response
