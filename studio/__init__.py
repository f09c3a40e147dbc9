"""The studio: a web page on this machine where an author lives with their books."""
