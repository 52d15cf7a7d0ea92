"""Grammars of worlds: arguments about facts that were never published, from a private seed."""
