"""Prefect's server with checks of the guard taken away: `python -m tests.flows.prefect.undefended FILE`.

The file says which at the time, such as `host page`, so that one server can be attacked with each.
"""

import sys
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import Scope

from bookwright.flows.prefect.app import serve
from bookwright.flows.prefect.guard import PageGuard

FILE = Path(sys.argv[1])


class HalfGuard(PageGuard):
    """Lets by what the missing checks would have refused."""

    def refused_name(self, headers: Headers) -> PlainTextResponse | None:
        return None if is_missing("host") else super().refused_name(headers)

    def refused_page(self, scope: Scope, headers: Headers) -> PlainTextResponse | None:
        return None if is_missing("page") else super().refused_page(scope, headers)


def is_missing(check: str) -> bool:
    return check in FILE.read_text("utf-8").split()


if __name__ == "__main__":
    serve(HalfGuard)
