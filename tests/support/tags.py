"""The tags of a context's components, in the order in which prompts have them."""

BLOCK_TAGS = (
    "book_level_design", "upper_level_design", "upper_level_search", "global_state_summary",
    "latest_text", "text_summary", "overall_planning", "search_dependent", "design_dependent", "more_summary",
    "current_task",
)  # fmt: skip
"""What all steps see but those that write prose."""

PROSE_TAGS = (
    "order", "voice", "style_guide", "book_design", "unit_designs", "writers_brief", "current_task",
    "search_dependent", "hints", "text_summary", "earlier_pages", "latest_text",
)  # fmt: skip
"""What whoever writes prose sees."""
