"""Options that several verbs share: named once, taken together."""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

Verb = Callable[..., None]


def takes(
    options: Mapping[str, Any], into: str, made: Callable[[dict[str, Any]], Any], defaults: Mapping[str, Any] = {}
) -> Callable[[Verb], Verb]:
    """Give a verb some options; it takes in their place, as `into`, what `made` makes of their values.

    Args:
        options: The annotation of each, by its name; none is needed.
        defaults: What is taken for those that are not given, by their names; None for the others.
    """

    def decorated(verb: Verb) -> Verb:
        @wraps(verb)
        def parsed(**values: Any) -> None:
            verb(**{into: made({name: values.pop(name) for name in options})}, **values)

        signature, named = inspect.signature(verb), inspect.Parameter.KEYWORD_ONLY
        shared = [
            inspect.Parameter(name, named, default=defaults.get(name), annotation=kind)
            for name, kind in options.items()
        ]
        parameters: list[inspect.Parameter] = []
        for own in signature.parameters.values():
            parameters += shared if own.name == into else [own.replace(kind=named)]
        parsed.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        parsed.__annotations__ = {each.name: each.annotation for each in parameters}
        return parsed

    return decorated
