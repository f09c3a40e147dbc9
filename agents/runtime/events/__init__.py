"""The event bus, what the walk says on it, and the file in which a book's events are kept."""
