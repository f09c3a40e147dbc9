"""The backend that runs the program `claude` once for each call."""
