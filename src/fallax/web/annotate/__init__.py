"""Annotation in the browser: pages and HTTP interface over one project file. Needs the extra ``serve``."""

from fallax.web.annotate.app import annotate_app, annotate_part

__all__ = ["annotate_app", "annotate_part"]
