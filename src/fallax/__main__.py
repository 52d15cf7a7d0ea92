"""``python -m fallax``."""

from fallax.cli import main

main()
