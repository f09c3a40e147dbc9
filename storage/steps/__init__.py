"""The journal of steps: every model reply, recorded once."""
