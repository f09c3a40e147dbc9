"""The way into the program: a light one, so that Ctrl-C is heard while the command line is still being loaded."""

import sys

INTERRUPTED = 130


def main() -> None:
    """Load the command line and run the command that was typed."""
    try:
        from bookwright.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("bookwright: interrupted\n")
        sys.exit(INTERRUPTED)
    run()


if __name__ == "__main__":
    main()
