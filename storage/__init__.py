"""The database, the journal and the index: the only place that knows SQL or Chroma."""
