"""This engine beside others: the same tree, the same disk, the same run."""

from bench.peers.race import run

__all__ = ["run"]
