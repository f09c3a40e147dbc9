"""Files and folders: whole or not at all, private, and locked."""
