"""What happens to a book when a service that it needs fails: its provider, its database, its index, Prefect."""
