"""What is asked of the program `claude`, and what it answers."""

from collections.abc import Callable
from typing import Any

import pytest

from bookwright.agents.backends.protocol import FailedAttempt
from bookwright.agents.backends.service import ModelService
from tests.agents.backends.conftest import ask_for

MODEL = "claude-cli:claude-opus-4-6"
TEXT = "Rain fell on the harbour, and no ship came. " * 12

Make = Callable[..., ModelService]


def failures_of(service: ModelService, expected: type[Exception], **changes: Any) -> tuple[list[FailedAttempt], str]:
    """Return the tries that came to nothing and what is said of the last one."""
    failures: list[FailedAttempt] = []
    with pytest.raises(expected) as raised:
        service.ask(ask_for(MODEL, **changes), on_failure=failures.append)
    return failures, str(raised.value)
