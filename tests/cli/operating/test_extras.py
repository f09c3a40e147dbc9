"""What is missing of the extras is told by the name under which it is installed."""

import os
import subprocess
import sys
from pathlib import Path


def test_without_the_package_mcp_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp/__init__.py").write_text("raise ImportError('as where the extra is not installed')")
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": paths, "BOOKWRIGHT_HOME": str(tmp_path / "home")}

    done = subprocess.run(
        [sys.executable, "-m", "bookwright", "mcp"], capture_output=True, text=True, check=False, env=environment
    )

    assert done.returncode == 2
    assert "`pip install 'bookwright[mcp]'` brings it" in done.stderr
