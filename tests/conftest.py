"""Settings for the whole suite."""

import os
import signal

# scikit-learn's check of array-API input is skipped unless scipy was told to speak it.
os.environ["SCIPY_ARRAY_API"] = "1"

# A shell that puts the suite in the background makes it ignore Ctrl-C, which some tests press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
