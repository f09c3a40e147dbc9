"""The manuscript as files: Markdown, text, EPUB 3 and JSON, rendered from the database."""
