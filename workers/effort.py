"""The time that this process itself has computed for, in seconds.

What a budget of it buys does not hang on what else the machine does, so that neither does a verdict. The runtime's threads
count, and do not spin here (onnxruntime_worker.session_options); nothing waits.
"""

import time

spent = time.process_time

# By the clock on the wall a limit is over after so many times its seconds, and so many seconds beyond it, at most.
LOADED, LATE = 4, 100.0
