"""Arguments of known form."""
