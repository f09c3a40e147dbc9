"""The folders of books, and what people change in them."""
