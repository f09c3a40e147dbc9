"""What each activity of the walk does: its steps, and what they leave behind."""
