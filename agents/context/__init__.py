"""What an agent may know: the ten components of a context, chosen and cut for one activity."""
