"""The way into the program: a light one, so that Ctrl-C is heard while the command line is still being loaded."""

import gc
import os
import sys

from bookwright import garbage

INTERRUPTED = 130


def main() -> None:
    """Load the command line and run the command that was typed."""
    garbage.spare_start()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it would read what every installed package declares
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
