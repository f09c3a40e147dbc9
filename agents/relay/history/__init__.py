"""The codex as it stood when a text was made: for finding what an edit makes stale."""
