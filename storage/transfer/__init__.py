"""One book's rows on their way to or from another database."""
