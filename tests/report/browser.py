"""A headless Chromium, driven by its DevTools protocol over a pipe: nothing but the browser is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_chromium():
    """Path of a Chromium, or None. ISOMER_CHROMIUM names another one."""
    if os.environ.get("ISOMER_CHROMIUM"):
        return os.environ["ISOMER_CHROMIUM"]
    return next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


class Browser:
    """One page. `errors` collects exceptions and console errors; `requests` everything but the page itself."""

    def __init__(self, program, width=1440, height=1000, dark=False):
        self.errors, self.requests, self._events, self._next, self._buffer = [], [], [], 0, b""
        self._profile = tempfile.TemporaryDirectory(prefix="isomer-browser-", ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def wire():  # the browser reads from 3 and writes to 4; both may already be taken by the other end
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--remote-debugging-pipe", f"--user-data-dir={self._profile.name}", f"--window-size={width},{height}",
             "--hide-scrollbars", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=wire,
            close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.scheme(dark)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._session = None
            self.call("Browser.close", limit=5)
        except (OSError, TimeoutError, RuntimeError):
            pass
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()

    def call(self, method, limit=60, **parameters):
        self._next += 1
        number = self._next
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + limit
        while True:
            reply = self._receive(end, method)
            if reply.get("id") == number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]
            self._note(reply)

    def _receive(self, end, what):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"{what}: the browser did not answer")
            data = os.read(self._in, 1 << 16)
            if not data:
                raise RuntimeError(f"{what}: the browser has ended")
            self._buffer += data
        text, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(text)

    def _note(self, event):
        kind, p = event.get("method"), event.get("params", {})
        if kind == "Runtime.exceptionThrown":
            detail = p["exceptionDetails"]
            self.errors.append(detail.get("exception", {}).get("description", detail.get("text")))
        elif kind == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif kind == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.errors.append(p["entry"]["text"])
        elif kind == "Network.requestWillBeSent" and not p["request"]["url"].startswith("data:"):
            self.requests.append(p["request"]["url"])
        else:
            self._events.append(kind)

    def open(self, path):
        self.errors, self.requests, self._events = [], [], []
        self.call("Page.navigate", url=f"file://{path}")
        self.wait("location.protocol === 'file:' && document.readyState === 'complete'")

    def run(self, expression):
        """The value of a JavaScript expression (promises are awaited)."""
        reply = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in reply:
            detail = reply["exceptionDetails"]
            raise RuntimeError(detail.get("exception", {}).get("description", detail.get("text")))
        return reply["result"].get("value")

    def wait(self, condition, limit=60):
        end = time.monotonic() + limit
        while not self.run(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def overlaps(self, panel):
        """How many pairs of boxes of the graph in a panel, by its number, lie over each other."""
        return self.run(f"""(() => {{
            const boxes = [...document.querySelectorAll('.panel')][{panel}].querySelectorAll('.node');
            const all = [...boxes].map(g => g.__box).sort((p, q) => p.y - q.y);
            let bad = 0;
            for (let i = 0; i < all.length; ++i)
                for (let j = i + 1; j < all.length && all[j].y - all[i].y < 38; ++j)
                    bad += Math.abs(all[i].x - all[j].x) < (all[i].w + all[j].w) / 2;
            return bad;
        }})()""")

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, dark):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode={"Enter": 13, "ArrowDown": 40, "ArrowUp": 38}.get(name, 0),
                      **({"text": "\r"} if name == "Enter" and kind == "keyDown" else {}))

    def picture(self, path, whole=False):
        reply = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole,
                          **({"clip": {**self.run("({x: 0, y: 0, width: document.documentElement.clientWidth, "
                                                  "height: document.documentElement.scrollHeight})"), "scale": 1}}
                             if whole else {}))
        with open(path, "wb") as file:
            file.write(base64.b64decode(reply["data"]))
