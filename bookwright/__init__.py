"""Bookwright writes whole books, one durable step at a time."""

import os

__version__ = "0.1.0"

NO_CALLS_OUT = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
"""Telemetry of Prefect, Chroma and the hub of models is off, whatever was set."""

# Here and nowhere else: Prefect looks when it is imported, and before any module of ours this one is.
os.environ.update(NO_CALLS_OUT)
