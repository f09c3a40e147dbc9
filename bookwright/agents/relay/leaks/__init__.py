"""What gives a secret away in a draft, found in code: keywords, wording, meaning, quotation."""

from bookwright.agents.relay.leaks.check import check_draft, likeliest, suspects, verdict_of
from bookwright.agents.relay.leaks.issue import LeakIssue, LeakKind, Severity, Verdict

__all__ = ["LeakIssue", "LeakKind", "Severity", "Verdict", "check_draft", "likeliest", "suspects", "verdict_of"]
