"""What `doctor` looks at, and what it finds."""
