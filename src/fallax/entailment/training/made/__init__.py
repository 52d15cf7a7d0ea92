"""Examples made by rules: every statement stands once beside a passage that entails it and once beside one that does not."""
