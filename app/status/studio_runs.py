"""What a studio's Prefect server knows of books that the database does not have yet."""

import os
from collections.abc import Container
from typing import TYPE_CHECKING

from bookwright.models.settings import Settings

if TYPE_CHECKING:
    from bookwright.flows.prefect.pool import NewestRun


def not_begun(settings: Settings, begun: Container[str]) -> "list[NewestRun]":
    """Return the books that were handed in to a known server and are not begun; none where no server is known.

    Raises:
        NoPrefectServer: It does not answer.
    """
    if not os.environ.get("PREFECT_API_URL") and not (settings.home / "prefect" / "api-url").exists():
        return []
    from bookwright.flows.prefect.pool import handed_in  # Prefect takes a second to import
    from bookwright.flows.prefect.server import known_server

    api = known_server(settings)
    return [one for one in handed_in(api) if one.book not in begun] if api else []
