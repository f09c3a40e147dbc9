"""Prefect's server with checks of the guard taken away: `python -m tests.flows.prefect.undefended host page`."""

import sys

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import Scope

from bookwright.flows.prefect.app import serve
from bookwright.flows.prefect.guard import PageGuard

MISSING = sys.argv[1:]


class HalfGuard(PageGuard):
    """Lets by what the missing checks would have refused."""

    def refused_name(self, headers: Headers) -> PlainTextResponse | None:
        return None if "host" in MISSING else super().refused_name(headers)

    def refused_page(self, scope: Scope, headers: Headers) -> PlainTextResponse | None:
        return None if "page" in MISSING else super().refused_page(scope, headers)


if __name__ == "__main__":
    serve(HalfGuard)
