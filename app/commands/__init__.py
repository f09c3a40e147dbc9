"""What an author's free words may come to: checks, costs, and how it is typed."""
