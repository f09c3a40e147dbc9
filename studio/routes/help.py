"""Help: what the model that is set can do, how another one is set, what the pages are for."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.agents.backends.catalogue import PROVIDERS
from bookwright.studio.pages import page
from bookwright.studio.workshop import Here

router = APIRouter()


@router.get("/help")
def help_page(request: Request, here: Here) -> HTMLResponse:
    """Show the help."""
    keyed = [provider for provider in PROVIDERS.values() if provider.key_variables and provider.needs_key]
    return page(request, "help.html.j2", providers=keyed, home=here.settings.home)
