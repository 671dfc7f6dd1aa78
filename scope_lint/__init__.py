"""scope-lint: finds the scopes of agent memory that deviate from what a code base does everywhere else."""

__version__ = "0.1.0"
