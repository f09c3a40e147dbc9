"""What a text was made from, as the codex stood then: for telling what an edit makes stale."""
