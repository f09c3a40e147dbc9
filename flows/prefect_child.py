"""Runs `prefect/child.py` by the name that the templates of pools made by earlier versions still have."""

from bookwright.flows.prefect.child import main

if __name__ == "__main__":
    main()
