"""The page Talk: words that become a command, and talks with an agent about the book."""
