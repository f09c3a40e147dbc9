"""Talks with agents, and calls about a book that are no part of its walk."""
