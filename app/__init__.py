"""The application: what a command line, a page or a tool server can do with books. It prints nothing."""
