"""What agents can do besides answering: tools, all of which speak one protocol."""
