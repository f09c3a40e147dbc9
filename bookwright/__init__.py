"""Bookwright writes whole books, one durable step at a time."""

__version__ = "0.1.0"
