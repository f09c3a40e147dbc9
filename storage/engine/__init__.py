"""The database itself: opened, migrated, checked."""
