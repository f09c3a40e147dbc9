"""The journal as a person works with it."""
