"""The verbs in a browser and over HTTP: ``fallax serve``. Needs the extra ``serve``."""

from fallax.web.app import create_app
from fallax.web.settings import Limits, Part, Settings

__all__ = ["Limits", "Part", "Settings", "create_app"]
