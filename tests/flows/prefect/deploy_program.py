"""A program that brings the pool and the deployment up to date, as `bookwright server --worker` does at its start."""

from bookwright.flows.prefect.workers import deploy

if __name__ == "__main__":
    deploy(limit=4)
