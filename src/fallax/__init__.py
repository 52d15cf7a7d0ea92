"""fallax: find, debate, verify, generate and score flawed reasoning in natural language."""

from fallax._version import __version__

__all__ = ["__version__"]
