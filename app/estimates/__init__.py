"""What a book or a change would cost, found by rehearsing it with an author that is no model."""
