"""Talks with an agent about a book: what one begins with, its answers as they come, what it took."""
