"""From a unit's brief to its accepted prose."""
