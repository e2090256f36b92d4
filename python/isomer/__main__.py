"""`python -m isomer` is the command."""

from .command import main

main()
