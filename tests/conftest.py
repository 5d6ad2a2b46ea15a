"""Settings for the whole suite."""

import os

# scikit-learn's check of array-API input is skipped unless scipy was told to speak it.
os.environ["SCIPY_ARRAY_API"] = "1"
