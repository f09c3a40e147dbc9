"""What a talk has taken, as it is told after each answer."""

from dataclasses import dataclass

from bookwright.app.wording import money, tokens
from bookwright.models.amount import MICROS


@dataclass(frozen=True)
class TalkBill:
    """What an answer took, and the talk so far."""

    tokens: int
    cost: int
    """Millionths of a US dollar."""
    all_tokens: int
    all_cost: int
    cap_usd: float | None
    is_priced: bool
    """False where nobody knows what the model costs."""

    def line(self) -> str:
        """The last answer and the talk in one line."""
        return f"{tokens(self.tokens)} tokens, {self._price(self.cost)}; in all {self.total_line()}"

    def total_line(self) -> str:
        """The talk in one line."""
        cap = f" of {money(round(self.cap_usd * MICROS))}" if self.cap_usd is not None else ""
        return f"{tokens(self.all_tokens)} tokens, {self._price(self.all_cost)}{cap}"

    def _price(self, cost: int) -> str:
        return money(cost) if self.is_priced else "price unknown"
