"""Protocols of faithfulness judges: prompts, and reading of replies."""
