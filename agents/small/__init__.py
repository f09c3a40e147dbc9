"""The `small` profile: what code does for models too weak to do it, as pure functions."""
