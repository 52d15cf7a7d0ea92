"""Generation: arguments whose label is known."""
