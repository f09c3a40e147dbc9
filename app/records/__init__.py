"""Changes and views of the codex, all of what was asked for or nothing."""
