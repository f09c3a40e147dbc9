"""What the tests of a failing provider compare with."""

from collections.abc import Callable
from functools import cache

import pytest

from tests.durability.services.troubled import Calm, troubled


@pytest.fixture(scope="session")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Calm]:
    """The book as a model writes it where nothing fails; written once for each model."""

    @cache
    def write(model: str) -> Calm:
        with pytest.MonkeyPatch.context() as environment, troubled(
            tmp_path_factory.mktemp("calm"), model, {}, environment
        ) as case:  # fmt: skip
            case.write()
            case.check_accounts()
            return Calm(case.prose, tuple((attempt.activity, attempt.step) for attempt in case.attempts))

    return write
