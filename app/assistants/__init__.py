"""What an assistant of an author's own may see of books and do with them: the tools of `bookwright mcp`."""
