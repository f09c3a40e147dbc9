"""The command: `python -m bench all|NAME... [--full] [--json] [--plot FILE]`; `--help` lists the names."""

import argparse
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Measure
from bench.plot import draw

BENCHES = ("engine", "house", "length", "resume")
BY_NAME = (
    "branches", "events", "facts", "leaks", "peers", "process", "prompts", "protocol", "scale", "starts", "studio",
    "tracing",
)  # fmt: skip
"""Not among `all`: they take minutes, at full size up to hours, or print a long table."""


def main() -> int:
    """Run the benches that were asked for; 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="+", choices=("all", *BENCHES, *BY_NAME), help="which benches to run")
    parser.add_argument("--full", action="store_true", help="full size: minutes to hours instead of seconds")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw what `peers` found, as SVG")
    parser.add_argument("--lengths", type=_numbers, default=(), metavar="N,N", help="the books of `process`")
    parser.add_argument("--profiles", type=_words, default=(), metavar="P,P", help="their profiles")
    options = parser.parse_args()
    names = BENCHES if "all" in options.names else tuple(dict.fromkeys(options.names))
    measures = []
    for measure in _measures(names, options):
        print(measure.as_json() if options.json else measure.as_line(), flush=True)
        measures.append(measure)
    if options.plot:
        draw(measures, options.plot)
    return int(any(measure.met is False for measure in measures))


def _measures(names: tuple[str, ...], options: argparse.Namespace) -> Iterator[Measure]:
    for name in names:
        chosen = {"lengths": options.lengths, "profiles": options.profiles} if name == "process" else {}
        yield from importlib.import_module(f"bench.{name}").run(options.full, **chosen)


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, _words(text)))


if __name__ == "__main__":
    sys.exit(main())
