"""The fixtures of the tools' tests."""

from tests.agents.tools.workspaces import every, home, registry, root, workspace

__all__ = ["every", "home", "registry", "root", "workspace"]
