"""What the Prefect UI shows of a book beside its runs, from its first minute to its end."""

import json
import re
from pathlib import Path
from uuid import UUID

import pytest
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterFlowRunId
from prefect.client.schemas.objects import Artifact

from bookwright.flows.deps import RunObserver
from bookwright.flows.stopping import Limits
from bookwright.models.errors import BookPaused
from bookwright.models.settings import load_settings
from tests.flows.prefect.observed import (
    BOOK,
    BRIEF,
    Recording,
    flow_run_of,
    newest_flow_run,
    run_flow,
    stored_book,
    write,
    write_at_terminal,
    written_in,
)

pytestmark = pytest.mark.prefect


def artifacts_of(client: SyncPrefectClient, run: UUID) -> dict[str, Artifact]:
    """The newest artifact of each key that a flow run has posted."""
    of = ArtifactFilter(flow_run_id=ArtifactFilterFlowRunId(any_=[run]))
    found = client.read_artifacts(artifact_filter=of, limit=200)
    return {artifact.key: artifact for artifact in sorted(found, key=lambda one: str(one.created)) if artifact.key}


def links_in(text: object) -> set[str]:
    return set(re.findall(r"\]\(/artifacts/key/([a-z0-9-]+)\)", str(text)))


def test_plan_progress_chapters_design_and_cost_are_artifacts_under_readable_keys_that_link_to_each_other(
    prefect_server: None, home: Path
) -> None:
    seen: list[set[str]] = []

    def look(count: int) -> None:
        if count == 0:
            with get_client(sync_client=True) as client:
                seen.append(set(artifacts_of(client, newest_flow_run(client, BOOK).id)))

    write_at_terminal(load_settings(), lambda line: None, lambda inner: Recording(inner, look))

    with get_client(sync_client=True) as client:
        by_key = artifacts_of(client, newest_flow_run(client, BOOK).id)
    assert seen == [{f"{BOOK}-plan", f"{BOOK}-progress", f"{BOOK}-cost"}]  # before the first activity
    boards = {f"{BOOK}-{what}" for what in ("plan", "progress", "cost", "design")}
    chapters = sorted(key for key in by_key if key.startswith(f"{BOOK}-chapter-1-"))
    assert set(by_key) - set(chapters) == boards
    assert len(chapters) == 3
    written = written_in(load_settings())
    assert by_key[f"{BOOK}-progress"].data == min(100.0 * written / 6_000, 100.0)
    assert str(by_key[f"{BOOK}-progress"].description).startswith(f"{written:,} of 6,000 words. ")
    assert str(by_key[chapters[0]].data).startswith("# ")
    rows = json.loads(str(by_key[f"{BOOK}-cost"].data))
    assert sum(row["calls"] for row in rows) == stored_book(load_settings()).calls
    assert links_in(by_key[f"{BOOK}-plan"].data) == boards | set(chapters)
    assert links_in(by_key[f"{BOOK}-progress"].description) == links_in(by_key[f"{BOOK}-cost"].description) == boards
    assert links_in(by_key[f"{BOOK}-design"].data) == links_in(by_key[chapters[0]].data) == boards


def test_chapters_that_a_dead_process_could_not_show_are_shown_by_the_next_run(
    prefect_server: None, home: Path
) -> None:
    brief = {**BRIEF, "title": "The Other Log"}  # of which this server has seen nothing yet
    with pytest.raises(BookPaused):
        write(load_settings(), RunObserver(), Limits.parse("chapter:2", None), brief)

    state = run_flow(brief=brief)

    with get_client(sync_client=True) as client:
        keys = artifacts_of(client, flow_run_of(client, state).id)
    assert len([key for key in keys if "-chapter-1-" in key]) == 3
