"""Nobody else commands the worker: pages in a real browser and a process try to, with each defence and without."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from prefect.client.orchestration import get_client

from bookwright.flows.prefect.flow_run import FLOW_NAME
from bookwright.flows.prefect.pool import DEPLOYMENT, on_server
from bookwright.flows.prefect.server import (
    PrefectApi,
    api_url,
    free_port,
    make_login,
    prefect_home,
    server_environment,
    stop_process,
    wait_until_up,
)
from bookwright.flows.prefect.workers import deploy
from bookwright.models.settings import Settings, load_settings
from tests.flows.prefect.hostile import OTHER_HOST, OTHER_PORT, REBOUND, hostile_server, local_process
from tests.support.browser import needs_browser, shown
from tests.support.forks import SERVER, Forks
from tests.support.prefect_database import QUIET, give_database

pytestmark = [pytest.mark.prefect, pytest.mark.slow]

PATIENCE_SECONDS = 240
LOCAL = "local process"
READ, JSON, BLOB = "read", "fetch with preflight", "fetch without preflight"


@dataclass(frozen=True)
class Victim:
    """A Prefect server with the deployment, and its owner's way in."""

    api: PrefectApi
    deployment: str

    def runs(self) -> Counter[str]:
        """How many flow runs there are of each name."""
        with on_server(self.api), get_client(sync_client=True) as client:
            return Counter(run.name for run in client.read_flow_runs(limit=200))

    def attacked(self, profile: Path) -> set[str]:
        """Attack it in every way; return the runs that came of it, and which pages could read."""
        before = self.runs()
        local_process(self.api.url, self.deployment, LOCAL)
        with hostile_server(self.api.url, self.deployment) as hostile:
            pages = hostile.attack(profile)
        assert set(pages) == {OTHER_PORT, OTHER_HOST, REBOUND}
        read = {f"{page} {READ}" for page, said in pages.items() if said["read"] == FLOW_NAME}
        return {*(self.runs() - before), *read}


@contextmanager
def served(
    settings: Settings, missing: set[str], forks: Forks, *, has_ui: bool = False, unchecked: Path | None = None
) -> Iterator[PrefectApi]:
    """Run the server of a data folder without some of Prefect's defences, and the guard's checks that a file names."""
    port = free_port()
    environment = server_environment(settings, port, has_ui=has_ui) | QUIET
    environment["PREFECT_API_BLOCKS_REGISTER_ON_START"] = "false"
    if "login" in missing:
        del environment["PREFECT_SERVER_API_AUTH_STRING"]
    if "csrf" in missing:
        environment["PREFECT_SERVER_API_CSRF_PROTECTION_ENABLED"] = "false"
    if "cors" in missing:
        environment["PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS"] = "*"
    program = ["tests.flows.prefect.undefended", str(unchecked)] if unchecked else [SERVER]
    process = forks.start(program, environment)
    try:
        wait_until_up(process, api_url(port))
        yield PrefectApi(api_url(port), make_login(settings))
    finally:
        stop_process(process)


def deployment_of(api: PrefectApi) -> str:
    with on_server(api), get_client(sync_client=True) as client:
        return str(client.read_deployment_by_name(DEPLOYMENT).id)


@dataclass(frozen=True)
class Defended:
    """A data folder whose server has the pool and the deployment, and what came of it with all its defences."""

    settings: Settings
    came_of_it: set[str]
    page: str
    """The server's own."""


@pytest.fixture(scope="module")
def defended(tmp_path_factory: pytest.TempPathFactory, prefect_forks: Forks) -> Defended:
    """One server for all: it is given the deployment, attacked, and visited by its owner."""
    settings = load_settings(home=tmp_path_factory.mktemp("attacked"))
    give_database(prefect_home(settings))
    with served(settings, set(), prefect_forks, has_ui=True) as api:
        with on_server(api):
            deploy(limit=1)
        came_of_it = Victim(api, deployment_of(api)).attacked(tmp_path_factory.mktemp("attacker"))
        page = shown(f"{api.url.removesuffix('/api')}/", tmp_path_factory.mktemp("owner"))
    return Defended(settings, came_of_it, page)


GETS_THROUGH: dict[str, set[str]] = {
    "": set(),
    # That the attacks are real: with nothing in their way they all get through.
    "login host page csrf cors": {
        LOCAL, *(f"{page} {attack}" for page in (OTHER_PORT, OTHER_HOST, REBOUND) for attack in (READ, JSON, BLOB)),
    },
    # The login alone holds everybody, so it does with any one of the others taken away.
    "host page csrf cors": set(),
    # Without it the others hold every page, and not what is no browser: against that the login was needed.
    "login": {LOCAL},
    # Without a login, each of the others is what holds one kind of page from reading or from making a run.
    "login host": {LOCAL, f"{REBOUND} {READ}"},
    "login page": {LOCAL},
    "login page csrf": {LOCAL, f"{OTHER_PORT} {BLOB}", f"{OTHER_HOST} {BLOB}"},
    "login page cors": {
        LOCAL, f"{OTHER_PORT} {READ}", f"{OTHER_HOST} {READ}", f"{OTHER_PORT} {JSON}", f"{OTHER_HOST} {JSON}",
    },
}  # fmt: skip
"""What gets through where these are missing. What one line has more than another was held by the difference."""


def own_of(missing: str) -> str:
    """What is missing of Prefect's own defences, and not of the guard.

    Always the same object for the same words: pytest keeps a fixture's server only for the very parameter it has.
    """
    return sys.intern(" ".join(each for each in missing.split() if each not in ("host", "page")))


CASES = sorted((own_of(missing), missing) for missing in GETS_THROUGH if missing)


@dataclass(frozen=True)
class HalfOpen:
    """A server without some of Prefect's own defences, whose guard does not check what a file names."""

    victim: Victim
    unchecked: Path


@pytest.fixture(scope="module")
def half_open(
    request: pytest.FixtureRequest, defended: Defended, tmp_path_factory: pytest.TempPathFactory, prefect_forks: Forks
) -> Iterator[HalfOpen]:
    """One server for all tests that differ in the guard alone."""
    unchecked = tmp_path_factory.mktemp("guard") / "unchecked"
    unchecked.touch()
    with served(defended.settings, set(request.param.split()), prefect_forks, unchecked=unchecked) as api:
        yield HalfOpen(Victim(api, deployment_of(api)), unchecked)


@needs_browser
@pytest.mark.parametrize(
    ("half_open", "missing"), CASES, indirect=["half_open"], ids=[each for _, each in CASES],
    scope="module",  # else this would be the server's, too
)  # fmt: skip
def test_each_defence_holds_those_whom_no_other_holds(half_open: HalfOpen, missing: str, tmp_path: Path) -> None:
    half_open.unchecked.write_text(missing, "utf-8")

    assert half_open.victim.attacked(tmp_path) == GETS_THROUGH[missing]


@needs_browser
def test_nobody_gets_through_all_of_them(defended: Defended) -> None:
    assert defended.came_of_it == GETS_THROUGH[""]


@needs_browser
def test_the_servers_own_pages_come_in_and_ask_for_the_login(defended: Defended) -> None:
    assert 'type="password"' in defended.page
