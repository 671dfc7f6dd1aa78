"""Settings of the test run."""

import os

from hypothesis import settings

# On CI the examples are the same in every run, so that a red run is about the change and not about luck.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")
