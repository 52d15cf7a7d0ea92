"""Code that every job uses: values, texts, label sets, prompts and replies."""
