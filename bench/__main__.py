"""The command: `python -m bench all|engine|length|resume|peers|scale [--full] [--json]`."""

import argparse
import importlib
import sys
from collections.abc import Iterator

from bench.measure import Measure

BENCHES = ("engine", "length", "resume")
BY_NAME = ("facts", "peers", "prompts", "scale")
"""Not among `all`: they take minutes, at full size up to hours."""


def main() -> int:
    """Run the benches that were asked for; 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="+", choices=("all", *BENCHES, *BY_NAME), help="which benches to run")
    parser.add_argument("--full", action="store_true", help="full size: minutes to hours instead of seconds")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    names = BENCHES if "all" in options.names else tuple(dict.fromkeys(options.names))
    missed = False
    for measure in _measures(names, options.full):
        print(measure.as_json() if options.json else measure.as_line(), flush=True)
        missed |= measure.met is False
    return int(missed)


def _measures(names: tuple[str, ...], full: bool) -> Iterator[Measure]:
    for name in names:
        yield from importlib.import_module(f"bench.{name}").run(full)


if __name__ == "__main__":
    sys.exit(main())
