"""Books, documents, codex, gates and sessions as collections of one transaction."""
