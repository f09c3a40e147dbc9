"""Where books stand: shelf and desk, progress and its lines, the time line."""
