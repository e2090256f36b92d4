"""A model that is run again and again, for at most so many seconds a run."""

import threading
import time

import numpy as np

from conditions import TooLong
from effort import LOADED
from effort import spent as clock


class Runner:
    """Runs a model, for at most `seconds` a run: a thread of its own tells the runtime to stop."""

    def __init__(self, model, ort):
        self.model, self.ort, self.seconds, self.names = model, ort, 10.0, {i["name"] for i in model.inputs}
        self.names |= {o.name for o in model.session.get_overridable_initializers()}
        self.options, self.until, self.at_last, self.ended = None, float("inf"), float("inf"), False
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while self.model is not None:
            time.sleep(0.05)
            options = self.options
            if options is not None and (clock() > self.until or time.monotonic() > self.at_last):
                self.ended = options.terminate = True

    def close(self):
        self.model = None

    def run(self, feed, names=None):
        """Outputs, or those of these names; or a text that says why not."""
        options = self.ort.RunOptions()
        options.only_execute_path_to_fetches = names is not None
        options.log_severity_level = 4
        self.ended, self.until, self.at_last = False, clock() + self.seconds, time.monotonic() + LOADED * self.seconds
        self.options = options
        try:
            return self.model.session.run(names, {k: np.asarray(v) for k, v in feed.items() if k in self.names}, options)
        except MemoryError:
            raise TooLong from None
        except Exception as error:  # noqa: BLE001: the runtime throws many types
            text = str(error)
            if self.ended or "terminate" in text or "alloc" in text.lower():
                raise TooLong from None
            return text
        finally:
            self.options = None
