"""Examples made by rules: each statement is paired with a passage that entails it and with one that does not."""
