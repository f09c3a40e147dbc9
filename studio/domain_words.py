"""What activities and kinds of documents are called on a page, to be translated."""

DOING = {
    "recall": "Recalling what {unit} rests on",
    "condense": "Making what is long short enough to keep in mind",
    "plan": "Planning {unit}",
    "judge": "Weighing the plan of {unit}",
    "decompose": "Taking a large question apart",
    "execute": "Working out {unit}",
    "aggregate": "Putting what was worked out together",
    "decide": "Deciding how {unit} goes on",
    "divide": "Laying out what comes next in {unit}",
    "brief": "Telling the writer what {unit} needs",
    "write": "Writing {unit}",
    "close": "Looking back on {unit}",
    "review": "Reading {unit} with fresh eyes",
    "maintain": "Bringing the memory of the story up to date",
    "publish": "Finding title and blurb",
}
"""What an activity is called while it goes on."""

_DONE = {
    "recall": "recalled", "condense": "made shorter", "plan": "planned", "judge": "weighed", "decompose": "taken apart",
    "execute": "worked out", "aggregate": "put together", "decide": "decided", "divide": "laid out",
    "brief": "told to the writer", "write": "written", "close": "looked back on", "review": "read afresh",
    "maintain": "kept in memory", "publish": "titled", "ask": "asked by you",
}  # fmt: skip

_KINDS = {
    "prose": "the text", "writers_brief": "what its writer is told", "write_plan": "the plan of its text",
    "book_design": "the design of the book", "global_state": "the state of the story", "style_guide": "the style",
    "quality": "its scores", "leak_review": "the review of its secrets", "consistency": "the check for contradictions",
    "retelling": "what a reader retold", "candidates": "its drafts",
}  # fmt: skip


def doing_words(activity: str) -> str:
    """Return what an activity is called while it goes on; `{unit}` stands for what it is about."""
    return DOING.get(activity, "Working on {unit}")


def done_words(activity: str) -> str:
    """Return what an activity of the journal is called."""
    return _DONE.get(activity, activity)


def kind_words(kind: str) -> str:
    """Return what a kind of document is called."""
    return _KINDS.get(kind, kind.replace("_", " "))
