"""The command line: parses, calls a flow or the storage, prints. Exit codes stand in docs/cli.md."""
