"""The manuscript as files: Markdown, text, HTML, EPUB 3 and Word; the whole book as JSON, and back."""
