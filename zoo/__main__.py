"""``python -m zoo`` is the command ``zoo``."""

from zoo.cli.commands import main

main()
