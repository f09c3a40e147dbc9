"""One measured figure beside its target and what others reach."""

import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Measure:
    """One figure. A bench yields them; the command prints each as one JSON object."""

    measure: str
    """What was measured, `bench.figure`."""
    value: float
    unit: str
    target: str = ""
    """`"<= 1.1"` or `">= 0.5"`; empty for a figure that only informs."""
    reference: str = ""
    """What others reach, as DESIGN section 17 has it."""

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without one."""
        if not self.target:
            return None
        sign, _, limit = self.target.partition(" ")
        return self.value <= float(limit) if sign == "<=" else self.value >= float(limit)

    def as_dict(self) -> dict[str, Any]:
        """The record with its verdict."""
        return asdict(self) | {"value": round(self.value, 4), "met": self.met}

    def as_json(self) -> str:
        """The record on one line."""
        return json.dumps(self.as_dict(), ensure_ascii=False)

    def as_line(self) -> str:
        """The record for a person."""
        verdict = {None: "", True: "met", False: "NOT MET"}[self.met]
        return f"{self.measure:44} {self.value:>12,.4g} {self.unit:22} {self.target:9} {verdict:8} {self.reference}"
