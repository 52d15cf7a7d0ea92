"""Shared code of all encoder training; needs ``pip install 'fallax[train]'``."""
