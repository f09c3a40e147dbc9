"""`python -m tests.safety.heard ARGUMENTS`: the program, overheard also where it is a fork, which is past its site."""

import runpy

if __name__ == "__main__":
    import tests.safety.overheard.sitecustomize  # noqa: F401  # as Python does where it starts

    runpy.run_module("bookwright", run_name="__main__", alter_sys=True)
