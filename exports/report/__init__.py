"""The report of a book: figures, scores, threads, secrets and costs on one page."""
