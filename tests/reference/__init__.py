"""What the docs say because the code does: every verb with its options, and the schema of what it prints as JSON."""
