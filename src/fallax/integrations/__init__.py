"""Entry points for other frameworks."""
