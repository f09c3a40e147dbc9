"""What is asked: Jinja templates by level, and the function that renders them."""

from bookwright.prompts.card import BookCard, Card, FormCard, KeptCard, NodeCard, Told
from bookwright.prompts.render import (
    render,
    render_block,
    render_correction,
    render_problem,
    render_state,
    render_style_guide,
    render_style_page,
    render_system,
)

__all__ = [
    "BookCard",
    "Card",
    "FormCard",
    "KeptCard",
    "NodeCard",
    "Told",
    "render",
    "render_block",
    "render_correction",
    "render_problem",
    "render_state",
    "render_style_guide",
    "render_style_page",
    "render_system",
]
