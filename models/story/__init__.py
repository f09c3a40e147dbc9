"""What is known of a written story: its state, its retellings, its scores."""
