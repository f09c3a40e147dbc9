"""The race: speed in turns, resumes at two sizes, kills in a call, and two workers on one tree."""

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bench import shim
from bench.measure import Measure
from bench.peers.contest import LEDGER, STATE
from bench.peers.environment import PeersMissing, peers_python
from bench.peers.ledger import Paid, read, tree

_SYNC_MICROS = 1_000
_PAIR_STEP_SECONDS = 0.03


@dataclass(frozen=True)
class Contestant:
    """One engine in the race."""

    name: str
    module: str
    is_peer: bool = False
    """Needs the peers' environment."""
    python: str = field(default=sys.executable, compare=False)
    """The interpreter of all others."""
    rest_seconds: float = 0.0
    """A little more than a killed worker's hold lasts: its lease, as `engine.LEASE_SECONDS` sets it."""


RAW = Contestant("raw journal", "raw_journal")
OURS = Contestant("Bookwright", "engine", rest_seconds=2.2)
GRAPH = Contestant("LangGraph graph", "langgraph_graph", is_peer=True)
PEERS = (
    GRAPH,
    Contestant("LangGraph tasks", "langgraph_tasks", is_peer=True),
    Contestant("DBOS", "dbos_workflow", is_peer=True),
)


@dataclass(frozen=True)
class Sizes:
    """How far the race goes; trees are given in leaves."""

    speed: int
    rounds: int
    resume: tuple[int, int]
    resumes: int
    killed: int
    kills: int
    shared: int
    """The tree that two workers meet on."""


_SMALL = Sizes(speed=200, rounds=3, resume=(20, 200), resumes=3, killed=20, kills=3, shared=20)
_FULL = Sizes(speed=1_000, rounds=3, resume=(200, 1_000), resumes=5, killed=200, kills=9, shared=20)

_TARGETS = {
    "syncs_per_step": "<= 1.1", "cpu_per_step": "<= 1.0", "speed_over_raw": ">= 0.5",
    "cpu_over_graph": "<= 2.0", "cpu_last_over_second_decile": "<= 1.25", "memory_growth": "<= 20",
    "resume_millis": "<= 100", "resume_millis_large": "<= 125", "resume_growth": "<= 1.5",
    "paid_again_at_worst": "<= 1", "paid_twice_by_two": "<= 0",
}  # fmt: skip
"""Of this engine; the others are only measured."""

Figures = dict[str, tuple[float, str]]


def run(full: bool) -> Iterator[Measure]:
    """Race all that can be run here."""
    contestants = [RAW, OURS]
    try:
        peers_python()
        contestants += PEERS
    except PeersMissing as error:
        print(f"{error}; only the raw journal and Bookwright run", file=sys.stderr)
    yield from race(contestants, _FULL if full else _SMALL)


def race(contestants: Sequence[Contestant], sizes: Sizes) -> Iterator[Measure]:
    """Yield each figure of every contestant, figure by figure; the raw journal must be among them."""
    yield Measure("peers.load", os.getloadavg()[0], f"waiting or running on {os.cpu_count()} cores at the start")
    found = _speed(contestants, sizes)
    for contestant in contestants:
        found[contestant] |= _resume(contestant, sizes) | _kills(contestant, sizes) | _two_workers(contestant, sizes)
    for figure in found[RAW]:
        for contestant in contestants:
            value, unit = found[contestant][figure]
            target = _TARGETS.get(figure, "") if contestant == OURS else ""
            yield Measure(f"peers.{contestant.name}.{figure}", value, unit, target)


def _walk(
    contestant: Contestant, home: Path, leaves: int, sync_micros: int | None = None, **how: float
) -> dict[str, float]:
    return shim.run(
        "peers.contest:walk", python=peers_python() if contestant.is_peer else contestant.python,
        sync_micros=sync_micros, module=contestant.module, home=str(home), leaves=leaves, **how,
    )  # fmt: skip


def _speed(contestants: Sequence[Contestant], sizes: Sizes) -> dict[Contestant, Figures]:
    """Medians of some rounds, in each of which all take their turn."""
    rounds = [{each: _one_run(each, sizes.speed) for each in contestants} for _ in range(sizes.rounds)]
    steps = sum(1 for _ in tree(sizes.speed))

    def median(contestant: Contestant, figure: str) -> float:
        return statistics.median(each[contestant][figure] for each in rounds)

    def over(contestant: Contestant, other: Contestant, figure: str) -> float:
        return statistics.median(each[contestant][figure] / each[other][figure] for each in rounds)

    def over_graph(contestant: Contestant) -> Figures:
        return {"cpu_over_graph": (over(contestant, GRAPH, "cpu"), f"of {GRAPH.name}'s CPU per step")}

    return {
        each: {
            "syncs_per_step": (median(each, "syncs"), "syncs"),
            "cpu_per_step": (median(each, "cpu"), "ms"),
            "speed_over_raw": (over(RAW, each, "seconds"), "of the raw journal, 1 ms syncs"),
            "cpu_last_over_second_decile": (median(each, "deciles"), f"CPU per step, {steps:,} steps"),
            "memory_growth": (median(each, "growth"), f"MB at {steps:,} steps over {steps // 5:,}"),
            "stored_over_text": (median(each, "stored"), "bytes over those of the answers"),
        }
        | (over_graph(each) if GRAPH in contestants else {})
        for each in contestants
    }


def _one_run(contestant: Contestant, leaves: int) -> dict[str, float]:
    with shim.memory_folder() as home:
        done = _walk(contestant, home, leaves, _SYNC_MICROS)
        bill = _whole_bill(contestant, home, leaves)
        stored = sum(file.stat().st_size for file in (home / STATE).rglob("*") if file.is_file())
    tenth = len(bill) // 10
    first, last, steps = bill[tenth], bill[-1], len(bill) - 1 - tenth  # the first tenth warms up
    return {
        "syncs": (last.syncs - first.syncs) / steps,
        "cpu": (last.cpu - first.cpu) / steps * 1_000,
        "seconds": last.seconds - first.seconds,
        "deciles": (last.cpu - bill[-1 - tenth].cpu) / (bill[2 * tenth].cpu - first.cpu),
        "growth": last.megabytes - bill[2 * tenth].megabytes,
        "stored": stored / done["text_bytes"],
    }


def _whole_bill(contestant: Contestant, home: Path, leaves: int) -> list[Paid]:
    bill, steps = read(home / LEDGER), sum(1 for _ in tree(leaves))
    if len({paid.key for paid in bill}) != steps:
        raise RuntimeError(f"{contestant.name} has not executed its {steps} steps: look above for why")
    return bill


def _resume(contestant: Contestant, sizes: Sizes) -> Figures:
    """The way to the first step that was never executed, beyond imports and the rest of a dead worker's hold."""
    small, large = (_resumed(contestant, leaves, sizes.resumes) for leaves in sizes.resume)
    less, more = (sum(1 for _ in tree(leaves)) for leaves in sizes.resume)
    return {
        "resume_millis": (small[0], f"ms to the first new step, {less:,} steps"),
        "resume_millis_large": (large[0], f"ms to the first new step, {more:,} steps"),
        "resume_growth": (large[1] / small[1], f"CPU of a resume, {more:,} steps over {less:,}"),
    }


def _resumed(contestant: Contestant, leaves: int, times: int) -> tuple[float, float]:
    """Medians of the wall time and the CPU of some resumes from one kill, in ms."""
    with shim.memory_folder() as home:
        steps = sum(1 for _ in tree(leaves))
        with shim.killed(contestant.rest_seconds):
            _walk(contestant, home, leaves, kill_at=steps - 2)
        found = [_one_resume(contestant, home, leaves) for _ in range(times)]
    millis, cpu = zip(*found, strict=True)
    return statistics.median(millis) * 1_000, statistics.median(cpu) * 1_000


def _one_resume(contestant: Contestant, killed: Path, leaves: int) -> tuple[float, float]:
    with shim.memory_folder() as folder:
        home = Path(shutil.copytree(killed, folder / "home"))
        known = {paid.key for paid in read(home / LEDGER)}
        done = _walk(contestant, home, leaves, _SYNC_MICROS)
        new = next(paid for paid in _whole_bill(contestant, home, leaves) if paid.key not in known)
    return new.seconds - done["began"], new.cpu - done["cpu_began"]


def _kills(contestant: Contestant, sizes: Sizes) -> Figures:
    """Kill one walk again and again, each time in a call that is paid and not recorded, then let it end."""
    steps = sum(1 for _ in tree(sizes.killed))
    with shim.memory_folder() as home:
        again, seen = [], 0
        for _ in range(sizes.kills):
            with shim.killed(contestant.rest_seconds):
                _walk(contestant, home, sizes.killed, kill_at=steps // (sizes.kills + 1))
            again.append(_repeated(read(home / LEDGER), seen))
            seen = len(read(home / LEDGER))
        _walk(contestant, home, sizes.killed)
        again.append(_repeated(_whole_bill(contestant, home, sizes.killed), seen))
    return {
        "paid_again_at_worst": (max(again), "steps after one kill"),
        "paid_again_in_all": (sum(again), f"steps after {sizes.kills} kills"),
    }


def _repeated(bill: list[Paid], begin: int) -> int:
    """How many steps from line `begin` on had been executed before that line."""
    known = {paid.key for paid in bill[:begin]}
    return sum(paid.key in known for paid in bill[begin:])


def _two_workers(contestant: Contestant, sizes: Sizes) -> Figures:
    def work(place: int) -> None:
        with suppress(subprocess.CalledProcessError):  # one of the two may end with an error: the bill judges
            _walk(contestant, home, sizes.shared, step_seconds=_PAIR_STEP_SECONDS, place=place)

    with shim.memory_folder() as home, ThreadPoolExecutor(2) as workers:
        list(workers.map(work, (1, 2)))
        bill = _whole_bill(contestant, home, sizes.shared)
    steps = len({paid.key for paid in bill})
    return {"paid_twice_by_two": (len(bill) - steps, f"steps of {steps}")}
