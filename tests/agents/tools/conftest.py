"""The fixtures of the tools' tests."""

from tests.agents.tools.workspaces import every, home, registry, root, vault

__all__ = ["every", "home", "registry", "root", "vault"]
