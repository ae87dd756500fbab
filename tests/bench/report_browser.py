"""Tests the pages of --report in Chromium, at 400, 800 and 1400 pixels, light and dark.

No text overlaps another, and nothing is wider than the screen. No line of the roofline begins above its roof. Foreign text
is never markup. Pointer and keys work: a mark shows what it is, and a series under the pointer is highlighted. A click,
Enter or Space on a name hides its series and shows it again.

    report_browser.py BROWSER FOLDER               FOLDER has a folder for each page, and gets a profile and pictures of the pages
    report_browser.py odd-results RESULTS FOLDER   makes odd.json there of real results: foreign markup in names, odd ceilings
"""

import base64
import json
import os
import pathlib
import subprocess
import sys

WIDTHS = (400, 800, 1400)
SCHEMES = ("light", "dark")
MARKUP = "</script><img src=x onerror='window.hacked=1'><b id=foreign>"


class Browser:
    """Controls Chromium by its DevTools protocol. Messages end in a zero byte and go through two pipes."""

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
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
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

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def close(self):
        self.call("Browser.close")
        self.process.wait()


# Functions that the checks call in the page. A picture is tested if it has at least two series with marks.
HELPERS = """
window.shown = (one) => one.getClientRects().length > 0;
window.settled = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))));
window.pictures = () => [...document.querySelectorAll('.picture svg')].filter((one) => shown(one)
  && one.querySelectorAll('.key').length > 1 && one.querySelectorAll('.series').length > 1);
window.named = (svg) => svg.closest('section').getAttribute('data-picture');
window.middle = (one) => {
  one.scrollIntoView({block: 'center'});
  const box = one.getBoundingClientRect();
  return {x: box.left + box.width / 2, y: box.top + box.height / 2};
};
window.ofSeries = (svg, kind, series) => [...svg.querySelectorAll(kind)].filter((one) => one.getAttribute('data-series') === series);
window.colliding = () => {
  const found = [];
  for (const svg of document.querySelectorAll('.picture svg')) {
    if (!shown(svg)) continue;
    const frame = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll('text')].filter(shown);
    const boxes = texts.map((one) => one.getBoundingClientRect());
    boxes.forEach((one, i) => {
      if (one.left < frame.left - 1 || one.right > frame.right + 1) found.push(named(svg) + ': ' + texts[i].textContent + ' leaves the picture');
      for (let j = i + 1; j < boxes.length; ++j) {
        const other = boxes[j], across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (across > 1 && down > 4) found.push(named(svg) + ': ' + texts[i].textContent + ' / ' + texts[j].textContent);
      }
    });
  }
  return found;
};
// The ends of each line of a roofline, by its name.
window.roofs = () => Object.fromEntries([...document.querySelectorAll('[data-picture=roofline] .series > path:first-child:last-child')].map((one) => {
  const at = one.getAttribute('d').match(/[\\d.-]+/g).map(Number);
  return [one.parentNode.getAttribute('data-series').split(':')[0], {x: [at[0], at[2]], y: [at[1], at[3]]}];
}));
"""

faults = []


def check(is_right, what):
    if not is_right:
        faults.append(what)


def check_hover(browser, name, svg):
    """Returns the last mark, which is near the right edge."""
    tip = "document.querySelector('.tip')"
    browser.value(f"window.mark = [...{svg}.querySelectorAll('.series [data-tip]')].pop()")
    at = browser.value("middle(mark)")
    browser.point("mouseMoved", at)
    under = f"document.elementFromPoint({at['x']}, {at['y']}).closest('[data-tip]')"
    said = browser.value(f"{under} && {under}.getAttribute('data-tip')")
    check(said and browser.value(f"{tip}.textContent") == said, f"{name}: a mark does not say '{said}'")
    check(browser.value(f"shown({tip}) && {tip}.getBoundingClientRect().right <= innerWidth"), f"{name}: what a mark says is not on the screen")
    check(browser.value(f"[...{svg}.querySelectorAll('.series:not(.forward)')].every((one) => getComputedStyle(one).opacity < 0.5)"),
          f"{name}: the other series do not go back")
    browser.point("mouseMoved", {"x": 1, "y": 1})
    check(not browser.value(f"shown({tip})"), f"{name}: what a mark said stays")


def check_names(browser, name, svg):
    browser.value(f"window.key = {svg}.querySelector('.key'); window.series = key.getAttribute('data-series')")
    own = f"ofSeries({svg}, '.series', series).filter(shown).length"
    everywhere = "[...document.querySelectorAll('.series')].filter(shown).length"
    before, count = browser.value(everywhere), browser.value(own)
    check(count > 0, f"{name}: the first name has no series")
    browser.value("key.focus()")
    acts = {"a click": lambda: browser.click(browser.value("middle(key)")), "Enter": lambda: browser.press("Enter", 13),
            "Space": lambda: browser.press(" ", 32)}
    for what, act in acts.items():
        act()
        check(browser.value(own) == 0 and browser.value(everywhere) == before - count, f"{name}: {what} does not hide its series, and no other")
        check(browser.value("key.getAttribute('aria-pressed')") == "false", f"{name}: {what}: the name does not say that it is off")
        act()
        check(browser.value(everywhere) == before, f"{name}: {what} does not bring it back")


def check_page(browser, folder, name):
    browser.call("Page.navigate", url=(folder / name / "index.html").as_uri())
    browser.wait_for("Page.loadEventFired")
    browser.events = [one for one in browser.events if one.get("method") != "Page.loadEventFired"]
    browser.value(HELPERS)
    browser.value("document.querySelectorAll('details.run').forEach((one) => { one.open = true; }); settled()")
    check(browser.value("document.body.textContent.includes('All figures')"), f"{name}: the page did not render")
    tried = 0
    for width in WIDTHS:
        size = f"{name}, {width}"
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        grounds = set()
        for scheme in SCHEMES:
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            browser.value("settled()")
            grounds.add(browser.value("getComputedStyle(document.body).backgroundColor"))
            for one in browser.value("colliding()"):
                check(False, f"{size}, {scheme}: texts collide: {one}")
            if name in ("all", "odd"):
                continue
            picture = browser.call("Page.captureScreenshot", captureBeyondViewport=True, clip={"x": 0, "y": 0, "width": width, "height": 4000, "scale": 1})
            (folder / f"{name}-{width}-{scheme}.png").write_bytes(base64.b64decode(picture["data"]))
        check(len(grounds) == 2, f"{size}: dark is light")
        check(browser.value("document.documentElement.scrollWidth") <= width, f"{size}: the page is wider than the screen")
        count = browser.value("pictures().length")
        # Pictures of one kind behave alike, so on the page of all runs a few of them are enough.
        for number in range(count) if name != "all" else (0, 1, count - 1):
            svg = f"pictures()[{number}]"
            where = f"{size}, {browser.value(f'named({svg})')}"
            check_hover(browser, where, svg)
            check_names(browser, where, svg)
            tried += 1
    for one in browser.complaints():
        check(False, f"{name}: the browser complains: {one}")
    browser.events = []
    return tried


def check_roofs(browser):
    """Checks pocl-avx512-ladder: memory and cache rise to the roof of the fp32 units and end there."""
    roofs = browser.value("roofs()")
    check({"memory", "last cache", "fp32 units"} <= set(roofs), f"the roofline lacks a line: {roofs}")
    top = roofs["fp32 units"]["y"][0]
    for name in ("memory", "last cache"):
        line = roofs[name]
        check(line["x"][0] < line["x"][1] and line["y"][0] > line["y"][1] >= top - 0.2, f"the line of the {name} lies above the roof: {roofs}")


def check_index(browser):
    names = "[...document.querySelectorAll('.index li')].filter(shown).map((one) => one.textContent)"
    check("h200-seeds" in browser.value(names), "the index has no names of files")

    def found_by(words):
        browser.value(f"(() => {{ const input = document.querySelector('input'); input.value = '{words}';"
                      " input.dispatchEvent(new Event('input')); })(); settled()")
        return browser.value(names)

    by_device = found_by("xeon openblas")
    check(by_device == ["pocl-avx512-seeds", "pocl-avx512-shapes"], f"by device and peer, the filter finds {by_device}")
    found = found_by("h200-random 26")
    check(len(found) == 4 and all("h200-random" in one for one in found), f"the filter shows {found}")
    check(browser.value("[...document.querySelectorAll('.run')].filter(shown).length") == len(found), "the filter leaves other runs")
    browser.value("document.querySelectorAll('details.run').forEach((one) => { one.open = false; })")
    for place in (0, 1):
        browser.value(f"[...document.querySelectorAll('.index li a')].filter(shown)[{place}].click(); settled()")
        opened = browser.value("[...document.querySelectorAll('.run[open] h2')].map((one) => one.textContent)")
        check(opened == [found[place]], f"the link to {found[place]} opens {opened}")
        said = browser.value("document.querySelector('.run[open]').innerText")
        check(said.count("(geometric mean of 60 shapes)") == 2, "an open run says a sentence twice, or lacks one")
        browser.value("document.querySelector('.run[open]').open = false")
    browser.value("scrollTo(0, 3000)")
    check(browser.value("document.querySelector('.index').getBoundingClientRect().top") == 0, "the index does not stay")


def check_devices(browser):
    """Checks all: several devices share a call on host matrices, so their rate is that from host to host."""
    browser.value("window.several = runs.filter((one) => one.devices > 1).flatMap((run) => run.shapes)")
    check(browser.value("several.length") > 0, "no run is of several devices")
    check(browser.value("several.every((shape) => shape.entries.every((one) => one.rate === undefined"
                        " || Math.abs(one.rate * one.ms[4] / shape.gflop / 1e3 - 1) < 1e-9))"),
          "the rate of several devices is not that from host to host")


def check_samples(browser):
    """Checks h200-seeds: the choice of the speed model is 3 and 1 times as slow as the best config of two shapes."""
    regret = browser.value("document.querySelector('[data-picture=regret]').textContent")
    check("geometric mean: 1.732" in regret, "the mean regret is not 1.732")
    tips = browser.value("[...document.querySelectorAll('[data-picture=tuning-space] [data-tip]')]"
                         ".map((one) => one.getAttribute('data-tip'))")
    check(tips == ["64 x 64 x 64: a X=1 Y=2: 2.000 µs, 50 % of the best, chosen by the speed model",
                   "32 x 32 x 32: b: 1.000 µs, 100 % of the best, chosen by the speed model",
                   "64 x 64 x 64: b: 1.000 µs, 100 % of the best"], f"the map of configs is {tips}")


def check_line(browser):
    """Checks h200-shapes: 4096 and 4097 are points, and only one of them is on the line."""
    browser.value("window.one = ofSeries(document.querySelector('[data-picture=gflops] svg'), '.series', 'clgemm')[0]")
    check(browser.value("one.querySelector('path').getAttribute('d').match(/[ML]/g).length < one.querySelectorAll('[data-tip]').length"),
          "a line goes from 4096 to 4097")


def main(program, folder):
    browser = Browser(program, folder / "profile")
    tried = check_page(browser, folder, "all")
    check_devices(browser)
    check_index(browser)
    tried += check_page(browser, folder, "h200-seeds")
    check_samples(browser)
    check(browser.value("document.querySelector('.message').textContent").startswith("clgemm is 1."), "the page does not begin with its message")
    tried += check_page(browser, folder, "h200-random-2611")
    tried += check_page(browser, folder, "h200-shapes")
    check_line(browser)
    tried += check_page(browser, folder, "pocl-avx512-ladder")
    check_roofs(browser)
    check("1.09 times as fast as OpenBLAS, at 1024" in browser.value("document.querySelector('.message').textContent"), "one shape has no message")
    steps = browser.value("[...document.querySelectorAll('[data-picture=ladder] text')].map((one) => one.textContent)")
    check({"GFLOPS", "× naive", "× before", "panels", "352.3", "362.7", "4.671"} <= set(steps), f"the ladder says {steps}")
    check(browser.value("['roofline', 'speed-up', 'error-ratio'].map((name) => document.querySelectorAll(`[data-picture=${name}]`).length)")
          == [1, 0, 0], "there are pictures of a single shape that say what the ladder and the table say")
    tried += check_page(browser, folder, "odd")
    check(not browser.value("window.hacked || document.getElementById('foreign') || document.querySelector('img')"), "a name became markup")
    markers = browser.value("[...document.querySelectorAll('[data-picture=overview] .key path')].map((one) => one.getAttribute('d'))")
    check(len(set(markers)) == len(markers) > 1, "unknown peers have the same marker")
    check(MARKUP in browser.value("document.body.textContent"), "a name is not shown as it is")
    check(tried > 40, "there were too few pictures to try")
    browser.close()
    for fault in faults:
        print("not so:", fault)
    print(f"{tried} pictures with names to click on: {len(faults)} faults")
    return 1 if faults else 0


def make_odd_results(results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    runs = []
    for number, ceilings in enumerate([{}, 7, "none", {"fp32_gflops": 1e300, "read_gbs": 1e-300, "copy_gbs": 1, "cache_gbs": 1e308},
                                       {"fp32_gflops": 5e-324, "read_gbs": 1e300, "copy_gbs": 1}]):
        one = json.loads(results.read_text())
        one["run"] |= {"ceilings": ceilings, "device": f"{MARKUP} {number} \u2028 {'long ' * 40}", "date": str(number)}
        for row in one["rows"]:
            row["label"] = row.get("label", "") + MARKUP
            row["peers"] = {f"{name}{MARKUP}": peer for name, peer in row["peers"].items()}
        runs.append(one)
    (folder / "odd.json").write_text(json.dumps(runs))


if __name__ == "__main__":
    if sys.argv[1] == "odd-results":
        make_odd_results(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
    else:
        sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2])))
