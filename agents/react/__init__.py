"""ReAct: thinking, acting and observing in turns, until a reply is the answer."""
