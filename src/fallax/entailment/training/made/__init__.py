"""Examples made by rules: a statement stands once beside a passage that entails it, once beside one that does not."""
