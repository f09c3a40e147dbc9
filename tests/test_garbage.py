"""When Python looks for garbage."""

import json
import subprocess
import sys


def test_garbage_is_looked_for_once_the_program_has_started_and_then_often() -> None:
    code = (
        "import gc, json; from bookwright import garbage; garbage.spare_start(); at_start = gc.get_threshold()[0];"
        "gc.collect(); first = len(gc.callbacks), gc.get_freeze_count() > 0; gc.collect();"
        "print(json.dumps([at_start, gc.get_threshold()[0], *first]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    at_start, later, callbacks, is_set_apart = json.loads(done.stdout)
    assert at_start > 10 * later
    assert (callbacks, is_set_apart) == (0, True)
