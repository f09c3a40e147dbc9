"""`python -m tests.agents.backends.local.letting_go`: starts servers of the built-in model and lets go of each at once.

It leaves with 0. A process of its own, since a wait in that library cannot be interrupted.
"""

from bookwright.agents.backends.local import embedded, weights
from bookwright.models.settings import load_settings

if __name__ == "__main__":
    path = weights.locate(weights.SMOLLM2, load_settings())
    for _ in range(4):
        embedded._start(path, "key", 512)
