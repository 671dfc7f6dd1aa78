"""`python -m scope_lint` is `scope-lint`."""

from scope_lint.cli import main

main()
