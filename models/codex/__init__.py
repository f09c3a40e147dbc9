"""The codex: entries, secrets and threads, in versions."""
