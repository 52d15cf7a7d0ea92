"""Is a summary faithful, unfaithful or ambiguous? (MADISSE)"""
