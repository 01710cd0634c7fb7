"use strict";
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads over time, with a line for each thread or group of threads. There can be hundreds of
 * lines of thousands of marks, so the canvas is only as high as the part that is seen.
 */

const ganttRow = 18;
const ganttAxis = 22;
/* The height of the mark of each state: work is thick, waits are thin. */
const ganttHeights = {
	R: 12,
	m: 10,
	w: 7,
	b: 6,
	D: 5,
	T: 3,
	B: 3,
	"?": 8
};
/* The most arrows at a time; more of them are a black surface. */
const ganttArrowsMost = 200;

const ganttSorts = {
	cpu: ["CPU time", (a, b) => b.cpu_s - a.cpu_s],
	wait: ["run-queue wait", (a, b) => b.runnable_s - a.runnable_s],
	blocked: ["time blocked", (a, b) => b.blocked_s - a.blocked_s],
	start: ["start", (a, b) => a.start_s - b.start_s],
	name: ["name", (a, b) => threadName(a).localeCompare(threadName(b), "en", {numeric: true})],
};
const ganttGroups = {
	thread: ["no group", null],
	name: ["name", (thread) => thread.name || thread.comm],
	process: [
		"process",
		(thread) => thread.pid ? `${thread.process || thread.comm} (process ${thread.pid})`
				       : "unknown process"
	],
};

function threadsPanel(range, recordings) {
	return panel("threads", "Threads", "What did each thread do, and which thread woke it?",
		panelColumns(recordings, (recording) => ganttNew(range, recording)),
		legend(ganttLegend(recordings)));
}

/* Returns the legend of the states that threads were in. */
function ganttLegend(recordings) {
	const has = (letter) => recordings.some(
		({states}) => states.rows.some(
			(levels) => levels.some((row) => `.${row}`.includes(`.${letter}`))));
	const shown = ["R", "w", "B", "b", "D", "T", "m", "?"].filter(has);
	const entries = shown.map(
		(letter) => [stateColors[letter], stateNames[letter], ganttHeights[letter]]);
	if (recordings.some((recording) => recording.critical_path?.length))
		entries.push(["path", "critical path", 2]);
	return entries;
}

function ganttNew(range, recording) {
	const many = recording.threads.length > 24;
	const gantt = {
		range,
		recording,
		lines: [],
		folded: new Set(),
		group: many ? "name" : "thread",
		sort: "cpu",
		search: "",
		arrows: false,
		path: null,
		selected: -1,
		hover: null,
		drag: null,
		canvas: element("canvas", {
			tabindex: 0,
			role: "application",
			"aria-label":
				"Threads over time. Up and down choose a thread, Enter folds a group or shows the critical path, " +
				"left and right move the range, plus and minus zoom, Escape shows the whole run."
		}),
		filler: element("div"),
		note: element("p", {class: "note", role: "status"}),
	};
	gantt.scroller = element("div", {class: "scroller", onscroll: () => ganttDraw(gantt)},
		gantt.canvas, gantt.filler);
	ganttListen(gantt);
	chartWatch(gantt.scroller, range, () => ganttLines(gantt));
	const box = element("div", {class: "gantt"}, pathAnswer(recording), ganttControls(gantt),
		gantt.scroller, gantt.note);
	if (many)
		ganttFoldLarge(gantt);
	ganttLines(gantt);
	return box;
}

/* Folds groups of many threads, so that the first lines show the whole program. */
function ganttFoldLarge(gantt) {
	const sizes = new Map();
	for (const thread of gantt.recording.threads) {
		const name = ganttGroups.name[1](thread);
		sizes.set(name, (sizes.get(name) ?? 0) + 1);
	}
	for (const [name, size] of sizes)
		if (size > 12)
			gantt.folded.add(name);
}

function ganttControls(gantt) {
	const choose = (label, key, choices) => element("label", null, label,
		element("select", {
			"data-choice": key,
			onchange: (event) => {
				gantt[key] = event.target.value;
				ganttLines(gantt);
			},
		},
			Object.entries(choices).map(
				([value, [title]]) => element("option",
					{value, selected: gantt[key] === value}, title))));
	const toggle = (label, key, enabled) => element("button", {
		type: "button",
		"aria-pressed": "false",
		"data-toggle": key,
		disabled: !enabled,
		onclick: () => ganttToggle(gantt, key),
	},
		label);
	gantt.controls = element("div", {class: "controls"}, choose("sort by", "sort", ganttSorts),
		choose("group by", "group", ganttGroups), element("input", {
			type: "search",
			placeholder: "name or number",
			"aria-label": "Search threads",
			oninput: (event) => {
				gantt.search = event.target.value.trim().toLowerCase();
				ganttLines(gantt);
			}
		}),
		toggle("wakeups", "arrows", gantt.recording.wakeups?.length),
		toggle("critical path", "path", gantt.recording.critical_path?.length));
	return gantt.controls;
}

/* Switches the arrows or a path: the critical path of the button, or a path to a clicked thread. */
function ganttToggle(gantt, key, path = pathOfRun(gantt.recording)) {
	gantt[key] = gantt[key] ? null : key === "path" ? path : true;
	gantt.controls.querySelector(`[data-toggle="${key}"]`)
		.setAttribute("aria-pressed", String(Boolean(gantt[key])));
	ganttDraw(gantt);
}

/* --- The lines: threads, and heads of groups -------------------------------------------------- */

/* Finds the lines: the threads that match the search and exist in the range. */
function ganttLines(gantt) {
	const {recording: {threads}, range, search} = gantt;
	const selected = gantt.lines[gantt.selected];
	const seen =
		threads.map((_, index) => index)
			.filter((index) => threads[index].start_s < range.to &&
					threads[index].end_s > range.from)
			.filter((index) =>
					threadName(threads[index]).toLowerCase().includes(search))
			.sort((a, b) => ganttSorts[gantt.sort][1](threads[a], threads[b]));
	const groupOf = ganttGroups[gantt.group][1];
	gantt.lines = groupOf ? ganttGrouped(gantt, seen, groupOf)
			      : seen.map((thread) => ({thread, members: [thread]}));
	gantt.lineOf = new Map();
	gantt.lines.forEach(
		(line, at) => line.members.forEach((thread) => gantt.lineOf.set(thread, at)));
	gantt.selected = !selected
		? -1
		: gantt.lines.findIndex((line) => line.thread === selected.thread &&
				  line.group === selected.group);
	gantt.filler.style.height = "0";
	ganttDraw(gantt);
}

/*
 * Returns the lines of groups. Threads of a group are in the order of the sort, groups in the order
 * of their first threads.
 */
function ganttGrouped(gantt, seen, groupOf) {
	const groups = new Map();
	for (const thread of seen) {
		const name = groupOf(gantt.recording.threads[thread]);
		groups.set(name, [...(groups.get(name) ?? []), thread]);
	}
	const lines = [];
	for (const [group, members] of groups) {
		if (members.length > 1)
			lines.push({group, members, thread: -1});
		if (members.length === 1 || !gantt.folded.has(group))
			lines.push(...members.map((thread) => ({thread, members: [thread]})));
	}
	return lines;
}

function ganttFold(gantt, line) {
	if (!gantt.folded.delete(line.group))
		gantt.folded.add(line.group);
	ganttLines(gantt);
}

/* --- Drawing ---------------------------------------------------------------------------------- */

function ganttDraw(gantt) {
	const {scroller, range} = gantt;
	const width = scroller.clientWidth;
	if (!width)
		return;
	const whole = ganttAxis + Math.max(1, gantt.lines.length) * ganttRow;
	const height = Math.min(whole, parseFloat(getComputedStyle(scroller).maxHeight) || 480);
	gantt.filler.style.height = `${whole - height}px`;
	gantt.left = rangeLeft(width);
	gantt.width = width;
	gantt.height = height;
	gantt.top = scroller.scrollTop;
	gantt.x = d3.scaleLinear([range.from, range.to], [gantt.left, width]);
	gantt.context = canvasResize(gantt.canvas, width, height);
	gantt.color = palette();
	ganttMarks(gantt);
	pathDraw(gantt);
	ganttArrows(gantt);
	ganttSelection(gantt);
	ganttLabels(gantt);
	ganttTimes(gantt);
	ganttSay(gantt);
}

/* Returns the visible lines, with the middle of each. */
function ganttSeen(gantt) {
	const first = Math.floor(gantt.top / ganttRow);
	const last = Math.min(gantt.lines.length, Math.ceil((gantt.top + gantt.height) / ganttRow));
	const seen = [];
	for (let at = first; at < last; at++)
		seen.push({line: gantt.lines[at], at, y: ganttMiddle(gantt, at)});
	return seen;
}

function ganttMiddle(gantt, at) {
	return ganttAxis + at * ganttRow + ganttRow / 2 - gantt.top;
}

/* Draws the states. Each colour is filled once, as a change of colour takes longer than a mark. */
function ganttMarks(gantt) {
	const {range, recording, width, left} = gantt;
	/* Bins are shorter than a pixel, to show states that are a small part of it, too. */
	const level =
		levelFor(recording.states.bin_s, (range.to - range.from) / (width - left) / 4);
	const marks = new Map(Object.keys(stateColors).map((letter) => [letter, new Path2D()]));
	for (const {line, y} of ganttSeen(gantt)) {
		if (line.thread < 0)
			ganttGroupMarks(gantt, line, y, level);
		else
			ganttRuns(gantt, line.thread, y, level, marks);
	}
	for (const [letter, marked] of marks) {
		gantt.context.fillStyle = gantt.color(stateColors[letter]);
		gantt.context.fill(marked);
	}
	ganttExact(gantt);
}

function ganttMark(gantt, marked, from, to, y, letter) {
	const begin = Math.max(gantt.left, gantt.x(from));
	const end = Math.min(gantt.width, gantt.x(to));
	if (end > begin)
		marked.rect(begin, y - ganttHeights[letter] / 2, Math.max(end - begin, 0.3),
			ganttHeights[letter]);
}

function ganttRuns(gantt, thread, y, level, marks) {
	const bin = gantt.recording.states.bin_s[level];
	const runs = threadRuns(gantt.recording, thread, level);
	for (let i = runAt(runs, Math.floor(gantt.range.from / bin));
		i < runs.letters.length && runs.starts[i] * bin < gantt.range.to; i++)
		if (marks.has(runs.letters[i]))
			ganttMark(gantt, marks.get(runs.letters[i]), runs.starts[i] * bin,
				runs.starts[i + 1] * bin, y, runs.letters[i]);
}

/* Draws the longest intervals exactly, over a cleared strip of the bins. */
function ganttExact(gantt) {
	for (const {line, y} of ganttSeen(gantt)) {
		if (line.thread < 0)
			continue;
		for (const {from, to, state} of gantt.recording.longestOf[line.thread])
			if (to >= gantt.range.from && from <= gantt.range.to &&
				stateColors[state] && gantt.x(to) - gantt.x(from) >= 2)
				ganttExactMark(gantt, from, to, y, state);
	}
}

function ganttExactMark(gantt, from, to, y, state) {
	const {context} = gantt;
	const begin = Math.max(gantt.left, gantt.x(from));
	const end = Math.min(gantt.width, gantt.x(to));
	context.clearRect(begin, y - ganttRow / 2, end - begin, ganttRow);
	context.fillStyle = gantt.color(stateColors[state]);
	context.fillRect(begin, y - ganttHeights[state] / 2, end - begin, ganttHeights[state]);
}

/* Draws the head of a group: its running and runnable threads as heights, beside the most ready. */
function ganttGroupMarks(gantt, line, y, level) {
	const {range, recording, context} = gantt;
	const bin = recording.states.bin_s[level];
	const first = Math.max(0, Math.floor(range.from / bin));
	const count = Math.ceil(range.to / bin) - first + 1;
	const running = new Float32Array(count), ready = new Float32Array(count);
	for (const thread of line.members)
		ganttCount(threadRuns(recording, thread, level), first, count, running, ready);
	const most = Math.max(1, d3.max(ready));
	for (const [values, color] of [[ready, "runnable"], [running, "running"]]) {
		context.fillStyle = gantt.color(color);
		context.beginPath();
		for (let i = 0; i < count; i++) {
			const begin = Math.max(gantt.left, gantt.x((first + i) * bin));
			const high = (ganttRow - 3) * values[i] / most;
			if (high)
				context.rect(begin, y + ganttRow / 2 - 1 - high,
					gantt.x((first + i + 1) * bin) - begin + 0.3, high);
		}
		context.fill();
	}
}

function ganttCount(runs, first, count, running, ready) {
	/* A thread that ran for between 1 and 50 % of a bin (b) counts as 10 %. */
	const weights = {R: [1, 1], w: [0, 1], m: [0.5, 0.5], b: [0.1, 0.1]};
	for (let i = runAt(runs, first); i < runs.letters.length && runs.starts[i] < first + count;
		i++) {
		const weight = weights[runs.letters[i]];
		for (let bin = Math.max(first, runs.starts[i]);
			weight && bin < Math.min(runs.starts[i + 1], first + count); bin++) {
			running[bin - first] += weight[0];
			ready[bin - first] += weight[1];
		}
	}
}

function ganttClip(gantt) {
	gantt.context.beginPath();
	gantt.context.rect(gantt.left, 0, gantt.width - gantt.left, gantt.height);
	gantt.context.clip();
}

/* Draws arrows from wakers to woken threads in the range, at most ganttArrowsMost. */
function ganttArrows(gantt) {
	const {recording, range, context} = gantt;
	gantt.arrowsShown = 0;
	gantt.arrowsInRange = 0;
	if (!gantt.arrows)
		return;
	const inRange = ganttArrowsApart(gantt,
		recording.wakeups.filter(([time, from, to]) => time >= range.from &&
				time <= range.to && gantt.lineOf.has(from) &&
				gantt.lineOf.has(to) &&
				gantt.lineOf.get(from) !== gantt.lineOf.get(to)));
	gantt.arrowsInRange = inRange.length;
	const shown = inRange.slice(0, ganttArrowsMost);
	gantt.arrowsShown = shown.length;
	context.save();
	ganttClip(gantt);
	context.strokeStyle = context.fillStyle = gantt.color("ink");
	context.globalAlpha = shown.length > 60 ? 0.25 : 0.6;
	for (const [time, from, to] of shown)
		ganttArrow(gantt, gantt.x(time), ganttMiddle(gantt, gantt.lineOf.get(from)),
			ganttMiddle(gantt, gantt.lineOf.get(to)));
	context.restore();
}

/* Keeps one of the arrows between the same threads at the same pixels. */
function ganttArrowsApart({x}, wakeups) {
	const seen = new Set();
	return wakeups.filter(([time, from, to]) => {
		const key = `${Math.round(x(time) / 2)} ${from} ${to}`;
		return seen.size !== seen.add(key).size;
	});
}

function ganttArrow({context}, x, from, to) {
	const side = to > from ? -1 : 1;
	context.lineWidth = 1;
	context.beginPath();
	context.moveTo(x, from);
	context.lineTo(x, to + side * 5);
	context.stroke();
	context.beginPath();
	context.moveTo(x, to + side);
	context.lineTo(x - 3, to + side * 6);
	context.lineTo(x + 3, to + side * 6);
	context.fill();
}

function ganttSelection(gantt) {
	const {context, hover, drag} = gantt;
	if (drag) {
		context.fillStyle = gantt.color("band");
		context.fillRect(Math.min(...drag.map(gantt.x)), 0,
			Math.abs(gantt.x(drag[0]) - gantt.x(drag[1])), gantt.height);
	}
	if (gantt.selected >= 0) {
		context.strokeStyle = gantt.color("focus");
		context.lineWidth = 1;
		context.strokeRect(0.5, ganttMiddle(gantt, gantt.selected) - ganttRow / 2 + 0.5,
			gantt.width - 1, ganttRow - 1);
	}
	if (hover?.waker >= 0 && gantt.lineOf.has(hover.waker) && gantt.lineOf.has(hover.thread)) {
		context.strokeStyle = context.fillStyle = gantt.color("ink");
		ganttArrow(gantt, gantt.x(hover.to),
			ganttMiddle(gantt, gantt.lineOf.get(hover.waker)),
			ganttMiddle(gantt, gantt.lineOf.get(hover.thread)));
	}
}

function ganttLabels(gantt) {
	const {context, recording, left} = gantt;
	context.fillStyle = gantt.color("paper");
	context.fillRect(0, ganttAxis, left - 4, gantt.height);
	context.textBaseline = "middle";
	context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
	for (const {line, y} of ganttSeen(gantt)) {
		const thread = recording.threads[line.thread];
		const text = thread ? threadName(thread) : ganttGroupLabel(gantt, line);
		context.fillStyle = gantt.color(thread ? "soft" : "ink");
		context.fillText(ganttShorten(context, text,
					 left - (gantt.group !== "thread" && thread ? 22 : 10)),
			gantt.group !== "thread" && thread ? 14 : 0, y);
	}
}

function ganttGroupLabel(gantt, {group, members}) {
	const triangle = gantt.folded.has(group) ? "\u25b8" : "\u25be";
	return `${triangle} ${group} (${formatCount(members.length)})`;
}

/* Cuts a name in the middle, as the number of the thread is at its end. */
function ganttShorten(context, text, width) {
	const bounded = text.length > 80 ? `${text.slice(0, 60)}\u2026${text.slice(-19)}` : text;
	for (let keep = bounded.length; keep > 3; keep--) {
		const head = Math.ceil(keep / 2);
		const shown = keep === bounded.length
			? bounded
			: `${bounded.slice(0, head)}\u2026${bounded.slice(-(keep - head))}`;
		if (context.measureText(shown).width <= width)
			return shown;
	}
	return bounded.slice(0, 3);
}

/* Draws the time axis, which stays at the top while lines scroll. */
function ganttTimes(gantt) {
	const {context, range} = gantt;
	const [size, unit] = secondUnit(Math.max(range.to, 1e-9));
	const scaled = d3.scaleLinear([range.from / size, range.to / size], gantt.x.range());
	const count = Math.max(2, Math.floor((gantt.width - gantt.left) / 120));
	const text = scaled.tickFormat(count);
	context.fillStyle = gantt.color("paper");
	context.fillRect(0, 0, gantt.width, ganttAxis);
	context.fillStyle = gantt.color("soft");
	for (const tick of scaled.ticks(count)) {
		const x = scaled(tick);
		context.textAlign = x > gantt.width - 36 ? "right"
			: x < gantt.left + 30            ? "left"
							 : "center";
		context.fillText(`${text(tick)} ${unit}`, x, 8);
		context.fillRect(Math.min(x, gantt.width - 1), ganttAxis - 5, 1, 5);
	}
	context.textAlign = "left";
}

/* Writes the note below the lines: threads and arrows left out, and the path shown. */
function ganttSay(gantt) {
	const {recording} = gantt;
	const said = [];
	if (recording.threads_left_out)
		said.push(formatPlural(recording.threads_left_out, "thread"),
			"with less CPU time left out.");
	if (gantt.search) {
		const found = gantt.lines.filter((line) => line.thread >= 0).length;
		said.push(formatPlural(found, "thread"), "found.");
	}
	if (gantt.arrows && gantt.arrowsInRange > gantt.arrowsShown) {
		const shown =
			`${formatCount(gantt.arrowsShown)} of ${formatCount(gantt.arrowsInRange)}`;
		said.push(`${shown} wakeups, those of the longest waits: zoom in for the rest.`);
	}
	if (gantt.path)
		said.push(pathSays(recording, gantt.path));
	else if (recording.critical_path?.length)
		said.push("Click a thread for the path of wakeups that led there.");
	if (rangeIsWhole(gantt.range))
		said.push("Drag to zoom in.");
	gantt.note.textContent = said.join(" ");
}

/* --- Pointer and keys ------------------------------------------------------------------------- */

function ganttListen(gantt) {
	const {canvas, range} = gantt;
	rangeDragged(range, canvas, (event) => ganttTimeOf(gantt, event), (from, to) => {
		gantt.drag = from === null ? null : [from, to];
		ganttDraw(gantt);
	});
	let down = 0;
	canvas.addEventListener("pointerdown", (event) => { down = event.clientX; });
	canvas.addEventListener("click", (event) => {
		if (Math.abs(event.clientX - down) <= 4)
			ganttClick(gantt, event);
	});
	canvas.addEventListener("pointermove", (event) => ganttHover(gantt, event));
	rangeCursor(range, gantt.scroller,
		(time) => gantt.x && time >= range.from && time <= range.to ? gantt.x(time) : null);
	canvas.addEventListener("pointerleave", () => {
		gantt.hover = null;
		rangePoint(range, null);
		tipHide();
	});
	canvas.addEventListener("wheel", (event) => {
		const time = ganttTimeOf(gantt, event);
		if (!event.ctrlKey || time === null)
			return;
		event.preventDefault();
		rangeZoom(range, Math.exp(event.deltaY * 0.002), time);
	}, {passive: false});
	canvas.addEventListener("keydown", (event) => ganttKey(gantt, event));
}

function ganttLineAt(gantt, event) {
	const y = event.clientY - gantt.canvas.getBoundingClientRect().top - ganttAxis;
	return y < 0 ? -1 : Math.floor((y + gantt.top) / ganttRow);
}

function ganttTimeOf(gantt, event) {
	const x = event.clientX - gantt.canvas.getBoundingClientRect().left;
	return x < gantt.left - 4
		? null
		: Math.max(gantt.range.from, Math.min(gantt.x.invert(x), gantt.range.to));
}

function ganttClick(gantt, event) {
	const at = ganttLineAt(gantt, event);
	const line = gantt.lines[at];
	const time = ganttTimeOf(gantt, event);
	if (!line)
		return;
	if (line.thread < 0)
		ganttFold(gantt, line);
	else {
		gantt.selected = at;
		if (gantt.recording.critical_path?.length)
			ganttPathTo(gantt, line.thread, time);
		ganttDraw(gantt);
		if (!gantt.path)
			ganttTell(gantt);
	}
}

/* Shows the path to a place in a thread; a second click hides it. */
function ganttPathTo(gantt, thread, time) {
	ganttToggle(gantt, "path", pathTo(gantt.recording, thread, time));
}

function ganttKey(gantt, event) {
	const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
	if (step) {
		event.preventDefault();
		gantt.selected =
			Math.max(0, Math.min(gantt.lines.length - 1, gantt.selected + step));
		ganttScrollTo(gantt, gantt.selected);
		ganttDraw(gantt);
		ganttTell(gantt);
	} else if (event.key === "Enter" && gantt.lines[gantt.selected]) {
		const line = gantt.lines[gantt.selected];
		if (line.thread < 0)
			ganttFold(gantt, line);
		else if (gantt.recording.critical_path?.length)
			ganttPathTo(gantt, line.thread, null);
	} else
		rangeKey(gantt.range, event);
}

function ganttScrollTo(gantt, at) {
	const top = at * ganttRow, seen = gantt.height - ganttAxis - ganttRow;
	if (top < gantt.scroller.scrollTop)
		gantt.scroller.scrollTop = top;
	else if (top > gantt.scroller.scrollTop + seen)
		gantt.scroller.scrollTop = top - seen;
	gantt.top = gantt.scroller.scrollTop;
}

/* Tells keyboard users and screen readers the totals of the selected thread or group. */
function ganttTell(gantt) {
	const line = gantt.lines[gantt.selected];
	const thread = gantt.recording.threads[line?.thread];
	if (thread)
		gantt.note.textContent = `${threadName(thread)}: ${ganttTotals(thread)}`;
	else if (line)
		gantt.note.textContent =
			`${line.group}: ${formatPlural(line.members.length, "thread")}`;
}

function ganttTotals(thread) {
	const parts = [
		["CPU", thread.cpu_s], ["run queue", thread.runnable_s],
		["blocked", thread.blocked_s], ["device", thread.disk_s],
		["unknown", thread.unknown_s]
	];
	return parts.filter(([name, seconds]) => seconds > 0 || name === "CPU")
		.map(([name, seconds]) => `${name} ${formatSeconds(seconds)}`)
		.join(", ");
}

function ganttHover(gantt, event) {
	const line = gantt.lines[ganttLineAt(gantt, event)];
	const time = gantt.x ? ganttTimeOf(gantt, event) : null;
	const before = gantt.hover;
	rangePoint(gantt.range, time);
	gantt.hover = null;
	if (!line)
		tipHide();
	else if (line.thread < 0)
		tipShow(event.clientX, event.clientY, element("b", null, line.group),
			ganttGroupTotals(gantt, line));
	else
		ganttHoverThread(gantt, line.thread, time, event);
	if (before?.waker >= 0 || gantt.hover?.waker >= 0)
		ganttDraw(gantt);
}

function ganttGroupTotals(gantt, line) {
	const sum = (key) => d3.sum(line.members, (thread) => gantt.recording.threads[thread][key]);
	const totals = {};
	for (const key of ["cpu_s", "runnable_s", "blocked_s", "disk_s", "unknown_s"])
		totals[key] = sum(key);
	return `${formatPlural(line.members.length, "thread")}: ${ganttTotals(totals)}`;
}

function ganttHoverThread(gantt, index, time, event) {
	const {recording, range} = gantt;
	const thread = recording.threads[index];
	const state = time === null ? null : threadStateAt(recording, index, time);
	if (state) {
		gantt.hover = {...state, thread: index};
		tipShow(event.clientX, event.clientY, element("b", null, threadName(thread)),
			ganttStateSays(range, state), state.cause || null,
			longestEnd(recording, state.state, state.waker),
			element("span", {class: "soft"}, `whole run: ${ganttTotals(thread)}`));
	} else
		tipShow(event.clientX, event.clientY, element("b", null, threadName(thread)),
			ganttTotals(thread), element("span", {class: "soft"}, ganttLife(thread)));
}

function ganttLife({start_s: start, end_s: end}) {
	return `from ${formatSeconds(start)} to ${formatSeconds(end)}`;
}

/* Describes a state. Its length is approximate if it comes from bins. */
function ganttStateSays(range, {state, from, to, exact, bin}) {
	const name = stateNames[state] ?? state;
	const begin = formatInstant(from, range.to - range.from, range.total);
	const length = formatSeconds(to - from);
	const inexact = exact ? "" : ` (bins of ${formatSeconds(bin)})`;
	return `${name}, from ${begin}, for ${exact ? "" : "about "}${length}${inexact}`;
}
