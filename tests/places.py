"""Where things lie in this repository, for tests that read them."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORDED = ROOT / "tests" / "recorded"
