"""A language server: findings in editors, paragraph by paragraph."""
