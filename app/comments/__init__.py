"""Comments at passages of a text: kept, found again, and made orders to a model."""
