"""Who is asked: agents, their workflows, the model backends, and what each may know."""
