"""A program that writes a book in Prefect's flow, as a script of somebody's own would: its brief is the argument."""

import json
import sys

from bookwright.flows.write_book import write_book

if __name__ == "__main__":
    write_book(brief=json.loads(sys.argv[1]), return_state=True)
