"""A language server: findings in editors, paragraph by paragraph."""

__all__ = ["DELAY"]

#: Seconds of silence after an edit before it is read.
DELAY = 0.02
