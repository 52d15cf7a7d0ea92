"""Does evidence support a claim about cause and effect, and by which steps? (CheckWhy)"""
