"""The candidates of a book's units: looked at, taken, asked for later with their bill."""
