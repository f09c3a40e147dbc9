"""The tree of tasks: levels, places, plans, and the decisions that steer the walk."""
