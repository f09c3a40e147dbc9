"""`python -m tests.support.lacking MODULE PROGRAM ...`: a program of ours as it runs where a module is missing."""

import runpy
import sys

if __name__ == "__main__":
    _, missing, *sys.argv = sys.argv
    sys.modules[missing] = None  # type: ignore[assignment]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
