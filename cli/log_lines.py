"""Log lines on stderr: for people, or as one JSON object a line."""

import json
import logging
import sys
from datetime import UTC, datetime
from io import StringIO
from typing import TextIO

_PLAIN = "%(asctime)s %(name)s: %(message)s"
_logger = logging.getLogger("bookwright")


class JsonLines(logging.Formatter):
    """A record as one JSON object: when, how grave, who says what; inside a span also its ids."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        told = {
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        } | _span_ids()
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)


def begin(*, is_verbose: bool, as_json: bool) -> None:
    """Log on stderr from here on: what is asked of whom with `is_verbose`, notes and errors too with `as_json`."""
    if not (is_verbose or as_json):
        return
    handler = _Lines(sys.stderr)
    handler.setFormatter(JsonLines() if as_json else logging.Formatter(_PLAIN))
    for logger in (_logger, logging.getLogger()):  # Prefect, once it is imported, takes the root's handlers away
        logger.addHandler(handler)
    _logger.propagate = False
    _logger.setLevel(logging.DEBUG if is_verbose else logging.INFO)


def end() -> None:
    """Log no more, if anything was logged."""
    for handler in _ours():
        for logger in (_logger, logging.getLogger()):
            logger.removeHandler(handler)
        _logger.propagate = True
        _logger.setLevel(logging.NOTSET)


def are_json() -> bool:
    """True while lines on stderr are to be JSON."""
    return any(isinstance(handler.formatter, JsonLines) for handler in _ours())


def tell(line: str, level: int = logging.INFO) -> None:
    """Say on stderr, as a line of the log, what a person is told otherwise."""
    logging.getLogger("bookwright.cli").log(level, "%s", line)


class Told(StringIO):
    """A stream whose lines become lines of the log, for what is printed on stderr bit by bit."""

    def write(self, text: str) -> int:
        """Take in a piece, and tell the lines that are whole."""
        super().write(text)
        *whole, rest = self.getvalue().split("\n")
        self.seek(0)
        self.truncate()
        super().write(rest)
        for line in filter(None, whole):
            tell(line.rstrip())
        return len(text)


class _Lines(logging.StreamHandler[TextIO]):
    """Our own handler, so that it is found again."""


def _ours() -> list[logging.Handler]:
    return [handler for handler in _logger.handlers if isinstance(handler, _Lines)]


def _span_ids() -> dict[str, str]:
    """The ids of the span that the line falls into, in hexadecimal digits; nothing where no spans are made."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None or not (context := trace.get_current_span().get_span_context()).is_valid:
        return {}
    return {"trace_id": f"{context.trace_id:032x}", "span_id": f"{context.span_id:016x}"}
