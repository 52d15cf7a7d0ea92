"""What every job uses and none owns: values, texts, label sets, prompts and replies."""
