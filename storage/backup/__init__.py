"""All books of an installation as one file."""
