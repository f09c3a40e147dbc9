"""What an author changes: decisions at gates, own words, versions, and what is made anew after them."""
