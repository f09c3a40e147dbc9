"""What is asked: Jinja templates by level, and the functions that render them."""
