#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the pages in a directory as a user works with them: reads, brushes, toggles, searches, clicks.

	browse.py BROWSER DIRECTORY [SHOTS]

Each test is a function of an open page; its name is a sentence, and its decorator names the pages that
it is for. A page that writes to the console has failed."""
import base64
import html
import json
import os
import re
import subprocess
import sys
import time
import traceback

from browser import Browser

PAGES = ["pipeline", "locks", "many", "text", "two", "functions", "server", "stretched", "hostile"]
UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "%": 1e-2}
TESTS = []


def test(*pages, keeps=False):
	"""With keeps, the test leaves the page as it was, and the next test uses the same open page."""
	def add(function):
		function.keeps = keeps
		TESTS.extend((page, function) for page in pages)
		return function
	return add


# --- A page in the browser ---------------------------------------------------------------------------

class Page:
	def __init__(self, browser, path):
		self.browser = browser
		self.path = path
		with open(path, encoding="utf-8") as file:
			self.source = file.read()
		data = re.search(r'id="pscal-data">(.*?)</script>', self.source, re.S).group(1)
		self.data = json.loads(data)
		self.recordings = self.data["recordings"]
		self.recording = self.recordings[0]

	def open(self, width=1280, dark=False, script=True, media=""):
		emulate = self.browser.emulate
		emulate("DeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
		emulate("EmulatedMedia", media=media, features=[
			{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
		emulate("ScriptExecutionDisabled", value=not script)
		self.browser.events.clear()
		self.browser.do("Page.navigate", url="file://" + self.path)
		self.browser.wait("Page.loadEventFired")
		if script:
			self.settle()

	def settle(self):
		"""Waits for two frames, so that the change is drawn."""
		self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

	def run(self, script, *arguments):
		"""The value of a script, which uses its arguments as a, b, c."""
		names = "abc"[:len(arguments)]
		answer = self.browser.do("Runtime.evaluate", returnByValue=True, awaitPromise=True,
			expression=f"(({', '.join(names)}) => ({script}))({', '.join(map(json.dumps, arguments))})")
		if "exceptionDetails" in answer:
			raise AssertionError(f"{script}: {answer['exceptionDetails']['exception'].get('description')}")
		return answer["result"].get("value")

	def of(self, selector, script):
		"""The value of a script for `node`, the first element of a selector."""
		return self.run(f"((node) => ({script}))(document.querySelector(a))", selector)

	def all(self, selector, script="node"):
		"""The values of a script for each `node` of a selector."""
		return self.run(f"[...document.querySelectorAll(a)].map((node) => ({script}))", selector)

	def text(self, selector):
		"""The text, with blanks between separate elements."""
		return self.of(selector, "node.innerText ?? node.textContent")

	def texts(self, selector):
		return self.all(selector, "node.innerText ?? node.textContent")

	def middle(self, selector, index=0):
		"""Scrolls to an element of a selector. Returns the x and y of its middle, its width and its height."""
		return self.run("""((node) => {
			node.scrollIntoView({block: 'center', behavior: 'instant'});
			const {x, y, width, height} = node.getBoundingClientRect();
			return [x + width / 2, y + height / 2, width, height];
		})(document.querySelectorAll(a)[b])""", selector, index)

	def mouse(self, kind, x, y, buttons=0):
		button = "none" if kind == "mouseMoved" else "left"
		self.browser.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons,
			clickCount=int(button == "left"))

	def click(self, selector, index=0):
		x, y = self.middle(selector, index)[:2]
		hit = "node.contains(document.elementFromPoint(%g, %g))" % (x, y)
		assert self.all(selector, hit)[index], f"{selector} is covered"
		self.mouse("mouseMoved", x, y)
		self.mouse("mousePressed", x, y, 1)
		self.mouse("mouseReleased", x, y)
		self.settle()

	def choose(self, selector, value):
		"""Sets a slider, a list or a field, as a user does."""
		self.run("""((node) => {
			node.value = b;
			node.dispatchEvent(new Event('input', {bubbles: true}));
			node.dispatchEvent(new Event('change', {bubbles: true}));
		})(document.querySelector(a))""", selector, value)
		self.settle()

	def key(self, selector, key):
		self.of(selector, "node.focus()")
		self.browser.do("Input.dispatchKeyEvent", type="keyDown", key=key)
		self.browser.do("Input.dispatchKeyEvent", type="keyUp", key=key)
		self.settle()

	def drag(self, selector, begin, end):
		"""Drags from one share of the width of an element to another one."""
		middle, y, width, _ = self.middle(selector)
		xs = [middle + (share - 0.5) * width for share in (begin, (begin + end) / 2, end)]
		self.mouse("mouseMoved", xs[0], y)
		self.mouse("mousePressed", xs[0], y, 1)
		self.mouse("mouseMoved", xs[1], y, 1)
		self.mouse("mouseMoved", xs[2], y, 1)
		self.mouse("mouseReleased", xs[2], y)
		self.settle()

	def picture(self, selector):
		return self.of(selector, "node.toDataURL()")

	def console(self):
		"""The messages of the console since the page was opened."""
		kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
		return [event["params"] for event in self.browser.events if event["method"] in kinds]

	def shot(self, path):
		if not path:
			return
		size = self.browser.do("Page.getLayoutMetrics")["cssContentSize"]
		picture = self.browser.do("Page.captureScreenshot", captureBeyondViewport=True, clip={
			"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})
		with open(path, "wb") as file:
			file.write(base64.b64decode(picture["data"]))


# --- Numbers -----------------------------------------------------------------------------------------

def numbers(text):
	"""The numbers in a text, in their base units: '1.27 s of 27 %' are 1.27 and 0.27."""
	found = re.findall(r"(?<![\w.])(\d[\d\u202f]*(?:\.\d+)?)(?:\s?(ns|us|ms|s|%)(?!\w))?", text)
	return [float(number.replace("\u202f", "")) * UNITS.get(unit, 1) for number, unit in found]


def assert_shows(text, *values):
	for value in values:
		shown = numbers(text)
		assert any(abs(number - value) <= 0.006 * abs(value) + 5e-5 for number in shown), \
			f"{value} is not in: {text}"


def plausible_range(page):
	"""Begin, end and length of the range, as the bar shows them."""
	text = page.text("#range")
	return numbers(text)[:3]


# --- Checks of every page ----------------------------------------------------------------------------

@test(*PAGES, keeps=True)
def the_verdict_is_the_headline(page):
	shown = page.text("#verdict")
	for recording in page.recordings:
		verdict = recording["profile"]["verdict"]
		assert verdict[-30:] in shown, f"{verdict} is not in {shown}"
		for warning in recording["profile"]["warnings"]:
			assert warning in shown, warning
	assert page.text("h1").strip()


@test(*PAGES, keeps=True)
def numbers_are_those_of_the_data(page):
	readings = page.texts("#cpus .column .cpus-reading")
	columns = page.all("#ready .column", "[...node.querySelectorAll('tbody tr')].map((row) => row.innerText)")
	assert len(readings) == len(columns) == len(page.recordings)
	for index, recording in enumerate(page.recordings):
		profile = recording["profile"]
		if profile["cpus_used"] is not None and profile["ready_mean"] is not None:
			assert_shows(readings[index], profile["cpus_used"], profile["ready_mean"])
		assert all((profile["others_share"] is None) or level["others"] for level in recording["cpus"])
		rows = [row for row in columns[index] if not row.startswith("unknown")]
		levels = [level for level in profile["levels"] if level["wall_s"] > 0]
		if len(levels) <= 20:
			assert len(rows) == len(levels), f"{len(rows)} rows of {len(levels)}"
		shown = sum(numbers(row)[1] for row in rows)
		assert_shows(f"{shown} s", sum(level["wall_s"] for level in levels))


@test("pipeline", "locks", "many", "functions", keeps=True)
def figures_of_the_head_are_those_of_the_data(page):
	profile = page.recording["profile"]
	assert_shows(page.text(".figures"), profile["cpus_used"], profile["ready_mean"], profile["ready_max"],
		profile["one_or_none_share"], profile["run_queue_s"], profile["others_share"])


@test(*PAGES)
def nothing_is_wider_than_the_screen(page):
	assert page.run("document.documentElement.scrollWidth") <= 1280
	page.open(390)
	assert page.run("document.documentElement.scrollWidth") <= 390


@test(*PAGES, keeps=True)
def nothing_is_fetched(page):
	assert page.run("performance.getEntriesByType('resource').length") == 0


@test(*PAGES, keeps=True)
def a_brush_changes_every_panel_of_time(page):
	pictures = page.picture(".gantt canvas"), page.text(".cpus-chart")
	page.drag("#brush", 0.3, 0.6)
	total = max(recording["profile"]["wall_s"] for recording in page.recordings)
	begin, end, span = plausible_range(page)
	assert abs(begin - 0.3 * total) < 0.02 * total and abs(end - 0.6 * total) < 0.02 * total, (begin, end)
	assert abs(span - 0.3 * total) < 0.02 * total
	assert pictures != (page.picture(".gantt canvas"), page.text(".cpus-chart"))
	if len(page.recordings) == 1:
		rows = page.texts("#ready tbody tr")
		assert abs(sum(numbers(row)[1] for row in rows) - span) < 0.03 * span
		assert "Approximate" not in page.text("#ready")
	page.key("body", "Escape")
	assert "Whole run" in page.text("#range")
	assert pictures == (page.picture(".gantt canvas"), page.text(".cpus-chart"))


# --- Keys and panels -----------------------------------------------------------------------------------

@test("pipeline", "two", keeps=True)
def the_brush_obeys_the_keyboard(page):
	page.key("[data-end=from]", "PageUp")
	total = max(recording["profile"]["wall_s"] for recording in page.recordings)
	assert_shows(page.text("#range"), 0.05 * total)
	page.key(".gantt canvas", "+")
	assert abs(plausible_range(page)[2] - 0.475 * total) < 0.01 * total
	page.key(".gantt canvas", "Escape")
	assert "Whole run" in page.text("#range")


@test("many")
def threads_are_sorted_grouped_folded_and_found(page):
	seen = {page.picture(".gantt canvas")}
	page.choose("[data-choice=group]", "thread")
	for value in ("wait", "start", "name"):
		page.choose("[data-choice=sort]", value)
		seen.add(page.picture(".gantt canvas"))
	page.choose("[data-choice=group]", "process")
	seen.add(page.picture(".gantt canvas"))
	page.key(".gantt canvas", "ArrowDown")
	assert "thread" in page.text(".gantt [role=status]")
	page.key(".gantt canvas", "Enter")
	seen.add(page.picture(".gantt canvas"))
	assert len(seen) >= 5, f"only {len(seen)} pictures"
	page.choose("[data-choice=group]", "thread")
	thread = page.recording["threads"][0]
	page.choose(".gantt input[type=search]", str(thread["tid"]))
	assert "1 thread found" in page.text(".gantt [role=status]")


@test("locks")
def wakeups_and_the_critical_path_are_drawn(page):
	before = page.picture(".gantt canvas")
	page.click("[data-toggle=arrows]")
	arrows = page.picture(".gantt canvas")
	assert before != arrows and page.of("[data-toggle=arrows]", "node.ariaPressed") == "true"
	if not page.recording.get("critical_path"):
		assert page.of("[data-toggle=path]", "node.disabled"), "a button without a path"
		return
	page.click("[data-toggle=path]")
	assert arrows != page.picture(".gantt canvas")
	assert "Critical path" in page.text(".gantt [role=status]")
	page.click("[data-toggle=path]")
	page.click(".gantt canvas")
	assert "Path to" in page.text(".gantt [role=status]")


@test("locks", "pipeline", keeps=True)
def the_critical_path_is_that_to_its_last_place(page):
	turns = page.recording["critical_path"]
	total = sum(page.recording["critical_path_s"].values())
	assert abs(total - (turns[-1][2] - turns[0][1])) < 1e-6, f"states of {total} s"
	assert all(a[2] == b[1] for a, b in zip(turns, turns[1:])), "a gap"
	thread, _, end = turns[-1][:3]
	found = page.run("pathTo(recordingsRead(document.getElementById('pscal-data').textContent).recordings[0], "
		"a, b).turns", thread, end)
	assert found == [turn[:3] for turn in turns], f"{len(found)} turns, and {len(turns)}"


@test("locks", "pipeline")
def a_thread_tells_its_state_under_the_pointer(page):
	page.click("[data-choice=sort]")
	x, y, _, height = page.middle(".gantt canvas")
	page.mouse("mouseMoved", x, y + 30 - height / 2)
	shown = page.text(".tip")
	assert any(f"/{thread['tid']}" in shown for thread in page.recording["threads"]), shown
	assert "CPU" in shown


@test("locks", "pipeline", "many")
def a_slider_of_cores_tells_the_forecast(page):
	rows = page.recording["forecast"]["forecast"]
	for at in (0, len(rows) - 1):
		page.choose("input.cores", at)
		assert_shows(page.text(".forecast-reading"), rows[at]["cores"], rows[at]["wall_s"])
	page.click("[data-measure=speedup]")
	assert "x" in page.text(".forecast-chart")
	page.click(".closed-form")


@test("locks")
def a_slider_of_a_wait_moves_the_forecast(page):
	assert page.all("input.wait", "1"), "there is no slider"
	cores = page.recording["forecast"]["forecast"][0]["cores"]
	page.choose("input.cores", 0)
	name = page.of("input.wait", "node.dataset.site")
	site = next(one for one in page.recording["why"]["why"]["sites"] if (one["cores"], one["name"]) == (cores, name))
	assert_shows(page.text(".waits tbody tr"), site["visits"], site["waited_s"], site["saved_s"], site["saved_share"])
	page.choose("input.wait", "0")
	assert_shows(page.text(".forecast-reading"), site["without_wall_s"])
	assert page.all("path.changed", "1")
	page.choose("input.wait", "100")
	assert not page.all("path.changed", "1")


@test("pipeline", "locks", "many", "functions", "two", "server", keeps=True)
def a_warning_opens(page):
	for index, text in enumerate(page.all(".warnings details", "node.textContent")):
		page.click(".warnings summary", index)
		assert page.all(".warnings details", "node.open")[index], text
		assert "what to do" in text or "warning" in text, text
		page.click(".warnings summary", index)
		assert not page.all(".warnings details", "node.open")[index], text


@test("functions")
def the_flame_graph_is_searched_and_zoomed(page):
	assert any(page.recording["flame"].values())
	before = page.picture(".flame canvas")
	page.choose(".flame input[type=search]", "block_of")
	assert "%" in page.text(".flame [role=status]")
	assert before != page.picture(".flame canvas")
	page.choose(".flame input[type=search]", "")
	page.key(".flame canvas", "ArrowDown")
	page.key(".flame canvas", "Enter")
	assert "Escape" in page.text(".flame [role=status]")
	page.key(".flame canvas", "Escape")
	assert "Click" in page.text(".flame [role=status]")


def time_in(node, share):
	"""The time of a frame and all below it, in a range with a share of each bin."""
	bins = node.get("bins", [])
	own = sum(seconds * share(number) for number, seconds in zip(bins[::2], bins[1::2]))
	return own + sum(time_in(child, share) for child in node.get("children", []))


@test("functions", "locks", keeps=True)
def the_flame_graph_follows_the_range(page):
	kind = page.of("[data-flame][aria-pressed=true]", "node.dataset.flame")
	tree, bin_s = page.recording["flame"][kind], page.recording["flame"]["bin_s"][kind]
	assert abs(time_in(tree, lambda _: 1) - tree["value"]) < 0.002 * tree["value"]
	assert_shows(page.text(".flame [role=status]"), tree["value"])
	page.drag("#brush", 0.25, 0.7)
	begin, end = plausible_range(page)[:2]
	total = page.recording["duration_s"]

	def share(number):
		last = min(total, (number + 1) * bin_s)
		return max(0, min(end, last) - max(begin, number * bin_s)) / (last - number * bin_s)

	said = page.text(".flame [role=status]")
	shown, value = numbers(said)[0], time_in(tree, share)
	assert abs(shown - value) < 0.02 * tree["value"], f"{value} is not in: {said}"
	assert "in this range" in said
	page.key("body", "Escape")
	assert_shows(page.text(".flame [role=status]"), tree["value"])


@test("pipeline", "locks", "many")
def the_longest_waits_follow_the_range(page):
	longest = page.recording["longest"]
	if len(longest) > 8:
		page.click("#longest .note button")
	rows = page.texts("#longest tbody tr")
	assert len(rows) == min(20, len(longest))
	assert_shows(rows[0], longest[0][2] - longest[0][1])
	page.drag("#brush", 0.4, 0.6)
	begin, end = plausible_range(page)[:2]
	there = [wait for wait in longest if wait[2] > begin and wait[1] < end]
	assert abs(len(page.texts("#longest tbody tr")) - min(8, len(there))) <= 2
	if there:
		page.click("#longest tbody tr button")
		begin, end = page.all("[data-end]", "Number(node.ariaValueNow)")
		assert begin <= there[0][1] and end >= there[0][2], (begin, end, there[0])


@test("functions")
def the_slowest_call_is_shown_in_all_panels(page):
	rows = page.recording["rdam"]["functions"]
	assert rows
	assert_shows(page.text("#functions tbody tr"), rows[0]["lost_s"], rows[0]["p99_s"], rows[0]["calls"])
	page.click("#functions tbody button")
	begin, end = plausible_range(page)[:2]
	assert begin <= rows[0]["max_begin_s"] * 1.001 and end >= (rows[0]["max_begin_s"] + rows[0]["max_s"]) * 0.999


def printed(page, name):
	"""The JSON that a command has printed for the page."""
	with open(page.path.replace(".html", f".{name}.json"), encoding="utf-8") as file:
		text = file.read()
	return json.loads(text) if text else None


@test("server")
def the_model_is_that_of_the_commands(page):
	model = page.recording["model"]
	assert model == printed(page, "model")
	shown = page.text("#model")
	assert model["verdict"] in shown and all(warning in shown for warning in model["warnings"])
	for pool in model["pools"]:
		assert_shows(shown, pool["threads"], pool["utilisation"], pool["cpu_s"])
	assert len(page.all("#model .network .node", "1")) >= 4
	forecast, expected = page.recording["model_forecast"], printed(page, "forecast")
	assert all(row in forecast["forecast"] for row in expected["forecast"])
	for threads, load in ((0, 0), (3, 2), (1, 1)):
		page.choose("input.model-threads", threads)
		page.choose("input.model-loads", load)
		row = forecast["forecast"][3 * threads + load]
		says = page.text(".model-reading")
		if row["grows"]:
			assert "overloaded" in says
		else:
			assert_shows(says, row["threads"], row["response_s"], row["response_hi_s"], row["response_p95_s"])


@test("stretched", keeps=True)
def work_inflation_is_that_of_the_command(page):
	stretch = page.data["stretch"]
	assert stretch == printed(page, "stretch")
	row = stretch["rows"][0]
	assert_shows(page.text("#stretch tbody tr"), row["serial_s"], row["parallel_s"], row["inflation"], row["inflation_to"])
	assert_shows(page.text("#stretch .legend"), stretch["core_time"]["useful_work_s"], stretch["core_time"]["idle_s"])


@test("two", keeps=True)
def two_recordings_stand_side_by_side(page):
	rows = dict(zip(page.texts(".comparison td:first-child"), page.texts(".comparison tbody tr")))
	for change in page.data["compared"]["changes"]:
		if change["before"] is not None and change["after"] is not None:
			assert_shows(rows[change["label"]], change["before"], change["after"])
	left, right = page.all("#cpus .column", "node.getBoundingClientRect().toJSON()")
	assert left["y"] == right["y"] and left["x"] + left["width"] <= right["x"]


@test("hostile", keeps=True)
def a_page_that_would_be_too_large_says_what_is_left_out(page):
	assert len(page.source.encode()) < 3000000
	assert page.recording["left_out"] == ["functions"]
	assert "Left out, as a page has 3 MB at most: functions." in page.text("#data")
	assert '<b>0&"</b>/1000' in page.run("document.querySelector('#data').textContent")


@test("text", keeps=True)
def what_had_no_room_is_not_said_to_be_unknown(page):
	for call in (
		"forecastNew({forecast: null, left_out: ['the forecast']}, []).node",
		"waitsNew({why: null, left_out: ['the cost of waits']}, {})",
		"modelPanel([{model: null, left_out: ['the performance model']}])",
		"modelPanel([{model: null, model_forecast: {refused: 'x'}, left_out: ['the performance model']}])",
		"modelNetwork({index: 9, left_out: ['the picture of the performance model']})",
		"stretchPanel({stretch: null, left_out: ['work inflation']})",
	):
		says = page.run(call + ".textContent")
		assert "There was no room for" in says, says
		for word in ("replay", "There is no", "refused", "No "):
			assert word not in says, says
	assert page.run("modelPanel([{model: null, left_out: ['functions']}])") is None
	assert page.run("stretchPanel({stretch: null, left_out: []})") is None


@test("text")
def the_name_of_a_thread_stays_text(page):
	assert "<img" not in page.source.split("</style>")[1].split("<script")[0]
	assert page.run("document.querySelectorAll('img').length") == 0
	page.click("[data-fold=Threads] summary")
	assert "<img/src=x>" in page.text("[data-fold=Threads]")


@test("locks", "two")
def it_can_be_read_without_scripts_and_on_paper(page):
	for way in ({"script": False}, {"media": "print"}):
		page.open(**way)
		shown = page.of("#static", "node.checkVisibility()"), page.of("#live", "node.checkVisibility()")
		assert shown == (True, False), (way, shown)
	assert html.escape(page.recording["profile"]["verdict"][:20], quote=False) in page.source.split("<script")[0]


# --- Running -------------------------------------------------------------------------------------------

def shots(page, name, directory):
	for width in (1280, 390):
		for dark in (False, True):
			page.open(width, dark)
			page.shot(f"{directory}/{name}-{width}-{'dark' if dark else 'light'}.png")
	page.open(1280, media="print")
	page.shot(f"{directory}/{name}-print.png")


def passes(page, function, opened):
	try:
		if not opened:
			page.open()
		function(page)
		said = page.console()
		assert not said, said
		return None
	except TimeoutError:
		raise
	except Exception:
		return traceback.format_exc()


def tell(name, log):
	scripts = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts")
	sys.stdout.flush()
	subprocess.run([os.path.join(scripts, "tell-log"), "page", name], input=log, text=True, check=False)


def main(program, directory, shot_directory=""):
	browser = Browser(program)
	failed, times = [], []
	try:
		pages = {name: Page(browser, f"{directory}/{name}.html") for name in PAGES if os.path.exists(f"{directory}/{name}.html")}
		opened = None
		# Tests that keep the page come first, so that it is opened once for all of them.
		for name, function in sorted(TESTS, key=lambda one: (PAGES.index(one[0]), not one[1].keeps)):
			title = f"{name}.{function.__name__}"
			begin = time.monotonic()
			log = passes(pages[name], function, opened == name) if name in pages else f"there is no page of {name}"
			opened = name if function.keeps and not log else None
			times.append((time.monotonic() - begin, title))
			if log:
				failed.append(title)
				tell(title, log)
		for name in pages if shot_directory else []:
			shots(pages[name], name, shot_directory)
	finally:
		browser.quit()
	print("slowest: " + ", ".join(f"{title} {seconds:.1f} s" for seconds, title in sorted(times, reverse=True)[:10]))
	for title in failed:
		print(f"failed: {title}")
	print(f"page: {len(TESTS) - len(failed)} passed, {len(failed)} failed")
	return 1 if failed else 0


if __name__ == "__main__":
	sys.exit(main(*sys.argv[1:]))
