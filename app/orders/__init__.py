"""Ordering a book: its brief from files, options and forms, what it will cost, its start."""
