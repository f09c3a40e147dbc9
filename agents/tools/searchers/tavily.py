"""Searches by Tavily through its own client, which is loaded when it is first needed."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from bookwright.agents.tools.searchers.protocol import SearchResults, hits, no_answer
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode

if TYPE_CHECKING:
    from tavily import TavilyClient

_ADDRESS = "https://api.tavily.com"
_SECONDS = 30.0


class TavilySearcher:
    """Asks Tavily, one request for a search; nothing is tried twice, since each may cost a credit."""

    name = "Tavily"

    def __init__(self, key: SecretStr, address: str = _ADDRESS, seconds: float = _SECONDS) -> None:
        self._key = key
        self._address = address
        self._seconds = seconds

    def search(self, query: str, limit: int) -> SearchResults:
        """Return up to `limit` pages."""
        answer = self._asked(query, limit)
        if not isinstance(answer, Mapping) or not isinstance(answer.get("results"), list):
            raise no_answer("Tavily's answer has no list of results.")
        return SearchResults(hits(answer["results"], limit))

    def _asked(self, query: str, limit: int) -> Any:
        import requests
        from tavily import BadRequestError, InvalidAPIKeyError, UsageLimitExceededError, errors

        try:
            return self._client.search(query, max_results=limit, timeout=self._seconds)
        except InvalidAPIKeyError:
            raise ToolFailure(
                ErrorCode.API_ERROR, "Tavily does not know the API key.", "The operator corrects TAVILY_API_KEY."
            ) from None
        except UsageLimitExceededError:
            raise no_answer("Tavily allows no further search for now.", ErrorCode.RATE_LIMIT) from None
        except errors.ForbiddenError:
            raise no_answer("Tavily refuses: the plan of this key is used up or does not cover it.") from None
        except (errors.TimeoutError, requests.Timeout):
            raise no_answer("Tavily did not answer in time.", ErrorCode.TIMEOUT) from None
        except BadRequestError:
            raise no_answer("Tavily cannot read the query.") from None
        except requests.HTTPError as error:
            status = error.response.status_code if error.response is not None else "an error"
            raise no_answer(f"Tavily answered {status}.") from None
        except (requests.JSONDecodeError, RecursionError):
            raise no_answer("Tavily gave no JSON.") from None
        except (AttributeError, TypeError):  # from within the client, which takes any JSON for an object
            raise no_answer("Tavily's answer has another shape.") from None
        except requests.RequestException as error:
            name = type(error).__name__
            raise no_answer(f"Tavily cannot be reached: {name}.", ErrorCode.NETWORK_ERROR) from None

    @cached_property
    def _client(self) -> "TavilyClient":
        from tavily import TavilyClient

        from bookwright.agents.tools.searchers.bounded_session import BoundedSession

        session = BoundedSession(self._seconds)
        return TavilyClient(self._key.get_secret_value(), api_base_url=self._address, session=session)
