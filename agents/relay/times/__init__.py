"""The story's clock put to use: what writers and reviewers are told of times, and slips that code can find."""
