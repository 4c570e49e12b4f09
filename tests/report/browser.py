# SPDX-License-Identifier: BSD-3-Clause
"""Chromium without a window, driven by its DevTools protocol over a pair of pipes."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile


class Browser:
    """One page of a headless Chromium. Use as a context manager."""

    def __init__(self, width=1280, height=900):
        self._profile = tempfile.mkdtemp(prefix="daedal-browser-")
        to_browser, self._send = os.pipe()
        self._receive, from_browser = os.pipe()

        def connect():
            # The protocol is spoken on descriptors 3 (in) and 4 (out).
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)

        self._process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--no-first-run", "--disable-extensions",
             f"--user-data-dir={self._profile}", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._number = 0
        self._session = None
        self.events = []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"],
                                  flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            session, self._session = self._session, None
            self.call("Browser.close")
        except (EOFError, OSError):
            pass
        self._process.wait()
        os.close(self._send)
        os.close(self._receive)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _message(self):
        while b"\0" not in self._buffer:
            part = os.read(self._receive, 1 << 16)
            if not part:
                raise EOFError("Chromium ended.")
            self._buffer += part
        text, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait("document.documentElement.dataset.ready === 'true'")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def wait(self, condition, turns=600):
        """Asks again after each frame until the condition holds."""
        for _ in range(turns):
            try:
                if self.evaluate(condition):
                    return
                self.evaluate("new Promise(done => setTimeout(done, 20))")
            except RuntimeError:
                pass  # the page is being replaced
        raise AssertionError(f"Never became true: {condition}")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=more.pop("button", "left"),
                  buttons=1 if kind != "mouseReleased" else 0, clickCount=more.pop("count", 1), **more)

    def drag(self, begin, end):
        self.mouse("mousePressed", *begin)
        for share in (0.3, 0.6, 1.0):
            self.mouse("mouseMoved", *(a + share * (b - a) for a, b in zip(begin, end)))
        self.mouse("mouseReleased", *end)

    def double_click(self, x, y):
        for count in (1, 2):
            self.mouse("mousePressed", x, y, count=count)
            self.mouse("mouseReleased", x, y, count=count)

    def key(self, key):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screenshot(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))

    def problems(self):
        """Errors that the page met, and addresses other than files that it asked for."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(parameters["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
                found.append(str(parameters["args"]))
            elif method == "Network.requestWillBeSent":
                address = parameters["request"]["url"]
                if not address.startswith(("file:", "data:", "blob:")):
                    found.append(address)
        return found
