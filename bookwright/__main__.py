"""The way into the program: a light one, so that Ctrl-C is heard while the command line is still being loaded."""

import gc
import os
import sys

INTERRUPTED = 130

_ALLOCATIONS = 10_000
"""After how many new objects garbage is looked for. Modules make many that stay: at Python's 700, a sixth of a start
goes into looking."""


def main() -> None:
    """Load the command line and run the command that was typed."""
    gc.set_threshold(_ALLOCATIONS)
    if sys.stdin is None:  # whoever started us closed it: a question then finds no answer, and is no fault
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # for as long as the program runs
    try:
        from bookwright.cli.main import main as run
        from bookwright.storage.files.privacy import keep_private
    except KeyboardInterrupt:
        sys.stderr.write("bookwright: interrupted\n")
        sys.exit(INTERRUPTED)
    keep_private()
    try:
        run()
    finally:
        gc.freeze()  # the process ends: nothing that is left is worth being looked through for garbage


if __name__ == "__main__":
    main()
