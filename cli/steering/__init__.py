"""Verbs that steer a book: ask, gates, approve, brief, archive."""
