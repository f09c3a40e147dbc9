"""Tools on the files of one folder, and the sandbox that keeps them in it."""
