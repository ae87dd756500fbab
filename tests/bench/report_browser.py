"""A page of real results in Chromium: it renders without a complaint, wide and narrow, light and dark, no label lies on another or below a mark,
and the pointer does what it should: a mark under it says what it is, a series under it comes forward, a click on a name hides
its series and another brings it back.

    report_browser.py BROWSER FOLDER        FOLDER has index.html, and gets a profile and four pictures of the page
"""

import base64
import json
import os
import pathlib
import subprocess
import sys

WIDTHS = {"wide": 1100, "narrow": 400}
SCHEMES = ("light", "dark")


class Browser:
    """Chromium by its DevTools protocol, messages that end in a zero byte through two pipes."""

    def __init__(self, program, profile):
        to_read, self.to_write = os.pipe()
        self.to_read, from_write = os.pipe()
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec 3<&{to_read} 4>&{from_write}; exec "$@"', "sh", program, "--headless", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={profile}"],
            pass_fds=(to_read, from_write), stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.number = 0
        self.rest = b""
        self.session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            piece = os.read(self.to_read, 1 << 20)
            if not piece:
                raise SystemExit("the browser has ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event):
        while all(one.get("method") != event for one in self.events):
            self.events.append(self.message())

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def complaints(self):
        said = [one["params"] for one in self.events
                if one.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")]
        return [json.dumps(one)[:300] for one in said]

    def point(self, kind, at, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=at["x"], y=at["y"], **more)

    def click(self, at):
        self.point("mouseMoved", at)
        for kind in ("mousePressed", "mouseReleased"):
            self.point(kind, at, button="left", clickCount=1)

    def press_enter(self):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13)

    def close(self):
        self.call("Browser.close")
        self.process.wait()


# What the checks ask the page for. A picture is tried where it has at least two series with marks.
HELPERS = """
window.shown = function (one) { return one.getClientRects().length > 0; };
window.pictures = function () {
  return Array.from(document.querySelectorAll('svg')).filter(function (svg) {
    return shown(svg) && svg.querySelectorAll('.key').length > 1 && svg.querySelectorAll('.series').length > 1;
  });
};
window.middle = function (one) {
  one.scrollIntoView({block: 'center'});
  var box = one.getBoundingClientRect();
  return {x: box.left + box.width / 2, y: box.top + box.height / 2};
};
window.of_series = function (svg, kind, series) {
  return Array.from(svg.querySelectorAll(kind + '[data-series="' + series + '"]'));
};
window.colliding = function () {
  var found = [];
  document.querySelectorAll('svg').forEach(function (svg) {
    if (!shown(svg)) return;
    var texts = Array.from(svg.querySelectorAll('text')).filter(shown);
    var boxes = texts.map(function (one) { return one.getBoundingClientRect(); });
    for (var i = 0; i != texts.length; ++i) for (var j = i + 1; j != texts.length; ++j) {
      var across = Math.min(boxes[i].right, boxes[j].right) - Math.max(boxes[i].left, boxes[j].left);
      var down = Math.min(boxes[i].bottom, boxes[j].bottom) - Math.max(boxes[i].top, boxes[j].top);
      if (across > 1 && down > 4)
        found.push(svg.closest('section').id + ': ' + texts[i].textContent + ' / ' + texts[j].textContent);
    }
    var marks = Array.from(svg.querySelectorAll('.series [data-tip]'));
    texts.filter(function (one) { return one.classList.contains('halo'); }).forEach(function (name) {
      var box = name.getBoundingClientRect();
      marks.forEach(function (mark) {
        var on = mark.getBoundingClientRect(), x = (on.left + on.right) / 2, y = (on.top + on.bottom) / 2;
        if (x > box.left && x < box.right && y > box.top && y < box.bottom)
          found.push(svg.closest('section').id + ': ' + name.textContent + ' / ' + mark.getAttribute('data-tip'));
      });
    });
  });
  return found;
};
"""

faults = []


def check(is_right, what):
    if not is_right:
        faults.append(what)


def check_layout(browser, width, size):
    check(browser.value("document.documentElement.scrollWidth") <= width, f"{size}: the page is wider than the screen")
    other = "narrow" if size == "wide" else "wide"
    check(browser.value(f"Array.from(document.querySelectorAll('.{size} svg')).every(shown)"), f"{size}: a picture is missing")
    check(not browser.value(f"Array.from(document.querySelectorAll('.{other} svg')).some(shown)"), f"{size}: pictures twice")
    for one in browser.value("colliding()"):
        check(False, f"{size}: a label and another, or a mark, collide in {one}")


def check_hover(browser, size):
    """Of each picture the last mark, which is near the right edge."""
    tip = "document.querySelector('.tip')"
    for number in range(browser.value("pictures().length")):
        svg = f"pictures()[{number}]"
        name = f"{size}, {browser.value(svg + '.closest(`section`).id')}"
        browser.value(f"window.mark = Array.from({svg}.querySelectorAll('.series [data-tip]')).pop()")
        at = browser.value("middle(mark)")
        browser.point("mouseMoved", at)
        under = f"document.elementFromPoint({at['x']}, {at['y']}).closest('[data-tip]')"
        said = browser.value(f"{under} && {under}.getAttribute('data-tip')")
        check(said and browser.value(f"{tip}.textContent") == said, f"{name}: a mark does not say '{said}'")
        check(browser.value(f"shown({tip})"), f"{name}: what a mark says is not shown")
        check(browser.value(f"{tip}.getBoundingClientRect().right <= innerWidth"), f"{name}: what a mark says leaves the screen")
        check(browser.value(f"getComputedStyle({under}.closest('.series')).opacity") == "1", f"{name}: a series does not come forward")
        check(browser.value(f"Array.from({svg}.querySelectorAll('.series:not(.forward)')).every("
                            "function (one) { return getComputedStyle(one).opacity < 0.5; })"), f"{name}: the others do not go back")
        browser.point("mouseMoved", {"x": 1, "y": 1})
        check(not browser.value(f"shown({tip})"), f"{name}: what a mark said stays")
        check(browser.value(f"Array.from({svg}.querySelectorAll('.series')).every("
                            "function (one) { return getComputedStyle(one).opacity == 1; })"), f"{name}: a series stays back")


def check_clicks(browser, size):
    for number in range(browser.value("pictures().length")):
        svg = f"pictures()[{number}]"
        name = f"{size}, {browser.value(svg + '.closest(`section`).id')}"
        browser.value(f"window.key = {svg}.querySelector('.key'); window.series = key.getAttribute('data-series')")
        own = f"of_series({svg}, '.series', series)"
        everywhere = "Array.from(document.querySelectorAll('.series')).filter(shown).length"
        before = browser.value(everywhere)
        count = browser.value(f"{own}.filter(shown).length")
        check(count > 0, f"{name}: the first name has no series")
        browser.click(browser.value("middle(key)"))
        check(browser.value(f"{own}.filter(shown).length") == 0, f"{name}: a click hides nothing")
        check(browser.value(everywhere) == before - count, f"{name}: a click hides something else")
        check(browser.value("getComputedStyle(key).opacity") < "0.5", f"{name}: a hidden series' name looks like the others")
        browser.click(browser.value("middle(key)"))
        check(browser.value(everywhere) == before, f"{name}: a second click does not bring it back")
        browser.value("key.focus()")
        browser.press_enter()
        check(browser.value(f"{own}.filter(shown).length") == 0, f"{name}: the key Enter hides nothing")
        browser.press_enter()
        check(browser.value(everywhere) == before, f"{name}: the key Enter does not bring it back")


def main(program, folder):
    browser = Browser(program, folder / "profile")
    browser.call("Page.navigate", url=(folder / "index.html").as_uri())
    browser.wait_for("Page.loadEventFired")
    browser.value(HELPERS)
    check(browser.value("document.body.textContent.indexOf('All figures')") > 0, "the page did not render")
    grounds = {}
    tried = 0
    for size, width in WIDTHS.items():
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        for scheme in SCHEMES:
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            grounds[scheme] = browser.value("getComputedStyle(document.body).backgroundColor")
            picture = browser.call("Page.captureScreenshot", captureBeyondViewport=True,
                                   clip={"x": 0, "y": 0, "width": width, "height": 6000, "scale": 1})
            (folder / f"page-{size}-{scheme}.png").write_bytes(base64.b64decode(picture["data"]))
        tried += browser.value("pictures().length")
        check_layout(browser, width, size)
        check_hover(browser, size)
        check_clicks(browser, size)
    check(tried > 4, "there were no pictures to try")
    check(grounds["light"] != grounds["dark"], "dark is light")
    for one in browser.complaints():
        check(False, "the browser complains: " + one)
    browser.close()
    for fault in faults:
        print("not so:", fault)
    print(f"{tried} pictures with names to click on: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve()))
