"""Judges whether a summary is faithful, unfaithful or ambiguous (MADISSE)."""
