"""Where books stand: all books, progress and its lines, the time line."""
